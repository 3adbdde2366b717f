"""The right answers for a run; this file is next to a teacher's notebooks.

The library that a class installs does not have it.
"""

from typing import Any

from robust_book.course.checks import exercise_of, results_of
from robust_lib.errors import InputError, one_of
from robust_lib.run.run import Run


def right(run: Run, number: int, name: str) -> Any:
    """Return the right answer to an exercise, one of several if there are more.

    Raises:
        InputError: no such exercise or answer.
        RunError: the run has not saved its results yet.
    """
    exercise = exercise_of(run, number)
    found = {one.name: one for one in exercise.answers}
    if name not in found:
        raise InputError(one_of(f"an answer to exercise {number}", name, found))
    value = found[name].right(results_of(run, exercise))
    return min(value) if isinstance(value, set) else value
