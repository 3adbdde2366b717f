"""The course: exercises whose answers are checked, and the folder that is given to a class."""

from robust_lib.course.checks import check, right
from robust_lib.course.opened import open_folder

__all__ = ["check", "open_folder", "right"]
