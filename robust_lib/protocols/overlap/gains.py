"""Gains: the unnormalised effects of training with a corruption.

Scores are quotients of gains, so a surprising score is explained by its gains.
"""

import numpy as np
import pandas as pd

from robust_lib.protocols.overlap.convention import ends
from robust_lib.protocols.overlap.scores import ArchitectureOverlaps

COLUMNS = ["value", "low", "high"]


def own(one: ArchitectureOverlaps) -> pd.DataFrame:
    """Return each corruption's gain in robustness from training with it, with its interval.

    These are the divisors of the scores.

    >>> own(toys.judged("fog", "snow")["resnet18"]).loc["fog"].round(2).tolist()
    [0.5, 0.5, 0.5]
    """
    table, convention = one.table, one.convention
    gained = convention.overlaps(table.accuracy, table.clean).own_gains
    drawn = None
    if one.resamples is not None:
        drawn = convention.overlaps(*one.resamples).own_gains
    low, high = ends(gained, drawn)
    return _frame(one, gained.mean(0), low, high)


def against(one: ArchitectureOverlaps, corruption: str) -> pd.DataFrame:
    """Return how much training with each corruption gains in accuracy on one corruption.

    Gains have intervals. Accuracies are raw, not divided by clean accuracy.

    Raises:
        ValueError: no network was trained with the corruption.

    >>> found = against(toys.judged("fog", "snow")["resnet18"], "snow")
    >>> found["value"].round(3).to_dict()
    {'fog': 0.045, 'snow': 0.45}
    """
    place = one.table.corruptions.index(corruption)

    def gained(accuracy: np.ndarray) -> np.ndarray:
        return np.asarray(accuracy[:, 1:, place] - accuracy[:, :1, place])

    found = gained(one.table.accuracy)
    low, high = ends(found, None if one.resamples is None else gained(one.resamples[0]))
    return _frame(one, found.mean(0), low, high)


def _frame(
    one: ArchitectureOverlaps, value: np.ndarray, low: np.ndarray, high: np.ndarray
) -> pd.DataFrame:
    columns = dict(zip(COLUMNS, (value, low, high), strict=True))
    return pd.DataFrame(columns, index=list(one.table.corruptions))
