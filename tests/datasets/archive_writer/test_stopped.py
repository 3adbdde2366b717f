"""A tree whose making is stopped: whole files, a sentence, and the same tree at the end."""

import json
import os
import resource
import signal
import subprocess
import sys
import time

import pytest

from robust_lib.datasets.archive_writer.manifest import NAME
from robust_lib.datasets.archive_writer.write import write
from tests import tiny, trees
from tests.datasets.archive_writer.made import QUICK, pictures
from tests.trees import WNIDS

CLI = (sys.executable, "-c", "from robust_book.commands.cli import main; main()", "corrupt")


def ctrl_c_ends_it():
    """A shell's background job ignores Ctrl-C, and hands that on, be it the tests themselves."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def run(*words, first=ctrl_c_ends_it):
    """Start the command with two processes, in a session of its own."""
    return subprocess.Popen(
        [*CLI, *map(str, words), "--workers", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        preexec_fn=first,
    )


def some_files(folder, process, number):
    """Wait until some files are there."""
    for _ in range(6000):
        if len(list(folder.rglob("[!.]*.JPEG"))) >= number:
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    raise AssertionError("Nothing was written.")


SLOW = ("--corruptions", "glass_blur", "fog", "--severities", "1", "5", "--batch", "1")


@pytest.mark.slow
def test_after_a_kill_in_the_middle_the_tree_is_as_if_nothing_had_been(many, target, tmp_path):
    process = run(many, target, *SLOW)
    some_files(target, process, 12)
    process.kill()
    # The pipes end with the last process that has them: the workers have ended, too.
    printed, complaint = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    assert printed == ""
    assert "Traceback" not in complaint
    there = len(list(target.rglob("[!.]*.JPEG")))
    assert 12 <= there < 240
    assert json.loads((target / NAME).read_text("utf-8"))["corruptions"]["fog"]["severities"] == (
        {"1": "begun", "5": "begun"}
    )
    again = run(many, target, *SLOW)
    printed, complaint = again.communicate(timeout=300)
    assert again.returncode == 0, complaint
    assert f"{240 - there} files written and {there} kept (60 images" in printed
    write(many, tmp_path / "whole", corruptions=["fog", "glass_blur"], severities=[1, 5])
    assert tiny.files(target) == tiny.files(tmp_path / "whole")


def test_an_interrupted_run_leaves_whole_files_and_says_how_to_go_on(many, target):
    process = run(many, target, *SLOW)
    some_files(target, process, 3)
    os.killpg(process.pid, signal.SIGINT)  # Ctrl-C reaches the workers, too
    _, complaint = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "stopped; run the same command again to continue" in complaint
    assert "Traceback" not in complaint
    hidden = [path.name for path in target.rglob(".*")]
    assert hidden == []


def spoiled_inside(path):
    """A PNG file whose ends are whole and whose middle is not."""
    trees.save(path, 7, 300, 300)
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 64] = bytes(64)
    path.write_bytes(content)


@pytest.mark.slow
def test_a_picture_that_is_broken_inside_stops_the_work_and_what_is_written_stays(
    val, target, tmp_path
):
    path = val / WNIDS[3] / "zebra.png"
    good = trees.save(path, 7, 300, 300).read_bytes()
    write(val, tmp_path / "whole", **QUICK)
    spoiled_inside(path)
    assert path.stat().st_size == len(good)
    words = ("--corruptions", "contrast", "shot_noise", "--severities", "1", "4", "--batch", "1")
    process = run(val, target, *words)
    _, complaint = process.communicate(timeout=120)
    assert process.returncode == 1
    assert f"robust: Could not read the image {path}" in complaint
    assert "Traceback" not in complaint
    files = pictures(target)
    assert files
    path.write_bytes(good)
    written = write(val, target, **QUICK)
    assert written.kept == len(files)
    assert tiny.files(target) == tiny.files(tmp_path / "whole")


def test_a_worker_that_cannot_write_says_so(many, target):
    """The system's limit on the size of files stands for a full disk."""

    def no_large_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))

    process = run(many, target, "--corruptions", "shot_noise", first=no_large_files)
    _, complaint = process.communicate(timeout=120)
    assert process.returncode == 1
    last = complaint.rpartition("robust: ")[2]
    assert "A file could not be read or written: [Errno 27] File too large" in last
    assert "earlier results are intact" in last
    assert "Traceback" not in complaint
    assert [path.name for path in target.rglob(".*")] == []
