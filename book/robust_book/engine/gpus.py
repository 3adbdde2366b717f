"""The GPUs of this machine, one for each job: which there are, and which is free."""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from robust_lib.errors import InputError

SHARED = "ROBUST_GPUS"
"""Names of the GPUs that the jobs of one book share, separated by commas."""
VISIBLE = "CUDA_VISIBLE_DEVICES"


def names(number: int) -> tuple[str, ...]:
    """Return what CUDA calls the first so many of the GPUs that this process may see.

    Raises:
        InputError: there are fewer.
    """
    import torch

    there = torch.cuda.device_count()
    if number > there:
        raise InputError(
            f"Expected {number} GPUs, but torch finds {there}. Set --gpus to at most that number, "
            "or check whether CUDA_VISIBLE_DEVICES hides some."
        )
    given = os.environ.get(VISIBLE)
    return tuple(given.split(",") if given else map(str, range(there)))[:number]


@contextmanager
def one(shared: Sequence[str], folder: Path) -> Iterator[str]:
    """Let this process see one GPU that no other job has, until the block is left.

    A job that is killed leaves its GPU as well: the lock dies with its process.

    Args:
        shared: what CUDA calls the GPUs that the jobs share.
    """
    folder.mkdir(parents=True, exist_ok=True)
    before = os.environ.get(VISIBLE)
    while True:
        for name in shared:
            lock = FileLock(folder / f"{name.replace('/', '-')}.lock", timeout=0)
            try:
                lock.acquire()
            except Timeout:
                continue
            try:
                os.environ[VISIBLE] = name
                yield name
            finally:
                os.environ.pop(VISIBLE)
                os.environ.update({} if before is None else {VISIBLE: before})
                lock.release()
            return
        time.sleep(0.1)
