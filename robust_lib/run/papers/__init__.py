"""What runs of a paper share: the records of its chapters, roles, and stand-ins for networks."""
