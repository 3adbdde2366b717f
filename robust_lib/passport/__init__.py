"""Passports: one model through every benchmark of the five papers that it can take."""
