"""The leaderboard of all networks: numbers from papers, public evaluations, and runs."""
