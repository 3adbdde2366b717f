"""Work shared out to single-threaded processes, which stop when their parent is gone.

A process and its parent share a pipe of their own. The parent sends a task when the last answer has
come, so whatever the process hears of in the middle of a task is the pipe's end: the parent was
interrupted, failed or was killed, and the work stops at the next whole file.
"""

import multiprocessing
import signal
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from multiprocessing.connection import Connection, wait
from typing import Any

import numpy as np
import torch

from robust_lib.errors import InputError, RobustLibError, RunError

Stopped = Callable[[], bool]
Task = Callable[[Stopped], Any]
"""A function, by name, with its arguments: it is sent to another process."""

KEPT = 31 << 20  # bytes; glibc learns from freed blocks of up to 32 MiB

Each = Callable[[Iterable[Task]], Iterator[Any]]


@contextmanager
def processes(workers: int) -> Iterator[Each]:
    """Give a function that runs tasks side by side and yields the results as they come.

    Args:
        workers: number of processes; with one, this process does the work itself.

    Raises:
        InputError: fewer than one worker.
        RunError: a process ended in the middle of its work.
        Exception: what a task raised.

    >>> with processes(1) as each:
    ...     list(each([lambda stopped: 1, lambda stopped: 2]))
    [1, 2]
    """
    if workers < 1:
        raise InputError(f"Expected at least one worker process, but got {workers}.")
    if workers == 1:
        with _one_thread():
            yield lambda tasks: (task(_never) for task in tasks)
        return
    context = multiprocessing.get_context("spawn")
    pipes: list[Connection] = []
    started = []
    try:
        for _ in range(workers):
            ours, theirs = context.Pipe()
            pipes.append(ours)
            process = context.Process(target=_serve, args=(theirs,), daemon=True)
            process.start()
            started.append(process)
            theirs.close()
        yield lambda tasks: _shared_out(tasks, pipes)
    finally:
        for pipe in pipes:
            pipe.close()
        for process in started:
            process.join()


def _shared_out(tasks: Iterable[Task], pipes: Sequence[Connection]) -> Iterator[Any]:
    waiting = iter(tasks)
    busy = set()
    for pipe, task in zip(pipes, islice(waiting, len(pipes)), strict=False):
        _send(pipe, task)
        busy.add(pipe)
    while busy:
        ready = wait(list(busy))
        for pipe in [pipe for pipe in pipes if pipe in ready]:
            answer = _received(pipe)
            busy.remove(pipe)
            for task in islice(waiting, 1):
                _send(pipe, task)
                busy.add(pipe)
            yield answer


def _send(pipe: Connection, task: Task) -> None:
    with suppress(BrokenPipeError):  # the process has ended: receiving from it says so
        pipe.send(task)


def _received(pipe: Connection) -> Any:
    try:
        answer = pipe.recv()
    except (EOFError, ConnectionResetError):
        raise RunError(
            "A worker process ended in the middle of its work; what it says itself stands above. "
            "If it says nothing, the system has ended it, mostly for want of memory: run again "
            "with fewer workers, and it goes on from what is stored. A script that asks for "
            'several workers must start under `if __name__ == "__main__":`.'
        ) from None
    if isinstance(answer, Exception):
        raise answer
    return answer


def _serve(pipe: Connection) -> None:
    """Do tasks until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's affair
    with _one_thread(), suppress(EOFError, OSError):
        while True:
            pipe.send(_answer(pipe.recv(), pipe.poll))


def _answer(task: Task, stopped: Stopped) -> Any:
    try:
        return task(stopped)
    except RobustLibError as error:
        return error
    except Exception as error:
        error.add_note(f"In a worker process:\n{traceback.format_exc()}")
        return error


def _never() -> bool:
    return False


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let torch and OpenCV work in this thread alone, and with as many as before afterwards."""
    import cv2

    before = torch.get_num_threads(), cv2.getNumThreads()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    # A young process hands freed memory back to the system and gets it anew, page by page, at each
    # step of a corruption: a quarter of the time. Once a large block was freed, it keeps some.
    np.empty(KEPT, np.uint8)
    try:
        yield
    finally:
        torch.set_num_threads(before[0])
        cv2.setNumThreads(before[1])
