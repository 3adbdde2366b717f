"""Functions that draw tables as matplotlib figures; a model keeps its colour in every chapter."""
