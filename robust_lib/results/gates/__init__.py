"""Gates: what public weights must reach on the real data, as others found it."""
