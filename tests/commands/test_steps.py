"""The steps of the book as commands: what they hand on, refuse first, and say."""

import re
import shlex

import pytest

from robust_book.commands import pdf, release, steps
from robust_lib import paths
from robust_lib.errors import InputError
from tests import tiny

PAGE = (paths.book() / "run.md").read_text("utf-8")


@pytest.fixture
def made(monkeypatch):
    """What `robust book` is asked for."""
    calls = []

    def make(profile, **given):
        calls.append({"profile": profile} | given)
        return len(calls) - 1, False

    monkeypatch.setattr("robust_book.commands.book.make", make)
    return calls


def test_the_book_takes_chapters_with_commas_or_blanks(made, monkeypatch, capsys):
    words = ("book", "00_tour,inc_2_mce", "overlap_1_matrix", "-P", "smoke", "--seeds", "3")
    assert tiny.command(monkeypatch, capsys, *words)[0] == 0
    (call,) = made
    assert call["chapters"] == ["00_tour", "inc_2_mce", "overlap_1_matrix"]
    assert (call["profile"], call["seeds"], call["until"]) == ("smoke", 3, "site")
    assert call["cores"] >= 1


def test_the_status_of_the_book_is_that_of_the_command(made, monkeypatch, capsys):
    for status in (0, 1, 2):
        assert tiny.command(monkeypatch, capsys, "book", "-P", "smoke")[0] == status


@pytest.mark.parametrize("status", [130, 143])
def test_a_book_that_was_stopped_says_how_to_go_on_once(monkeypatch, capsys, status):
    monkeypatch.setattr("robust_book.commands.book.make", lambda profile, **given: (status, False))
    assert tiny.command(monkeypatch, capsys, "book", "-P", "smoke") == (status, "", "")


def test_a_book_that_leaves_chapters_out_judges_its_gates_and_says_so(monkeypatch, capsys):
    monkeypatch.setattr("robust_book.commands.book.make", lambda profile, **given: (0, True))
    monkeypatch.setattr("robust_book.commands.gates.ending", lambda profile: (0, ["gates held"]))
    status, told, _ = tiny.command(monkeypatch, capsys, "book", "-P", "full")
    assert (status, told) == (1, "gates held\n")


def test_the_last_jobs_may_be_of_any_kind(made, monkeypatch, capsys):
    for kind in ("draw", "train", "predict", "notebook", "site"):
        tiny.command(monkeypatch, capsys, "book", "-P", "smoke", "--until", kind)
    assert [call["until"] for call in made] == ["draw", "train", "predict", "notebook", "site"]
    status, _, complaint = tiny.command(monkeypatch, capsys, "book", "--until", "fetch")
    assert status == 2
    assert "fetch" in complaint


def test_the_call_for_a_cluster_on_the_page_is_one(made, monkeypatch, capsys):
    (line,) = re.findall(r"^robust (book .*)$", PAGE, re.MULTILINE)
    assert tiny.command(monkeypatch, capsys, *shlex.split(line))[0] == 0
    (call,) = made
    assert (call["profile"], call["cluster"]) == ("full", "slurm")
    assert call["cores"] is None  # as many as the cluster's profile says


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("limit=8", 8),
        ("corruption=fog", "fog"),
        ("severities=[1, 3]", [1, 3]),
        ("diagonal=true", True),
        ("models=['a=b.py:build']", ["a=b.py:build"]),
    ],
)
def test_a_parameters_value_is_yaml(text, value):
    assert steps._parameter(text) == (text.partition("=")[0], value)


def test_a_value_that_is_no_yaml_says_what_to_do():
    with pytest.raises(InputError, match=r"models.*YAML.*quotes"):
        steps._parameter("models=[resnet18")


def test_the_book_is_named_once_it_is_printed(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(pdf, "make", lambda home, told: told("1 of 1: index") or home / "book.pdf")
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    status, said, _ = tiny.command(monkeypatch, capsys, "pdf", "--profile", "smoke")
    assert status == 0
    assert said == f"1 of 1: index\nThe book is {tmp_path / 'smoke' / 'book.pdf'}.\n"


def test_a_release_says_that_nothing_was_uploaded(monkeypatch, capsys, tmp_path):
    made = tmp_path / "toy-lib-1.2.0"
    monkeypatch.setattr(release, "make", lambda profile, told: made)
    status, said, _ = tiny.command(monkeypatch, capsys, "release", "--profile", "smoke")
    assert status == 0
    assert said.startswith(
        f"The release is {made}. Nothing was uploaded.\nNext: run git tag v1.2.0"
    )


def test_a_book_without_a_site_is_refused_in_words(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    status, _, told = tiny.command(monkeypatch, capsys, "pdf", "--profile", "smoke")
    assert status == 1
    assert told.startswith("Expected a rendered site in")
