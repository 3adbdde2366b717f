"""Curation: how hard test sets are made from candidates, by filters and by people."""
