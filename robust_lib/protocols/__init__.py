"""Protocols: from models and image sets to rows of results, one file per benchmark."""
