"""A notebook finds its own course wherever that lies; whose checks pass once it is handed in."""

import json
import os

import nbformat
import pytest

from robust_book.course import classroom
from robust_book.course.answers import Exercise, checked, fixed, number
from robust_book.course.classroom import MARK
from robust_lib.errors import DataError
from tests.course.planted import NONE


def test_a_notebook_of_a_course_finds_its_folder(tmp_path, monkeypatch):
    for name in ("ROBUST_BUILD", "ROBUST_DATA"):
        monkeypatch.setenv(name, "elsewhere")
    (tmp_path / MARK).write_text(json.dumps({"profile": "smoke"}))
    (tmp_path / "student").mkdir()
    monkeypatch.chdir(tmp_path / "student")
    assert "profile smoke" in classroom.open_folder()
    assert os.environ["ROBUST_BUILD"] == str(tmp_path / "build")
    assert os.environ["ROBUST_DATA"] == str(tmp_path / "build" / "data")
    assert classroom.open_folder(tmp_path) == classroom.open_folder()


def test_a_notebook_that_was_taken_out_is_told_to_go_back(tmp_path):
    with pytest.raises(DataError, match="the whole folder"):
        classroom.open_folder(tmp_path)


BOTH = Exercise(tuple(number(name, "a number", fixed(float, 2), "") for name in ("one", "two")))


def hand_in(folder, student, name, number=1, **answers):
    """Save a student's notebook with what its check says; without answers it was not run."""
    said = repr(checked(BOTH, number, answers, NONE))
    outputs = [nbformat.v4.new_output("execute_result", {"text/plain": said})] if answers else []
    # Ids are those that a program chose that knows none of ours.
    cell = nbformat.v4.new_code_cell(f"checks.check(run, {number}, one=one)", outputs=outputs)
    (folder / student).mkdir(parents=True, exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), folder / student / f"{name}.ipynb")


def test_right_answers_are_counted_and_what_was_not_run_says_so(tmp_path):
    hand_in(tmp_path, "ada", "tour", one=2, two=2)
    hand_in(tmp_path, "bob", "tour", one=2, two=3)
    hand_in(tmp_path, "eve", "tour")
    hand_in(tmp_path, "eve/.ipynb_checkpoints", "tour", one=2, two=2)
    told = classroom.handed_in(tmp_path)
    assert told["exercise 1"].to_dict() == {
        "ada/tour.ipynb": "2 of 2", "bob/tour.ipynb": "1 of 2", "eve/tour.ipynb": "not run",
    }  # fmt: skip


def test_exercises_stand_in_their_order_and_what_a_chapter_does_not_ask_is_empty(tmp_path):
    hand_in(tmp_path, "ada", "second", 3, one=2, two=2)
    hand_in(tmp_path, "ada", "tour", 1, one=2, two=2)
    told = classroom.handed_in(tmp_path)
    assert list(told) == ["exercise 1", "exercise 3"]
    assert told.loc["ada/second.ipynb"].tolist() == ["", "2 of 2"]


def test_a_file_that_is_no_notebook_does_not_hide_the_others(tmp_path):
    hand_in(tmp_path, "ada", "tour", one=2, two=2)
    for name, text in {"half": '{"cells": [', "list": "[1]"}.items():
        (tmp_path / f"{name}.ipynb").write_text(text, "utf-8")
    assert classroom.handed_in(tmp_path)["exercise 1"].to_dict() == {
        "ada/tour.ipynb": "2 of 2", "half.ipynb": "no notebook", "list.ipynb": "no notebook",
    }  # fmt: skip


def test_nothing_handed_in_is_an_empty_table(tmp_path):
    assert classroom.handed_in(tmp_path).empty


def test_a_copied_check_that_was_not_run_does_not_hide_the_one_that_was(tmp_path):
    hand_in(tmp_path, "ada", "tour", one=2, two=2)
    file = tmp_path / "ada" / "tour.ipynb"
    notebook = nbformat.read(file, 4)
    copied = nbformat.v4.new_code_cell(notebook.cells[0].source)
    nbformat.write(nbformat.v4.new_notebook(cells=[*notebook.cells, copied]), file)
    assert classroom.handed_in(tmp_path)["exercise 1"].to_list() == ["2 of 2"]


def test_what_a_student_wrote_is_not_read_as_a_verdict(tmp_path):
    hand_in(tmp_path, "eve", "tour", one="2: right.", two="x: not in this run: y")
    assert classroom.handed_in(tmp_path)["exercise 1"].to_list() == ["0 of 2"]


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match="there is no such folder"):
        classroom.handed_in(tmp_path / "none")
