"""A run's networks on both copies of ImageNet-C: the published archive, and one made here."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from robust_lib.datasets.imagenet_c import SIDE
from robust_lib.errors import InputError
from robust_lib.predict.classify import choose
from robust_lib.preprocessing import Preprocessing
from robust_lib.protocols.grid import CorruptedSet, Grid
from robust_lib.run.corrupted_sets import corrupted
from robust_lib.run.run import Run
from robust_lib.vocabulary import COMMON, EXTRA

LOOKED_AT = 64
"""Images of a cell whose pixels are compared."""

STORED = Preprocessing(None, SIDE)
MADE_HERE = {"corrupted": "generated", "geometry": "archive"}


@dataclass(frozen=True)
class Copies:
    """Predictions on both copies, and the differences of their pixels.

    Attributes:
        levels: (corruption, severity) -> mean absolute difference of pixels, in levels out of 255.
    """

    archive: Grid
    generated: Grid
    levels: Mapping[tuple[str, int], float]


def copies(run: Run) -> Copies:
    """Return a run's predictions on both copies, computed now or read from the store.

    Raises:
        InputError: the profile has no archive, or a corruption that is in no archive.
        DataError: the archive or the validation images are missing or incomplete.
    """
    if run.profile.corrupted != "archive":
        raise InputError(
            f"Expected a profile whose corrupted images are the archive's, but those of "
            f"{run.profile.name} are {run.profile.corrupted}: there is nothing to compare them "
            "with. Use --profile full."
        )
    foreign = [name for name in run.corruptions if name not in COMMON + EXTRA]
    if foreign:
        raise InputError(
            f"Expected corruptions that the archive has, but it lacks {', '.join(foreign)}."
        )
    here = replace(run, profile=run.profile.model_copy(update=MADE_HERE))
    # The archive first: whether it is complete is known at once.
    archive = run.grid()
    both = [corrupted(one.profile, run.images, {}, run.corruptions) for one in (run, here)]
    levels = {
        (corruption, severity): difference(both[0], both[1], corruption, severity)
        for corruption in run.corruptions
        for severity in run.profile.severities
    }
    return Copies(archive, here.grid(clean=False), levels)


def difference(one: CorruptedSet, other: CorruptedSet, corruption: str, severity: int) -> float:
    """Return the mean absolute difference, in levels out of 255, between some images of two copies.

    Both copies are already resized and cropped.
    """
    cells = [each.cell(corruption, severity) for each in (one, other)]
    made_here = set(cells[1].ids)  # a run that is limited makes no more than it shows
    shared = [picture for picture in cells[0].ids if picture in made_here]
    apart = []
    for place in choose(shared, LOOKED_AT):
        places = [each.ids.index(shared[place]) for each in cells]
        stored, made = (each.read(at, STORED) for each, at in zip(cells, places, strict=True))
        apart.append(np.abs(stored.astype(np.int16) - made).mean())
    return float(np.mean(apart))
