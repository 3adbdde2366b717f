"""Figures, tables, verdicts and controls of notebook cells, as self-contained HTML."""
