"""What runs of a paper share: the records of its chapters, roles, and who stands for whom."""
