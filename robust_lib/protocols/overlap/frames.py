"""Overlaps as frames for figures and tables: missing where not judged, with the reasons."""

import numpy as np
import pandas as pd

from robust_lib.metrics.overlap_summary import mean_overlap, over_seeds
from robust_lib.protocols.overlap.scores import ArchitectureOverlaps
from robust_lib.vocabulary import COMMON


def matrix(one: ArchitectureOverlaps) -> pd.DataFrame:
    """Return the overlaps, means over seeds; missing (NaN) where they are not judged.

    >>> matrix(toys.judged("fog", "snow")["resnet18"]).round(2).to_numpy().tolist()
    [[1.0, 0.1], [0.1, 1.0]]
    """
    shown = one.judged.pairs | np.diag(one.judged.corruptions)
    names = list(one.table.corruptions)
    return pd.DataFrame(np.where(shown, over_seeds(one.scores).mean, np.nan), names, names)


def reasons(one: ArchitectureOverlaps) -> pd.DataFrame:
    """Return why each pair has no overlap that can be judged; empty where it has.

    >>> reasons(toys.judged("fog", "snow")["resnet18"]).to_numpy().tolist()
    [['', ''], ['', '']]
    """
    names = list(one.table.corruptions)
    places = range(len(names))
    found = [[one.judged.why_not(row, column) or "" for column in places] for row in places]
    return pd.DataFrame(found, names, names)


def means(one: ArchitectureOverlaps) -> pd.Series:
    """Return each common corruption's mean overlap over its judged pairs; missing for other ones.

    >>> means(toys.judged("fog", "snow")["resnet18"]).round(2).to_dict()
    {'fog': 0.1, 'snow': 0.1}
    """
    places = one.places(COMMON)
    pairs = among(one.judged.pairs, places)
    found = mean_overlap(one.scores, diagonal=one.convention.diagonal, pairs=pairs).mean(0)
    return pd.Series(found, index=list(one.table.corruptions))


def among(pairs: np.ndarray, places: list[int]) -> np.ndarray:
    """Return which pairs are of corruptions at some places.

    >>> among(np.ones((3, 3), bool), [0, 2]).astype(int).tolist()
    [[1, 0, 1], [0, 0, 0], [1, 0, 1]]
    """
    inside = np.isin(np.arange(len(pairs)), places)
    return np.asarray(pairs & np.outer(inside, inside))


def complete(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a matrix without the fewest corruptions, so that every pair left has a score.

    The corruption with the most gaps goes first; of several the last one.

    >>> scores = np.array([[1, 0.5, np.nan], [0.5, 1, 0.2], [np.nan, 0.2, 1]])
    >>> list(complete(pd.DataFrame(scores, list("abc"), list("abc"))).index)
    ['a', 'b']
    """
    kept = frame
    while (gaps := kept.isna().sum()).any():
        worst = gaps[gaps == gaps.max()].index[-1]
        kept = kept.drop(index=worst, columns=worst)
    return kept
