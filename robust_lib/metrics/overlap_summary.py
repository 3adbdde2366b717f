"""Summaries of an overlap matrix: by corruption, by group of corruptions, and over seeds.

Corruptions are given by their places in the matrix. A mean is over the pairs that count: those that
the caller names, minus those without a score (NaN).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from robust_lib.errors import InputError

Scores = Float[np.ndarray, "*many corruptions corruptions"]
ByCorruption = Float[np.ndarray, "*many corruptions"]
Square = Float[np.ndarray, "corruptions corruptions"]
Pairs = Bool[np.ndarray, "corruptions corruptions"]
Counted = Bool[np.ndarray, "*many corruptions corruptions"]


def mean_overlap(scores: Scores, *, diagonal: bool, pairs: Pairs | None = None) -> ByCorruption:
    """Return each corruption's mean overlap with the others; NaN for one without a pair.

    Args:
        diagonal: whether its overlap of 1 with itself counts; the paper does not say.
        pairs: which pairs count, symmetric; None: all.

    Raises:
        InputError: no square matrix, or pairs of another one.

    >>> scores = np.array([[1.0, 0.2, 0.4], [0.2, 1.0, 0.0], [0.4, 0.0, 1.0]])
    >>> mean_overlap(scores, diagonal=False).round(3).tolist()
    [0.3, 0.1, 0.2]
    """
    counted = _counted(scores, pairs) & ~np.eye(scores.shape[-1], dtype=bool)
    number = counted.sum(-1)
    total = np.where(counted, scores, 0.0).sum(-1)
    return np.asarray(_over(total + diagonal, number + diagonal, number > 0))


def group_overlap(
    scores: Scores, members: Sequence[int], pairs: Pairs | None = None
) -> Float[np.ndarray, "*many"]:
    """Return the mean overlap of the pairs within a group; NaN if none of them counts.

    Args:
        members: places of at least two corruptions.

    >>> scores = np.array([[1.0, 0.2, 0.4], [0.2, 1.0, 0.0], [0.4, 0.0, 1.0]])
    >>> float(group_overlap(scores, [0, 2]))
    0.4
    """
    if len(set(members)) != len(members) or len(members) < 2:
        raise InputError(f"Expected at least two different corruptions, but got {list(members)}.")
    places = np.asarray(members, np.int64)
    one, other = np.triu_indices(len(places), 1)
    return _mean(scores, pairs, places[one], places[other])


def between_overlap(
    scores: Scores, ones: Sequence[int], others: Sequence[int], pairs: Pairs | None = None
) -> Float[np.ndarray, "*many"]:
    """Return the mean overlap of the pairs of two groups, one corruption of each; NaN if none.

    >>> scores = np.array([[1.0, 0.2, 0.4], [0.2, 1.0, 0.0], [0.4, 0.0, 1.0]])
    >>> round(float(between_overlap(scores, [0], [1, 2])), 3)
    0.3
    """
    if set(ones) & set(others) or not ones or not others:
        raise InputError(
            f"Expected two groups without a common corruption, but got {list(ones)} and "
            f"{list(others)}."
        )
    one, other = np.meshgrid(np.asarray(ones, np.int64), np.asarray(others, np.int64))
    return _mean(scores, pairs, one.ravel(), other.ravel())


def largest_overlap(
    scores: Scores, one: int, others: Sequence[int], pairs: Pairs | None = None
) -> Float[np.ndarray, "*many"]:
    """Return a corruption's largest overlap with any of some others; NaN if no pair counts.

    The largest of several uncertain scores, none of which can lie below 0, lies above the largest
    true one on average: the more of them, and the less certain, the more.

    >>> scores = np.array([[1.0, 0.2, 0.4], [0.2, 1.0, 0.0], [0.4, 0.0, 1.0]])
    >>> float(largest_overlap(scores, 1, [0, 2]))
    0.2
    """
    if one in others or not others:
        raise InputError(f"Expected others than corruption {one}, but got {list(others)}.")
    counted, (row, columns) = _counted(scores, pairs), _places(scores, [one], others)
    known = counted[..., row, columns]
    largest = np.where(known, scores[..., row, columns], -np.inf).max(-1)
    return np.asarray(np.where(known.any(-1), largest, np.nan))


@dataclass(frozen=True, eq=False)
class MatrixSpread:
    """The spread of each pair's scores over seeds; `sd` is None for a single seed."""

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


def _mean(
    scores: Scores,
    pairs: Pairs | None,
    ones: Int[np.ndarray, " pairs"],
    others: Int[np.ndarray, " pairs"],
) -> Float[np.ndarray, "*many"]:
    """Return the mean over pairs of corruptions, of those that count."""
    counted = _counted(scores, pairs)
    ones, others = _places(scores, ones.tolist(), others.tolist())
    known = counted[..., ones, others]
    total, number = np.where(known, scores[..., ones, others], 0.0).sum(-1), known.sum(-1)
    return np.asarray(_over(total, number, number > 0))


def _over(total: Any, number: Any, there: Any) -> Any:
    """Return quotients where there are any, NaN elsewhere."""
    missing = np.full(np.shape(total), np.nan)
    return np.asarray(np.divide(total, number, out=missing, where=np.asarray(there)))


def _counted(
    scores: Scores, pairs: Pairs | None
) -> Bool[np.ndarray, "*many corruptions corruptions"]:
    """Return which pairs count and have a score."""
    _check_square(scores)
    if pairs is not None and pairs.shape != scores.shape[-2:]:
        raise InputError(
            f"Expected which pairs count as a matrix of shape {scores.shape[-2:]}, but got shape "
            f"{pairs.shape}."
        )
    known = np.isfinite(scores)
    return np.asarray(known if pairs is None else known & pairs)


def _check_square(scores: Scores) -> None:
    if scores.ndim < 2 or scores.shape[-1] != scores.shape[-2]:
        raise InputError(f"Expected a square matrix of scores, but got shape {scores.shape}.")


def _places(
    scores: Scores, ones: Sequence[int], others: Sequence[int]
) -> tuple[Int[np.ndarray, " ones"], Int[np.ndarray, " others"]]:
    if not all(0 <= place < scores.shape[-1] for place in (*ones, *others)):
        raise InputError(
            f"Expected places from 0 to {scores.shape[-1] - 1}, but got {[*ones, *others]}."
        )
    return np.asarray(ones, np.int64), np.asarray(others, np.int64)
