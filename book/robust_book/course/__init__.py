"""The course: exercises whose answers are checked, and the folder that is given to a class."""
