"""Names become things: the run of a chapter on a profile."""
