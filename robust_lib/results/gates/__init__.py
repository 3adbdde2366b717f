"""Gates: published results that public weights must reproduce on the real data."""
