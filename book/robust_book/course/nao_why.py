"""What the exercises on blind spots and on what detectors go by ask for."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from robust_book.course.answers import Exercise, Value, choice, fixed, number, tried
from robust_lib.explain.patch_swaps import swapped
from robust_lib.results.table import Results

AROUND, NEAREST = 5, 50
MOVED = 30


def log_ratio(training: float, pool: float, *, half: float = 0.5) -> float:
    """Return the logarithm of the density ratio, of samples of some size.

    >>> round(log_ratio(1.0, 1.0), 2)
    -2.11
    """
    return float(np.log((AROUND + half) / training) - np.log((NEAREST - AROUND + half) / pool))


def spots(value: Any) -> str | None:
    """Return what is wrong with two masks of rare pictures: of one distribution, and moved."""
    before, after = (np.asarray(one) for one in value)
    if before.dtype != bool or after.dtype != bool:
        return "expected are two masks of True and False, as `is_rare` returns them."
    if before.mean() > 0.05:
        return "there are blind spots in one distribution: were both samples drawn alike?"
    if after.sum() < MOVED:
        return "not all that were moved are found: is it the pool's pictures, and far enough?"
    if after.mean() > 0.5:
        return "most pictures are rare: is the mask the wrong way round?"
    return None


def classes(rows: Results) -> dict[str, float]:
    """Return how far backgrounds change the probability of a class, on ordinary pictures.

    Classes are those of the figure of backgrounds; places and other changes are none.
    """
    found = rows.select(item="nao-fig6", metric="probability_change").rows
    if not found:
        return {}
    ordinary = found[0].dataset
    named = [row for row in found if row.dataset.startswith(f"{ordinary}/")]
    by_class = {row.dataset.removeprefix(f"{ordinary}/"): row.value for row in named}
    return {k: v for k, v in by_class.items() if "/" not in k and k not in ("noise", "shuffle")}


def most_changed(rows: Results) -> str | None:
    """Return the class for which backgrounds matter most."""
    found = classes(rows)
    return max(found, key=lambda name: found[name]) if len(found) > 1 else None


def least_changed(rows: Results) -> str:
    """Return the class for which they matter least."""
    found = classes(rows)
    return min(found, key=lambda name: found[name])


@lru_cache
def share_moved(patch: float, *, by_area: bool = False) -> float:
    """Return what part of a crop three swaps of patches move, on average."""
    if by_area:
        return 6 * patch**2
    crop = (np.arange(60 * 60 * 3).reshape(60, 60, 3) % 251).astype(np.uint8)
    generators = (np.random.default_rng(seed) for seed in range(100))
    found = [swapped(crop, rng, swaps=3, patch=patch) for rng in generators]
    return float(np.mean([(one != crop).any(-1).mean() for one in found]))


def _logarithm(training: float) -> dict[str, Value]:
    right = log_ratio(training, 1.0)
    return {
        "the half picture on each side is missing.": fixed(log_ratio, training, 1.0, half=0.0),
        "it is the ratio itself, not its logarithm.": lambda rows: np.exp(right),
        "it is to the base of ten: the logarithm is the natural one.": (
            lambda rows: right / np.log(10)
        ),
        "it is in bits: the logarithm is the natural one.": lambda rows: right / np.log(2),
        "training pictures were divided by all of the nearest.": (
            lambda rows: np.log(AROUND / NEAREST / training)
        ),
    }


_HALF = "Half a picture is added on each side; each side is divided by its sample."
_SIX = "six patches may overlap, and what has moved twice counts once."

EXERCISES: Mapping[str, Mapping[int, Exercise]] = {
    "nao_3_blind_spots": {
        2: Exercise(
            (
                number(
                    "equal",
                    "a natural logarithm",
                    fixed(log_ratio, 1.0, 1.0),
                    _HALF,
                    _logarithm(1.0)
                    | {"that is with more training pictures.": fixed(log_ratio, 2.0, 1.0)},
                ),
                number(
                    "twice",
                    "a natural logarithm",
                    fixed(log_ratio, 2.0, 1.0),
                    _HALF,
                    _logarithm(2.0)
                    | {
                        "that is with two samples of one size.": fixed(log_ratio, 1.0, 1.0),
                        "each picture of a larger sample counts for less, not for more.": (
                            fixed(log_ratio, 0.5, 1.0)
                        ),
                    },
                ),
            )
        ),
        3: Exercise(
            (
                tried(
                    "rare_pictures",
                    "two masks: of samples of one distribution, and with thirty moved aside",
                    lambda rows: True,
                    spots,
                ),
            )
        ),
    },
    "nao_4_attribution": {
        1: Exercise(
            (
                choice(
                    "most_changed",
                    "the name of a class, on ordinary pictures",
                    most_changed,
                    "The dot farthest to the right.",
                    {"for that one they matter least.": (least_changed)},
                    among=lambda rows: list(classes(rows)),
                ),
            ),
            of_run=True,
        ),
        2: Exercise(
            (
                number(
                    "in_left_half",
                    "a fraction",
                    lambda rows: 1.0,
                    "Black pixels change nothing, so they get nothing.",
                    {"that is the half's share of the area.": lambda rows: 0.5},
                ),
                number(
                    "moved_box",
                    "a fraction, on average",
                    lambda rows: 0.5,
                    "The box slides from the one side to the other.",
                    {
                        "that is the box on the left half itself.": lambda rows: 1.0,
                        "it does not jump: all places between are as likely.": lambda rows: 0.0,
                    },
                    tolerance=0.06,
                ),
            )
        ),
        3: Exercise(
            tuple(
                number(
                    name,
                    "a fraction of the box",
                    fixed(share_moved, patch),
                    "Average over many swaps which pixels differ.",
                    mistakes,
                    tolerance=0.06,
                )
                # Small patches hardly meet: there the sum of their areas is nearly right.
                for name, patch, mistakes in (
                    ("halves", 0.5, {_SIX: fixed(share_moved, 0.5, by_area=True)}),
                    ("tenths", 0.1, {}),
                )
            )
        ),
    },
}
