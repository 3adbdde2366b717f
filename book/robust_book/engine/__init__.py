"""The engine: which jobs make the book, what they cost, and what runs them."""
