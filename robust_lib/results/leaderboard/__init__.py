"""Every network beside every other: the papers' numbers, public ones, and those of runs."""
