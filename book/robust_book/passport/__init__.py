"""The page of a passport, and two passports side by side."""
