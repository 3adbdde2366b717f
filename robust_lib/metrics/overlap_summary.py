"""Summaries of an overlap matrix: by corruption, by group of corruptions, and over seeds.

Corruptions are meant by their places in the matrix. A corruption without scores (NaN) makes
undefined what it enters, so whoever leaves it out has to say so.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from robust_lib.errors import InputError

Scores = Float[np.ndarray, "*many corruptions corruptions"]
ByCorruption = Float[np.ndarray, "*many corruptions"]
Square = Float[np.ndarray, "corruptions corruptions"]


def mean_overlap(
    scores: Scores, *, diagonal: bool, among: Bool[np.ndarray, " corruptions"] | None = None
) -> ByCorruption:
    """Return each corruption's mean overlap with the others.

    Args:
        scores: from `overlap_matrix`.
        diagonal: whether its overlap of 1 with itself counts; the paper does not say.
        among: which corruptions count and get a mean (the others get NaN); all by default. A
            corruption without scores among them leaves no mean defined.

    Raises:
        InputError: fewer than two corruptions.

    >>> scores = np.array([[1.0, 0.2, 0.4], [0.2, 1.0, 0.0], [0.4, 0.0, 1.0]])
    >>> mean_overlap(scores, diagonal=False).round(3).tolist()
    [0.3, 0.1, 0.2]
    """
    _check_square(scores)
    chosen = np.arange(scores.shape[-1]) if among is None else np.flatnonzero(among)
    if len(chosen) < 2 or (among is not None and len(among) != scores.shape[-1]):
        raise InputError(
            f"Expected at least two of {scores.shape[-1]} corruptions, but got {len(chosen)}."
        )
    part = scores[..., chosen[:, None], chosen]
    total = part.sum(-1) - (0 if diagonal else np.diagonal(part, axis1=-2, axis2=-1))
    means = np.full(scores.shape[:-1], np.nan)
    means[..., chosen] = total / (len(chosen) - (0 if diagonal else 1))
    return means


def group_overlap(scores: Scores, members: Sequence[int]) -> Float[np.ndarray, "*many"]:
    """Return the mean overlap of the pairs within a group; NaN if one of them has no score.

    Args:
        scores: from `overlap_matrix`.
        members: places of at least two corruptions.

    >>> scores = np.array([[1.0, 0.2, 0.4], [0.2, 1.0, 0.0], [0.4, 0.0, 1.0]])
    >>> float(group_overlap(scores, [0, 2]))
    0.4
    """
    _check_square(scores)
    places = np.asarray(members, np.int64)
    if len(set(members)) != len(members) or len(members) < 2:
        raise InputError(f"Expected at least two different corruptions, but got {list(members)}.")
    _check_places(scores, members)
    one, other = np.triu_indices(len(places), 1)
    return np.asarray(scores[..., places[one], places[other]].mean(-1))


def largest_overlap(scores: Scores, one: int, others: Sequence[int]) -> Float[np.ndarray, "*many"]:
    """Return a corruption's largest overlap with any of some others; NaN if a pair has no score.

    >>> scores = np.array([[1.0, 0.2, 0.4], [0.2, 1.0, 0.0], [0.4, 0.0, 1.0]])
    >>> float(largest_overlap(scores, 1, [0, 2]))
    0.2
    """
    _check_square(scores)
    if one in others or not others:
        raise InputError(f"Expected others than corruption {one}, but got {list(others)}.")
    _check_places(scores, [one, *others])
    return np.asarray(scores[..., one, np.asarray(others, np.int64)].max(-1))


@dataclass(frozen=True, eq=False)
class MatrixSpread:
    """How the scores of each pair differ from seed to seed; `sd` is None for a single seed."""

    mean: Square
    sd: Square | None
    low: Square
    high: Square
    seeds: int


def over_seeds(scores: Float[np.ndarray, "seeds corruptions corruptions"]) -> MatrixSpread:
    """Return mean, standard deviation (n - 1), least and greatest score of each pair over seeds.

    A pair that has no score for one of the seeds has none here.

    >>> scores = np.ones((2, 2, 2))
    >>> scores[0, 0, 1] = scores[0, 1, 0] = 0.5
    >>> spread = over_seeds(scores)
    >>> float(spread.mean[0, 1]), float(spread.low[0, 1]), float(spread.high[0, 1])
    (0.75, 0.5, 1.0)
    """
    _check_square(scores)
    if len(scores) == 0:
        raise InputError("Expected the scores of at least one seed, but got none.")
    return MatrixSpread(
        scores.mean(0),
        scores.std(0, ddof=1) if len(scores) > 1 else None,
        scores.min(0),
        scores.max(0),
        len(scores),
    )


def _check_square(scores: Scores) -> None:
    if scores.ndim < 2 or scores.shape[-1] != scores.shape[-2]:
        raise InputError(f"Expected a square matrix of scores, but got shape {scores.shape}.")


def _check_places(scores: Scores, places: Sequence[int]) -> None:
    if not all(0 <= place < scores.shape[-1] for place in places):
        raise InputError(
            f"Expected places from 0 to {scores.shape[-1] - 1}, but got {list(places)}."
        )
