"""A notebook finds the pictures and answers of its own course, wherever that was unpacked."""

import json
import os

import pytest

from robust_book.course import opened
from robust_book.course.opened import MARK
from robust_lib.errors import DataError


def test_a_notebook_of_a_course_finds_its_folder(tmp_path, monkeypatch):
    for name in ("ROBUST_BUILD", "ROBUST_DATA"):
        monkeypatch.setenv(name, "elsewhere")
    (tmp_path / MARK).write_text(json.dumps({"profile": "smoke"}))
    (tmp_path / "student").mkdir()
    monkeypatch.chdir(tmp_path / "student")
    assert "profile smoke" in opened.open_folder()
    assert os.environ["ROBUST_BUILD"] == str(tmp_path / "build")
    assert os.environ["ROBUST_DATA"] == str(tmp_path / "build" / "data")
    assert opened.open_folder(tmp_path) == opened.open_folder()


def test_a_notebook_that_was_taken_out_is_told_to_go_back(tmp_path):
    with pytest.raises(DataError, match="the whole folder"):
        opened.open_folder(tmp_path)
