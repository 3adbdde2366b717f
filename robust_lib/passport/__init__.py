"""Model reports (passports): one model on every applicable benchmark of the five papers."""
