"""Rows of numbers, what the papers print, and the comparison of the two."""
