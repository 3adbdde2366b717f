"""Rows of numbers, the numbers that the papers print, and the comparison of the two."""
