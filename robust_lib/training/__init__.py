"""Training: one plain loop, recipes as data."""
