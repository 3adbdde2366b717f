"""Environment variables of a command: set for a while, and put back."""

import os

import pytest

from robust_book.commands.switches import switched


def test_what_was_there_comes_back_after_an_error(monkeypatch):
    monkeypatch.setenv("ROBUST_ONE", "before")
    monkeypatch.delenv("ROBUST_TWO", raising=False)

    def fails():
        with switched({"ROBUST_ONE": True, "ROBUST_TWO": True}):
            raise KeyError(os.environ["ROBUST_ONE"] + os.environ["ROBUST_TWO"])

    with pytest.raises(KeyError, match="11"):
        fails()
    assert os.environ["ROBUST_ONE"] == "before"
    assert "ROBUST_TWO" not in os.environ


def test_what_is_not_asked_stays_as_it_is(monkeypatch):
    monkeypatch.setenv("ROBUST_ONE", "mine")
    with switched({"ROBUST_ONE": False}):
        assert os.environ["ROBUST_ONE"] == "mine"
