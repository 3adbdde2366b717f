"""The program that checks a rendered site; its modules become one file without dependencies."""
