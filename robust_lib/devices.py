"""Devices: what torch computes on, by name, and whether this machine has it."""

import torch

from robust_lib.errors import InputError


def is_there(name: str) -> bool:
    """Return whether torch sees a device of that name.

    Raises:
        InputError: no name of a device.

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
    """Raise InputError unless torch sees a device of that name.

    >>> require("cpu")
    """
    if not is_there(name):
        raise InputError(
            f"Expected a GPU for the device {name}, but torch sees {torch.cuda.device_count()}. "
            "Run with the device cpu, or take a build of torch that this machine's driver knows: "
            "make env TORCH=auto."
        )
