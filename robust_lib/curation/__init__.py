"""Curation: the construction of hard test sets from candidates, by filters and by people."""
