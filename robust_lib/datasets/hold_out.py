"""A hold-out: which icons a network is trained on, and which it meets only at the end."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int64

from robust_lib.datasets.icons50 import Icon
from robust_lib.errors import InputError


@dataclass(frozen=True, eq=False)
class HoldOut:
    """Which icons to train on and which to test on; no icon is on both sides.

    Attributes:
        name: which hold-out, such as "style microsoft".
        train, test: indices of the icons, ascending; together they are all icons.
    """

    name: str
    train: Int64[np.ndarray, " trained"]
    test: Int64[np.ndarray, " tested"]


def hold_out(name: str, held: Bool[np.ndarray, " icons"]) -> HoldOut:
    """Return the hold-out of the icons that a mask holds out.

    Raises:
        InputError: one side is left without icons.

    >>> hold_out("the last", np.array([False, False, True])).train.tolist()
    [0, 1]
    """
    if held.all() or not held.any():
        side = "train" if held.all() else "test"
        raise InputError(f"Expected icons to {side} on for the hold-out {name}, but none are left.")
    return HoldOut(name, np.flatnonzero(~held), np.flatnonzero(held))


def groups(icons: Sequence[Icon], key: Callable[[Icon], Hashable]) -> list[list[int]]:
    """Return the places of icons that belong together, in the order of their paths.

    >>> icons = [Icon(f"hat/a_0_{name}.png", 0, "a", "0", name) for name in ("top", "cap", "cap")]
    >>> groups(icons, lambda icon: icon.subtype)
    [[1, 2], [0]]
    """
    found: dict[Hashable, list[int]] = defaultdict(list)
    for index in sorted(range(len(icons)), key=lambda index: icons[index].path):
        found[key(icons[index])].append(index)
    return list(found.values())
