"""The engine: the jobs that make the book, their costs, and their execution."""
