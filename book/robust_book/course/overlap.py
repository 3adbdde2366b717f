"""Answers to the exercises on overlapping corruptions."""

from collections.abc import Mapping
from functools import partial

import numpy as np

from robust_book.course.answers import Exercise, choice, greatest, least, number
from robust_lib.metrics.overlap import overlap_score
from robust_lib.results.table import Results
from robust_lib.vocabulary import COMMON, corruption_heading, corruption_label

SCORES = {"r11": 0.8, "r12": 0.5, "r21": 0.7, "r22": 0.8, "r01": 0.5, "r02": 0.4}
STANDARD, ROBUST = (0.80, 0.60), (0.60, 0.55)


def shares() -> tuple[float, float]:
    """Return the two shares of the exercise, whose mean is the overlap.

    >>> [round(one, 2) for one in shares()]
    [0.25, 0.67]
    """
    own = SCORES["r11"] - SCORES["r01"], SCORES["r22"] - SCORES["r02"]
    others = SCORES["r21"] - SCORES["r01"], SCORES["r12"] - SCORES["r02"]
    return others[1] / own[1], others[0] / own[0]


def crossed() -> float:
    """Return the mean of the gains divided by the same network's gain on its own corruption."""
    own = SCORES["r11"] - SCORES["r01"], SCORES["r22"] - SCORES["r02"]
    others = SCORES["r12"] - SCORES["r02"], SCORES["r21"] - SCORES["r01"]
    return 0.5 * (others[0] / own[0] + others[1] / own[1])


def means(rows: Results) -> dict[str, float]:
    """Return the mean overlap of each corruption, averaged over a run's architectures."""
    values: dict[str, list[float]] = {}
    for row in rows.select(metric="mean_overlap").rows:
        if row.corruption is not None:
            values.setdefault(row.corruption, []).append(row.value)
    return {name: float(np.mean(found)) for name, found in values.items()}


def labels(rows: Results) -> dict[str, str]:
    """Return label of a common corruption in figures and tables -> its name.

    >>> labels(Results())["JPEG"], labels(Results())["Motion"]
    ('jpeg_compression', 'motion_blur')
    """
    return {
        label: name
        for name in COMMON
        for label in (corruption_label(name), corruption_heading(name))
    }


corruptions = partial(choice, shown=labels)
"""An answer that is a corruption, or several: as the library, a figure or a table has it."""


def gain(place: int) -> float:
    """Return the change of a CE: the robust network's minus the standard one's.

    >>> round(gain(0), 2)
    -0.2
    """
    return ROBUST[place] - STANDARD[place]


def _among(rows: Results) -> list[str]:
    return list(means(rows))


_SIGN = "A change is the robust network's CE minus the standard one's; a fall is negative."

EXERCISES: Mapping[str, Mapping[int, Exercise]] = {
    "overlap_1_matrix": {
        1: Exercise(
            (
                corruptions(
                    "fewest",
                    "the corruption with the smallest mean overlap, over this run's architectures",
                    lambda rows: least(means(rows)),
                    "The column of means.",
                    {"that one overlaps most.": lambda rows: greatest(means(rows))},
                    among=_among,
                ),
            ),
            of_run=True,
        ),
        2: Exercise(
            (
                number(
                    "score",
                    "a number, 1 for a corruption with itself",
                    overlap_score(**SCORES),
                    "Divide the other network's gain against a corruption by the gain of the "
                    "corruption's own network.",
                    {
                        "it was divided by the wrong gain: both gains of a share are against one "
                        "corruption.": crossed(),
                        "it is the sum of the two shares, not their mean.": sum(shares()),
                        "it is one of the two shares: take the mean of the two.": shares()[0],
                        "it is one share of two: take the mean of the two.": shares()[1],
                        "the standard network's robustness was not subtracted.": (
                            0.5 * (SCORES["r12"] / SCORES["r22"] + SCORES["r21"] / SCORES["r11"])
                        ),
                        "the gains were averaged before they were divided.": (
                            (SCORES["r12"] - SCORES["r02"] + SCORES["r21"] - SCORES["r01"])
                            / (SCORES["r22"] - SCORES["r02"] + SCORES["r11"] - SCORES["r01"])
                        ),
                    },
                ),
            )
        ),
    },
    "overlap_2_balance_and_cover": {
        1: Exercise(
            (
                corruptions(
                    "first_to_go",
                    "the corruption with the largest mean overlap, over this run's architectures",
                    lambda rows: greatest(means(rows)),
                    "Which one measures what others also measure?",
                    {"this one measures what no other does.": lambda rows: least(means(rows))},
                    among=_among,
                ),
            ),
            of_run=True,
        ),
        2: Exercise(
            (
                number(
                    "first_change",
                    "a fraction with its sign",
                    gain(0),
                    _SIGN,
                    {
                        "it is the change under the second corruption.": gain(1),
                        "it is relative to the standard network's CE: subtract only.": (
                            gain(0) / STANDARD[0]
                        ),
                    },
                ),
                number(
                    "second_change",
                    "a fraction with its sign",
                    gain(1),
                    _SIGN,
                    {
                        "it is the change under the first corruption.": gain(0),
                        "it is relative to the standard network's CE: subtract only.": (
                            gain(1) / STANDARD[1]
                        ),
                    },
                ),
                number(
                    "mean_ce",
                    "a fraction, of the robust network",
                    sum(ROBUST) / 2,
                    "The mean of its two CEs.",
                    {
                        "it is the standard network's.": sum(STANDARD) / 2,
                        "it is the sum of the two.": sum(ROBUST),
                        "it is the mean of the changes.": (gain(0) + gain(1)) / 2,
                    },
                ),
            )
        ),
    },
}
