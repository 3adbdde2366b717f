"""Figures: a table in, a matplotlib figure out; one colour a model in every chapter."""
