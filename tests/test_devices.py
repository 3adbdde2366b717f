"""Devices: a name, and whether torch sees it."""

import pytest

from robust_lib import devices
from robust_lib.errors import InputError


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
    with pytest.raises(InputError, match=r"device cuda:2, but torch sees 2\. Run with"):
        devices.require("cuda:2")


@pytest.mark.parametrize("name", ["gpu", "cuda:x", ""])
def test_what_names_no_device(name):
    with pytest.raises(InputError, match="Expected a device such as cpu, cuda or cuda:1, but got"):
        devices.is_there(name)
