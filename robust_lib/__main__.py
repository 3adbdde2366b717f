"""`python -m robust_lib` runs the command `robust`, which the book provides."""

from importlib.metadata import entry_points

if __name__ == "__main__":
    (command,) = entry_points(group="console_scripts", name="robust")
    command.load()()
