"""The program that checks a rendered site; of its modules one file is made, which needs nothing."""
