"""Metrics: pure functions of NumPy arrays. Rates are fractions in [0, 1]."""
