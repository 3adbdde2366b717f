"""Answers to the exercises on the auxiliary studies of ImageNet-C."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import torch

from robust_book.course.answers import Exercise, Plain, Value, number, tried
from robust_lib.metrics.intervals import clustered_rates, percentiles
from robust_lib.results.table import Results
from robust_lib.style_transfer.adain import adain

HELD_OUT, PICTURES = np.array([40.0, 50.0, 60.0, 70.0]), np.array([2000, 4000, 6000, 8000])


def rise(rows: Results, side: str = "_seen") -> float | None:
    """Return the rise of the error from the smallest to the largest number of held-out subtypes."""
    errors = [
        row
        for row in rows.select(item="inc-cifar100", metric="error").rows
        if row.severity is not None and row.dataset.endswith(side)
    ]
    first = [row for row in errors if row.model == errors[0].model]
    ordered = sorted(first, key=lambda row: row.severity or 0)
    return ordered[-1].value - ordered[0].value if len(ordered) > 1 else None


def nested(value: Any) -> str | None:
    """Return the fault of a pair: one held-out subtype, and two of the same class."""
    one, two = (set(part) for part in value)
    if (len(one), len(two)) == (2, 1):
        return "the two are swapped."
    if (len(one), len(two)) != (1, 2):
        return (
            "one icon should be held out, then two: are all icons of one class, and is the class "
            "`test`?"
        )
    return None if one < two else "the second should have the first one's icon and one more."


@lru_cache
def widths() -> tuple[float, float]:
    """Return the widths of the intervals over images and over drawings."""
    drawings = np.repeat(np.arange(40), 40)
    right = drawings < 30
    ends = [
        percentiles(clustered_rates(right, groups, name))
        for groups, name in ((np.arange(len(right)), "pictures"), (drawings, "drawings"))
    ]
    return ends[0][1] - ends[0][0], ends[1][1] - ends[1][0]


def styled(place: int, alpha: float = 0.5) -> float:
    """Return a value of the channel that took over so much of the style."""
    content = torch.tensor([[[[0.0, 2.0]]]])
    return float(adain(content, torch.tensor([[[[10.0, 14.0, 18.0]]]]), alpha).flatten()[place])


def _channel(place: int) -> Mapping[str, Value | Plain]:
    return {
        "all of the style was used: half of the original should remain.": (
            lambda rows: styled(place, 1.0)
        ),
        "only the mean was changed, not the standard deviation.": (
            0.5 * ((0.0, 2.0)[place] + 13) + 0.5 * (0.0, 2.0)[place]
        ),
        "the variance is a sum divided by n: here it was divided by n - 1.": (
            0.5 * (14 + (-1.0, 1.0)[place] * float(np.std([10, 14, 18]))) + 0.5 * (0.0, 2.0)[place]
        ),
    }


_STEPS = (
    "Subtract the mean and divide by the standard deviation; then multiply by the style's "
    "standard deviation and add its mean."
)

EXERCISES: Mapping[str, Mapping[int, Exercise]] = {
    "inc_5_auxiliary": {
        1: Exercise(
            (
                number(
                    "explained",
                    "a fraction, read from the figure to two digits",
                    rise,
                    "Use the line of the seen subtypes: its right end minus its left end.",
                    {
                        "this is the rise of the line of the held-out subtypes.": (
                            lambda rows: rise(rows, "_unseen")
                        ),
                        "this is the difference between the rises of the two lines.": (
                            lambda rows: (rise(rows, "_unseen") or 0) - (rise(rows) or 0)
                        ),
                    },
                    tolerance=0.08,
                ),
            ),
            of_run=True,
        ),
        2: Exercise(
            (
                number(
                    "over_settings",
                    "percent",
                    HELD_OUT.mean(),
                    "Each setting counts as much as the others.",
                    {
                        "it is the mean over all predictions.": np.average(
                            HELD_OUT, weights=PICTURES
                        ),
                        "it is their sum.": HELD_OUT.sum(),
                    },
                ),
                number(
                    "over_answers",
                    "percent",
                    np.average(HELD_OUT, weights=PICTURES),
                    "Divide all wrong predictions by all predictions.",
                    {"it is the mean over settings.": HELD_OUT.mean()},
                ),
            )
        ),
        3: Exercise(
            (
                tried(
                    "held_out_names",
                    "a pair: the subtypes held out with one per class, and with two",
                    lambda rows: True,
                    nested,
                ),
            )
        ),
        4: Exercise(
            (
                number(
                    "over_pictures",
                    "a fraction, the width of the interval",
                    lambda rows: widths()[0],
                    "Resample all images, each on its own.",
                    {
                        "it is the width over drawings.": lambda rows: widths()[1],
                        "it is half of the width.": lambda rows: widths()[0] / 2,
                    },
                    tolerance=0.15,
                ),
                number(
                    "over_drawings",
                    "a fraction, the width of the interval",
                    lambda rows: widths()[1],
                    "Resample drawings, each with all of its images.",
                    {
                        "it is the width over images.": lambda rows: widths()[0],
                        "it is half of the width.": lambda rows: widths()[1] / 2,
                    },
                    tolerance=0.15,
                ),
            )
        ),
        5: Exercise(
            (
                number(
                    "first",
                    "the channel's first value",
                    lambda rows: styled(0),
                    _STEPS,
                    _channel(0),
                ),
                number(
                    "second",
                    "the channel's second value",
                    lambda rows: styled(1),
                    _STEPS,
                    _channel(1),
                ),
            )
        ),
    },
}
