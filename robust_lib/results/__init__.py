"""Rows of numbers, the papers' printed numbers, and the comparison of the two."""
