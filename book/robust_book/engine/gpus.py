"""The GPUs of this machine, one for each job: the available and the free ones."""

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
    """Return the CUDA names of the first GPUs that are visible to this process.

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
    """Make one GPU that no other job uses visible to this process, within the block.

    A killed job also releases its GPU: the lock ends with its process.

    Args:
        shared: CUDA names of the GPUs that the jobs share.
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
