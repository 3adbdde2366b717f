"""The course: exercises with checked answers, and the folder for a class."""
