"""What a notebook cell shows: figures, tables, verdicts and controls as self-contained HTML."""
