"""The command line `robust`, one file a command or a family of them."""
