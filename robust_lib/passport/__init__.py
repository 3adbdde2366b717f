"""Passports (model reports): one model on every applicable benchmark of the five papers."""
