"""A job: a stamp that appears whole or not at all, a log, and what the journal says of it."""

import subprocess
import sys

import pytest

from robust_book.commands import job
from robust_book.engine import journal
from tests import tiny

JOB = "from robust_book.commands.job import main; main()"


@pytest.fixture
def home(tmp_path):
    """The folder of a profile, with a journal."""
    made = tmp_path / "build" / "smoke"
    made.mkdir(parents=True)
    journal.begin(made)
    return made


def perform(home, name, *words):
    stamp = home / "done" / f"{name}.txt"
    done = subprocess.run(
        [sys.executable, "-c", JOB, str(stamp), "0", *words],
        env=tiny.environment(home.parents[1]) | {"ROBUST_ROOT": str(tiny.REPOSITORY)},
        capture_output=True,
        text=True,
    )
    _, *events = journal.read(home)
    return done, stamp, events


def test_a_job_that_succeeds_leaves_what_it_says_in_a_stamp(home):
    done, stamp, events = perform(home, "a", "fetch", "--help")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    asked, _, told = stamp.read_text("utf-8").partition("\n")
    assert asked == "fetch --help"
    first, *_, last = told.strip().splitlines()
    assert "Usage: robust fetch" in first
    assert last.endswith(" s")
    assert [(event["event"], event["job"]) for event in events] == [("begun", "a"), ("done", "a")]
    assert last == f"{events[-1]['seconds']:.1f} s"


def test_a_job_that_fails_leaves_no_stamp_but_a_log_and_says_why(home):
    done, stamp, events = perform(home, "b", "report", "--profile", "smoke")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")
    assert not stamp.exists()
    assert events[-1]["event"] == "failed"
    assert events[-1]["why"].startswith("Expected results of the profile smoke in ")
    assert events[-1]["log"] == str(home / "logs" / "b.log")


def test_words_that_no_command_knows_are_told_in_the_log(home):
    done, _, events = perform(home, "c", "fetsh")
    assert done.returncode == 2
    assert "No such command 'fetsh'" in (home / "logs" / "c.log").read_text("utf-8")
    assert events[-1]["why"] == "The command ended with status 2."


def test_a_stamp_that_cannot_be_written_is_told(home, monkeypatch):
    """Such as on a disk that the last file has filled."""
    monkeypatch.setattr(job.os, "dup2", lambda *_: None)
    monkeypatch.setattr(job, "write_bytes", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
    assert job.perform(home / "done" / "a.txt", ["fetch", "--help"]) == 1
    *_, told = journal.read(home)
    assert (told["event"], told["job"]) == ("failed", "a")
    assert "Free some space" in told["why"]


def test_where_not_even_the_journal_can_be_written_the_log_is_told(home, monkeypatch, capsys):
    monkeypatch.setattr(
        journal, "write", lambda *_, **__: (_ for _ in ()).throw(OSError(28, "full"))
    )
    assert job.perform(home / "done" / "a.txt", ["fetch", "--help"]) == 1
    assert "Free some space" in capsys.readouterr().err
