"""The calls that a notebook makes: what they refuse, and where they look for a run's answers."""

import pytest

from robust_book.course import checks
from robust_book.course.checks import EXERCISES
from robust_lib import paths
from robust_lib.errors import InputError, RunError
from robust_lib.results.table import Results
from tests.course.planted import row, run_of


def of_run():
    return next(
        (name, number)
        for name, exercises in EXERCISES.items()
        for number, exercise in exercises.items()
        if exercise.of_run
    )


def test_every_checked_chapter_is_a_notebook():
    assert set(EXERCISES) <= {path.stem for path in paths.notebooks().glob("*.ipynb")}


def test_no_answer_yet_is_no_error():
    number = next(number for number, one in EXERCISES["00_tour"].items() if not one.of_run)
    names = [one.name for one in EXERCISES["00_tour"][number].answers]
    found = checks.check(run_of("00_tour"), number, **dict.fromkeys(names))
    assert not found.passed
    assert repr(found).count("no answer yet") == len(names)
    assert not checks.check(run_of("00_tour"), number).passed


def test_unknown_exercises_and_answers_are_refused():
    with pytest.raises(InputError, match="a checked exercise of 00_tour"):
        checks.check(run_of("00_tour"), 99)
    number = min(EXERCISES["00_tour"])
    with pytest.raises(InputError, match=f"an answer to exercise {number}"):
        checks.check(run_of("00_tour"), number, nonsense=1)


def test_answers_of_a_run_need_its_results(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    name, number = of_run()
    run = run_of(name)
    with pytest.raises(RunError, match="Run all cells above first"):
        checks.check(run, number)
    (run.folder / "results").mkdir(parents=True)
    Results.of([row()]).save(run.folder / "results", name)
    told = repr(checks.check(run, number))
    assert "not in this run" in told


def test_a_run_that_says_nothing_is_no_error():
    for name, exercises in EXERCISES.items():
        for answer in (one for each in exercises.values() if each.of_run for one in each.answers):
            for rows in (Results(), Results.of([row()])):
                assert answer.right(rows) is None, (name, answer.name)


def test_the_right_answers_are_not_one_call_away():
    assert not hasattr(checks, "right")
