"""`python -m robust_lib` is the command `robust`, which the book brings."""

from importlib.metadata import entry_points

if __name__ == "__main__":
    (command,) = entry_points(group="console_scripts", name="robust")
    command.load()()
