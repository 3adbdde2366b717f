"""The book of a real project in the small, killed and made again: the rows are the same."""

import os
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest

from robust_book.engine import journal
from tests import tiny

COMMAND = [sys.executable, "-c", "from robust_book.commands.cli import main; main()"]
CHAPTER = "00_tour"
COMMAND += ["book", CHAPTER, "--profile", tiny.PROFILE, "--jobs", "2", "--until", "notebook"]


def rows(folder):
    path = folder / "build" / tiny.PROFILE / "results" / f"{CHAPTER}.parquet"
    return pd.read_parquet(path).drop(columns="run")


@pytest.mark.soak
def test_a_book_that_is_killed_at_each_of_its_steps_ends_with_the_same_rows(
    tmp_path, tmp_path_factory
):
    undisturbed = tiny.toured(tmp_path_factory)
    killed = tiny.project(tmp_path / "killed")
    for kind in ("draw", "train", "notebook"):
        with subprocess.Popen(
            COMMAND,
            env=tiny.environment(killed),
            stdout=subprocess.DEVNULL,
            cwd=tmp_path,
            start_new_session=True,
        ) as process:
            until_begun(killed, kind)
            time.sleep(0.5)
            os.killpg(process.pid, signal.SIGKILL)
    done = subprocess.run(
        COMMAND, env=tiny.environment(killed), capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stdout + done.stderr
    pd.testing.assert_frame_equal(rows(killed), rows(undisturbed), check_exact=True)


def until_begun(folder, kind):
    """Wait until a job of a kind is at work."""
    home = folder / "build" / tiny.PROFILE
    until = time.monotonic() + 120
    while time.monotonic() < until:
        begun = [event["job"] for event in journal.read(home) if event["event"] == "begun"]
        if any(name.startswith(kind) for name in begun):
            return
        time.sleep(0.1)
    raise AssertionError(f"no job of the kind {kind} has begun")
