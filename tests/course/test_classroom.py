"""A notebook finds its own course wherever that lies."""

import json
import os

import pytest

from robust_book.course import classroom
from robust_book.course.classroom import MARK
from robust_lib.errors import DataError


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
    with pytest.raises(DataError, match="the whole course folder"):
        classroom.open_folder(tmp_path)


def test_a_command_takes_the_profile_of_the_course_that_it_is_typed_in(tmp_path, monkeypatch):
    (tmp_path / "student").mkdir()
    monkeypatch.chdir(tmp_path / "student")
    assert classroom.profile() is None
    (tmp_path / MARK).write_text(json.dumps({"profile": "smoke"}))
    assert classroom.profile() == "smoke"
