"""The command line `robust`, one file for each command or family of commands."""
