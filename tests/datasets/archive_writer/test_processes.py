"""Work shared out: every answer comes, errors arrive, and nobody works on when nobody waits."""

import errno
import os
import signal
import time
from functools import partial
from pathlib import Path

import cv2
import pytest
import torch

from robust_lib.datasets.archive_writer.processes import processes
from robust_lib.errors import DataError, InputError, RunError


def double(number, stopped):
    return 2 * number


def threads(stopped):
    return os.getpid(), torch.get_num_threads(), cv2.getNumThreads()


def refuse(stopped):
    raise DataError("The picture is broken.")


def no_space(stopped):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "the file")


def mistake(stopped):
    raise ZeroDivisionError("a mistake")


def die(stopped):
    os.kill(os.getpid(), signal.SIGKILL)


def until_stopped(begun, ended, stopped):
    begun.touch()
    while not stopped():
        time.sleep(0.01)
    ended.touch()


@pytest.fixture(scope="module", autouse=True)
def importable():
    """Let the processes find this file, whose functions they are sent by name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(Path(__file__).parents[3])
        yield


@pytest.fixture(scope="module")
def two(importable):
    """Two processes for all tests that leave them in order."""
    with processes(2) as each:
        yield each


def test_all_answers_come(two):
    assert sorted(two(partial(double, number) for number in range(7))) == list(range(0, 14, 2))
    assert list(two([])) == []
    assert list(two([partial(double, 4)])) == [8]


def test_each_process_has_one_thread(two):
    answers = list(two([threads] * 8))
    assert {answer[1:] for answer in answers} == {(1, 1)}
    assert os.getpid() not in {answer[0] for answer in answers}


def test_with_one_worker_this_process_does_the_work_and_is_as_before():
    before = torch.get_num_threads(), cv2.getNumThreads()
    torch.set_num_threads(2)
    cv2.setNumThreads(2)
    try:
        with processes(1) as each:
            assert list(each([threads])) == [(os.getpid(), 1, 1)]
        assert (torch.get_num_threads(), cv2.getNumThreads()) == (2, 2)
    finally:
        torch.set_num_threads(before[0])
        cv2.setNumThreads(before[1])


@pytest.mark.parametrize(
    ("task", "kind", "told"),
    [
        (refuse, DataError, "The picture is broken."),
        (no_space, OSError, "No space left on device: 'the file'"),
    ],
)
def test_errors_arrive_as_they_are(two, task, kind, told):
    with pytest.raises(kind, match=told):
        list(two([task]))


def test_a_mistake_says_where_it_was_made(two):
    with pytest.raises(ZeroDivisionError) as caught:
        list(two([mistake]))
    assert "in mistake" in "".join(caught.value.__notes__)


def test_a_process_that_ends_is_told():
    with pytest.raises(RunError, match="fewer workers"), processes(2) as each:
        list(each([die, partial(double, 1)]))


def test_the_others_stop_when_one_fails(tmp_path):
    begun, ended = tmp_path / "begun", tmp_path / "ended"
    with pytest.raises(DataError), processes(2) as each:
        list(each([partial(until_stopped, begun, ended), partial(wait_and_refuse, begun)]))
    assert ended.exists()


def wait_and_refuse(begun: Path, stopped):
    while not begun.exists():
        time.sleep(0.01)
    refuse(stopped)


@pytest.mark.parametrize("workers", [0, -1])
def test_no_worker_is_refused(workers):
    with pytest.raises(InputError, match=f"at least one worker process, but got {workers}"):
        processes(workers).__enter__()
