"""Whose checks pass, of notebooks as a class hands them in."""

import nbformat

from robust_lib.course import handed_in
from robust_lib.course.answers import Exercise, checked, fixed, number
from tests.course.planted import NONE

BOTH = Exercise(tuple(number(name, "a number", fixed(float, 2), "") for name in ("one", "two")))


def hand_in(folder, student, name, **answers):
    """Save a student's notebook with what its check says; without answers it was not run."""
    said = repr(checked(BOTH, 1, answers, NONE))
    outputs = [nbformat.v4.new_output("execute_result", {"text/plain": said})] if answers else []
    cell = nbformat.v4.new_code_cell("checks", id="exercise-1-check", outputs=outputs)
    (folder / student).mkdir(parents=True, exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), folder / student / f"{name}.ipynb")


def test_right_answers_are_counted_and_what_was_not_run_says_so(tmp_path):
    hand_in(tmp_path, "ada", "tour", one=2, two=2)
    hand_in(tmp_path, "bob", "tour", one=2, two=3)
    hand_in(tmp_path, "eve", "tour")
    hand_in(tmp_path, "eve/.ipynb_checkpoints", "tour", one=2, two=2)
    told = handed_in.table(tmp_path)
    assert told["exercise 1"].to_dict() == {
        "ada/tour.ipynb": "2 of 2", "bob/tour.ipynb": "1 of 2", "eve/tour.ipynb": "not run",
    }  # fmt: skip


def test_nothing_handed_in_is_an_empty_table(tmp_path):
    assert handed_in.table(tmp_path).empty
