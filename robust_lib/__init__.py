"""The library behind the reference companion to five robustness papers."""

__version__ = "0.1.0"
