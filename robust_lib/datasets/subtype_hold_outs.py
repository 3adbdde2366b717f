"""Hold-outs of subtypes that are drawn: one or some of every class, or a share of each one's icons.

Every draw is keyed by what it is about, so that training and test pictures come to the same.
"""

from collections.abc import Sequence

import numpy as np

from robust_lib import seeds
from robust_lib.datasets.hold_out import HoldOut, groups, hold_out
from robust_lib.datasets.icons50 import Icon
from robust_lib.errors import InputError


def one_a_class(icons: Sequence[Icon], *, seed: int = 0) -> HoldOut:
    """Return the hold-out of one subtype a class, drawn; skin tones of a subtype stay together.

    A class with one subtype only keeps it.
    """
    held = np.zeros(len(icons), bool)
    for members in groups(icons, lambda icon: icon.label):
        motifs = sorted({icons[member].motif for member in members})
        if len(motifs) > 1:
            rng = seeds.generator(seed, icons[members[0]].label, "subtype")
            drawn = motifs[int(rng.integers(len(motifs)))]
            held[[member for member in members if icons[member].motif == drawn]] = True
    return hold_out("one subtype a class", held)


def some_a_class(icons: Sequence[Icon], number: int, *, seed: int = 0) -> HoldOut:
    """Return the hold-out of some subtypes of every class [inc, app. E].

    Subtypes stand in an order that is keyed by class and subtype alone, and the first are held out.
    So training and test pictures lose the same ones, and three of them are two and one more.

    Raises:
        InputError: a class that has no more subtypes than these, or none to hold out.

    >>> icons = [Icon(f"hat/a_0_{name}.png", 0, "a", "0", name) for name in ("cap", "crown", "top")]
    >>> [some_a_class(icons, number).test.tolist() for number in (1, 2)]
    [[2], [0, 2]]
    """
    held = np.zeros(len(icons), bool)
    for members in groups(icons, lambda icon: icon.label):
        motifs = {icons[member].motif for member in members}
        if not 0 < number < len(motifs):
            folder = icons[members[0]].path.split("/")[0]
            raise InputError(
                f"Expected a number of subtypes from 1 to {len(motifs) - 1} to hold out of each "
                f"class, for {folder} has {len(motifs)}, but got {number}."
            )
        label = icons[members[0]].label
        ordered = sorted(motifs, key=lambda motif: seeds.key(seed, label, motif, "held out"))
        drawn = set(ordered[:number])
        held[[member for member in members if icons[member].motif in drawn]] = True
    return hold_out(f"{number} subtypes a class", held)


def of_each_subtype(icons: Sequence[Icon], share: float, *, seed: int = 0) -> HoldOut:
    """Return the hold-out of a share of every subtype's icons, one at least, drawn by (seed, path).

    So each side knows all subtypes, as the training and test pictures of CIFAR-100 do. A subtype of
    a single icon keeps it.

    >>> icons = [Icon(f"hat/{vendor}_0_{name}.png", 0, vendor, "0", name)
    ...          for name in ("cap", "top") for vendor in "abc"]
    >>> held = of_each_subtype(icons, 0.3)
    >>> [icons[place].subtype for place in held.test]
    ['cap', 'top']
    """
    held = np.zeros(len(icons), bool)
    for members in groups(icons, lambda icon: (icon.label, icon.motif)):
        drawn = sorted(members, key=lambda member: seeds.key(seed, icons[member].path, "split"))
        held[drawn[: min(max(1, round(share * len(drawn))), len(drawn) - 1)]] = True
    return hold_out(f"{share:.0%} of each subtype", held)
