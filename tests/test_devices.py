"""Devices: a name, and whether torch sees it."""

import ctypes
import sys
import threading

import pytest
import torch

from robust_lib import devices
from robust_lib.errors import InputError, ModelError


@pytest.fixture
def two(monkeypatch):
    """A machine with two GPUs."""
    monkeypatch.setattr("torch.cuda.device_count", lambda: 2)


def test_the_processor_is_always_there():
    assert devices.is_there("cpu")
    devices.require("cpu")


def test_gpus_count_from_zero(two):
    assert [devices.is_there(name) for name in ("cuda", "cuda:1", "cuda:2")] == [True, True, False]
    devices.require("cuda:1")
    with pytest.raises(InputError, match=r"device cuda:2.*finds 2\."):
        devices.require("cuda:2")


@pytest.mark.parametrize("name", ["gpu", "cuda:x", ""])
def test_what_names_no_device(name):
    with pytest.raises(InputError, match=r"device.*cpu.*cuda:1"):
        devices.is_there(name)


@pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None) if sys.platform == "linux" else None, "mallinfo"),
    reason="not glibc's memory",
)
def test_a_settled_process_keeps_the_memory_that_it_frees():
    """Blocks of tensors lie in its own heap, and not in pages that the system takes back."""

    class Info(ctypes.Structure):
        _fields_ = [(f"field{number}", ctypes.c_int) for number in range(10)]

    info = ctypes.CDLL(None).mallinfo
    info.restype = Info
    devices.settle()
    assert torch.get_num_threads() == 1
    before = info().field3  # blocks of the system's pages
    kept = torch.empty(64 << 20, dtype=torch.uint8)
    assert len(kept) == 64 << 20
    assert info().field3 == before


def test_where_there_is_no_glibc_memory_is_left_as_it_is(monkeypatch):
    monkeypatch.setattr("ctypes.CDLL", lambda _: object())
    devices.settle()
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setattr("ctypes.CDLL", lambda _: pytest.fail("asked"))
    devices.settle()


def test_work_for_a_processor_is_done_in_its_one_thread():
    own = threading.get_ident()
    assert devices.on_host(lambda _: threading.get_ident(), range(3), "cpu") == [own] * 3


def test_work_for_a_gpu_that_waits_is_done_by_as_many_threads_as_there_are_cores(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    together = threading.Barrier(3, timeout=20)  # the first passes when three have come

    def meet(number):
        together.wait()
        return number, threading.get_ident()

    for device in ("cuda", torch.device("cuda:1")):
        numbers, threads = zip(*devices.on_host(meet, range(6), device), strict=True)
        assert numbers == (0, 1, 2, 3, 4, 5)
        assert len(set(threads)) == 3


def test_what_goes_wrong_in_a_thread_is_said():
    with pytest.raises(ZeroDivisionError):
        devices.on_host(lambda number: 1 / number, [1, 0], "cuda")


def holding(most, tried):
    def work(batch):
        tried.append(len(batch))
        if len(batch) > most:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return list(batch)

    return work


def test_a_batch_is_halved_until_memory_holds_it_and_the_next_begins_there():
    tried, fits = [], {}
    assert devices.in_parts(holding(3, tried), range(10), fits, "it") == [
        [0, 1, 2],
        [3, 4, 5],
        [6, 7, 8],
        [9],
    ]
    assert tried == [10, 5, 3, 3, 3, 1]
    assert devices.in_parts(holding(3, tried), range(4), fits, "it") == [[0, 1, 2], [3]]
    assert tried[6:] == [3, 1]
    assert devices.in_parts(holding(9, tried), range(4), fits, "other") == [[0, 1, 2, 3]]


def test_nothing_at_all_is_one_part():
    assert devices.in_parts(holding(3, []), [], {}, "it") == [[]]


@pytest.mark.parametrize("kind", [ModelError, InputError])
def test_memory_for_not_even_one_is_said(kind):
    with pytest.raises(kind, match="memory for one image of it, but there is not enough"):
        devices.in_parts(holding(0, []), range(4), {}, "it", kind)
