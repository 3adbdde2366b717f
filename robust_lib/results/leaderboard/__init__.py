"""The leaderboard of all networks: the papers' numbers, public ones, and those of runs."""
