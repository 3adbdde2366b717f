"""Gains: the effect of training with a corruption, before any is divided by another.

Scores are quotients of gains. Beside a score that surprises stand the gains that it is made of.
"""

import numpy as np
import pandas as pd
from jaxtyping import Float

from robust_lib.protocols.overlap.judged import ends
from robust_lib.protocols.overlap.scores import ArchitectureOverlaps

COLUMNS = ["value", "low", "high"]


def own(one: ArchitectureOverlaps) -> pd.DataFrame:
    """Return each corruption's gain in robustness from training with it, with its interval.

    These are the divisors of the scores.

    >>> from robust_lib.protocols.overlap.accuracies import Accuracies
    >>> accuracy = np.array([[[0.2, 0.2], [0.8, 0.4], [0.4, 0.8]]])
    >>> table = Accuracies(dataset="toys", corruptions=("fog", "snow"), accuracy=accuracy,
    ...     clean=np.full((1, 3), 0.8), n=9, n_full=9, words="memory")
    >>> own(ArchitectureOverlaps.of("resnet18", table)).loc["fog"].tolist()
    [0.75, 0.75, 0.75]
    """
    table, convention = one.table, one.convention
    gained = convention.overlaps(table.accuracy, table.clean).own_gains
    drawn = None
    if one.resamples is not None:
        drawn = convention.overlaps(*one.resamples).own_gains
    low, high = ends(gained, drawn)
    return _frame(one, gained.mean(0), low, high)


def in_errors(one: ArchitectureOverlaps) -> Float[np.ndarray, " corruptions"]:
    """Return each own gain in units of its standard error; NaN without an error.

    The error is over seeds where there are several, else over the resamples of the images.

    >>> from robust_lib.protocols.overlap.accuracies import Accuracies
    >>> accuracy = np.array([[[0.2, 0.2], [0.8, 0.4], [0.4, 0.8]]])
    >>> table = Accuracies(dataset="toys", corruptions=("fog", "snow"), clean=np.full((2, 3), 0.8),
    ...     accuracy=np.concatenate([accuracy, accuracy * 1.1]), n=9, n_full=9, words="memory")
    >>> in_errors(ArchitectureOverlaps.of("resnet18", table)).round().tolist()
    [21.0, 21.0]
    """
    table, convention = one.table, one.convention
    gained = convention.overlaps(table.accuracy, table.clean).own_gains
    if len(gained) > 1:
        error = gained.std(0, ddof=1) / np.sqrt(len(gained))
    elif one.resamples is not None:
        error = convention.overlaps(*one.resamples).own_gains.std(0)
    else:
        error = np.full(gained.shape[1:], np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):  # no resample may differ
        return np.asarray(gained.mean(0) / error)


def against(one: ArchitectureOverlaps, corruption: str) -> pd.DataFrame:
    """Return each training corruption's gain in accuracy on one of them, with intervals.

    Accuracies are raw: nothing is divided.

    Raises:
        ValueError: no network was trained with the corruption.

    >>> from robust_lib.protocols.overlap.accuracies import Accuracies
    >>> accuracy = np.array([[[0.2, 0.2], [0.8, 0.4], [0.4, 0.8]]])
    >>> table = Accuracies(dataset="toys", corruptions=("fog", "snow"), accuracy=accuracy,
    ...     clean=np.full((1, 3), 0.8), n=9, n_full=9, words="memory")
    >>> found = against(ArchitectureOverlaps.of("resnet18", table), "snow")
    >>> found["value"].round(2).to_dict()
    {'fog': 0.2, 'snow': 0.6}
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
