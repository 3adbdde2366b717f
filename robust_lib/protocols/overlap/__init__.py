"""Overlap scores of corruptions: predictions in, rows out [overlap]."""
