"""Figures: a table in, a matplotlib figure out; a model has the same colour in every chapter."""
