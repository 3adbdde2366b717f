"""Checks of a student's answers against the run, called from a notebook."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from robust_book.course import (
    inc,
    inc_auxiliary,
    inc_training,
    nae,
    nao,
    overlap,
    vid,
)
from robust_book.course.answers import Checked, Exercise, checked
from robust_lib import paths
from robust_lib.errors import InputError, RunError, one_of
from robust_lib.results.table import Results
from robust_lib.run.run import Run

_ROOMS = (inc, inc_training, inc_auxiliary, nae, nao, overlap, vid)
EXERCISES: dict[str, Mapping[int, Exercise]] = {
    chapter: found for room in _ROOMS for chapter, found in room.EXERCISES.items()
}
"""Chapter -> number of an exercise on its page -> what it asks for."""


def check(run: Run, number: int, **answers: Any) -> Checked:
    """Return feedback on a student's answers: their faults, not the right answers.

    Args:
        answers: name -> value; None: no answer yet.

    Raises:
        InputError: the chapter has no such exercise, or the exercise requires other answers.
        RunError: the run has not saved its results yet.
    """
    exercise = exercise_of(run, number)
    asked = [one.name for one in exercise.answers]
    for name in answers:
        if name not in asked:
            raise InputError(one_of(f"an answer to exercise {number}", name, asked))
    found = checked(exercise, number, answers, results_of(run, exercise))
    about = {
        "chapter": run.chapter.notebook,
        "profile": run.profile.name,
        "changed": run.folder != paths.profile(run.profile.name),
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    return replace(found, about=about)


def exercise_of(run: Run, number: int) -> Exercise:
    """Return an exercise of a run's chapter.

    Raises:
        InputError: the chapter has no such exercise.
    """
    found = EXERCISES.get(run.chapter.notebook, {})
    if number not in found:
        raise InputError(one_of(f"a checked exercise of {run.chapter.notebook}", number, found))
    return found[number]


def results_of(run: Run, exercise: Exercise) -> Results:
    """Return the rows that a run has saved; none if the exercise does not concern them.

    Raises:
        RunError: the run has not saved its results yet.
    """
    if not exercise.of_run:
        return Results()
    saved = run.folder / "results" / f"{run.chapter.notebook}.parquet"
    if not saved.exists():
        raise RunError(
            f"Expected the results of {run.chapter.notebook} in {saved}, but there are none yet. "
            "Run all cells above first; the last one before the exercises saves the results."
        )
    return Results.load(saved)
