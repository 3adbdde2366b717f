"""`python -m robust_lib` is the command `robust`."""

from robust_lib.commands.cli import main

if __name__ == "__main__":
    main()
