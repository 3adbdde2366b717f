"""Devices for torch: their names, availability on this machine, and memory."""

import ctypes
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeVar

import torch

from robust_lib.errors import InputError, ModelError, RobustLibError

T = TypeVar("T")

_MMAP_MAX, _TRIM_THRESHOLD = -4, -1  # of glibc's malloc.h


def is_there(name: str) -> bool:
    """Return whether torch finds a device with this name on the machine.

    Raises:
        InputError: the name is not that of a device.

    >>> is_there("cpu"), is_there("cuda:99")
    (True, False)
    """
    try:
        device = torch.device(name)
    except RuntimeError:
        raise InputError(
            f"Expected a device such as cpu, cuda or cuda:1, but got {name}."
        ) from None
    return device.type != "cuda" or (device.index or 0) < torch.cuda.device_count()


def require(name: str) -> None:
    """Raise InputError unless torch finds a device with this name."""
    if not is_there(name):
        raise InputError(
            f"Expected a GPU for the device {name}, but torch finds {torch.cuda.device_count()}. "
            "Use the device cpu, or install a build of torch that this machine's driver supports: "
            "make env TORCH=auto."
        )


def settle() -> None:
    """Make this process compute with one thread and keep freed memory for reuse.

    Several threads become very slow on busy cores; parallel processes do not. glibc returns large
    blocks to the system as soon as they are freed, and gets them again page by page: with
    photographs, this takes half of a small network's time. Without glibc, the handling of memory is
    unchanged.
    """
    import cv2

    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
        if mallopt is not None:
            mallopt(_MMAP_MAX, 0)
            mallopt(_TRIM_THRESHOLD, -1)


def convolving(*, tf32: bool) -> AbstractContextManager[None]:
    """Return a context that enables or disables TF32 in a GPU's convolutions.

    PyTorch enables it by default: on an H200 a ResNet-50 is then 2.9 times as fast, and its outputs
    differ from a processor's by hundreds of times more (`book/benchmarks.md`).

    >>> with convolving(tf32=False):
    ...     torch.backends.cudnn.allow_tf32
    False
    """
    return torch.backends.cudnn.flags(enabled=True, allow_tf32=tf32)


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute with one thread, so that sums are rounded identically in any process.

    >>> with one_thread():
    ...     torch.get_num_threads()
    1
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def on_host(work: Callable[[Any], T], items: Iterable[Any], device: str | torch.device) -> list[T]:
    """Return a function's results on some items, computed on the processor, in order.

    If the device is a processor, the items are computed one after another: a process has one
    thread. If it is a GPU, which waits for the results, as many threads are used as the machine has
    cores.

    Args:
        work: function that releases Python's lock while it computes, such as OpenCV's.

    >>> on_host(abs, [-1, 2, -3], "cuda")
    [1, 2, 3]
    """
    if torch.device(device).type == "cpu":
        return [work(item) for item in items]
    with ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="host") as pool:
        return list(pool.map(work, items))


def in_parts(
    work: Callable[[Any], T],
    batch: Any,
    fits: dict[str, int],
    name: str,
    error: type[RobustLibError] = ModelError,
) -> list[T]:
    """Return the result of a function on a batch, in parts if it does not fit into memory.

    Args:
        fits: name -> number of items known to fit into memory; it is updated, so that the next
            batch begins with this number.

    Raises:
        RobustLibError: of the given kind: a single item does not fit into memory.

    >>> in_parts(len, "abcde", {"reader": 2}, "reader")
    [2, 2, 1]
    """
    size = max(1, min(fits.get(name, len(batch)), len(batch)))
    try:
        # Nothing at all is one part, too.
        return [work(batch[at : at + size]) for at in range(0, max(1, len(batch)), size)]
    except torch.OutOfMemoryError:
        if size == 1:
            raise error(
                f"Expected memory for one image of {name}, but there is not enough. Free memory on "
                "the device, or use the device cpu."
            ) from None
        fits[name] = -(-size // 2)
    # Not above: there, the traceback still holds what the work had made.
    torch.cuda.empty_cache()
    return in_parts(work, batch, fits, name, error)
