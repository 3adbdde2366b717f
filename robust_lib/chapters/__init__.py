"""One module a notebook: its record, tables, galleries and key numbers."""
