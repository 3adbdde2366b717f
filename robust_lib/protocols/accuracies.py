"""Accuracy of the runs of one network, as columns of a row."""

from collections.abc import Sequence

import numpy as np

from robust_lib.metrics.intervals import clopper_pearson
from robust_lib.predict.predictions import Predictions


def accuracy(runs: Sequence[Predictions]) -> dict[str, float | int]:
    """Return accuracy with its interval and the number of images, as columns of a row.

    With one seed the interval is exact (Clopper-Pearson, 95 %) and over images; with several it
    goes from the smallest to the largest seed.

    Args:
        runs: what a network said of the same images, one a seed.
    """
    each = [float(run.correct.mean()) for run in runs]
    images = len(runs[0].ids)
    low, high = min(each), max(each)
    if len(runs) == 1:
        low, high = clopper_pearson(int(runs[0].correct.sum()), images)
    return around(float(np.mean(each)), (low, high)) | {"n": images, "n_full": images}


def around(value: float, ends: tuple[float, float]) -> dict[str, float | int]:
    """Return value, low and high as columns; the mean of equal seeds may miss them by a rounding.

    >>> around(0.5, (0.5, 0.6))
    {'value': 0.5, 'low': 0.5, 'high': 0.6}
    """
    return {"value": value, "low": min(ends[0], value), "high": max(ends[1], value)}
