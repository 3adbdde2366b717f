"""What the runs of each paper share: records of its chapters, roles, and stand-ins for networks."""
