"""Overlapping score: whether training with one corruption makes a network robust to another.

The definitions are those of [overlap, sec. 3]. Networks are counted from 0, the standard network;
network i is also trained with corruption i. The paper does not define the score of a corruption if
training with it does not help against it: here the score is undefined, which the record from
`overlap_matrix` states. Accuracies alone cannot show whether a gain exceeds noise;
`protocols.overlap.convention` uses its interval.

Summaries are by corruption, by group of corruptions, and over seeds; corruptions are given by their
index in the matrix. A mean is over the pairs that the caller selects, without those that have no
score (NaN).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from jaxtyping import Bool, Float, Int

from robust_lib.errors import InputError

Accuracies = Float[np.ndarray, "*many models corruptions"]
Clean = Float[np.ndarray, "*many models"]

Scores = Float[np.ndarray, "*many corruptions corruptions"]
ByCorruption = Float[np.ndarray, "*many corruptions"]
Square = Float[np.ndarray, "corruptions corruptions"]
Pairs = Bool[np.ndarray, "corruptions corruptions"]
Counted = Bool[np.ndarray, "*many corruptions corruptions"]


@overload
def robustness_score(accuracy: float, clean: float) -> float: ...


@overload
def robustness_score(
    accuracy: Float[np.ndarray, "..."], clean: Float[np.ndarray, "..."] | float
) -> Float[np.ndarray, "..."]: ...


def robustness_score(accuracy: Any, clean: Any) -> Any:
    """Return R: the accuracy on corrupted images, divided by that on clean ones.

    Raises:
        InputError: shapes or values that accuracies cannot have, or a clean accuracy of 0.

    >>> robustness_score(0.3, 0.6)
    0.5
    """
    above, below = np.asarray(accuracy, np.float64), np.asarray(clean, np.float64)
    _check_fractions("accuracies", above)
    _check_fractions("clean accuracies", below)
    if (below == 0).any():
        raise InputError(
            "Expected clean accuracies above 0, but got 0, for which robustness is not defined."
        )
    try:
        ratio = above / below
    except ValueError:
        raise InputError(
            f"Expected clean accuracies of a shape that fits {above.shape}, but got {below.shape}."
        ) from None
    return float(ratio) if ratio.ndim == 0 else ratio


def overlap_score(
    r11: float,
    r12: float,
    r21: float,
    r22: float,
    r01: float,
    r02: float,
    *,
    least_gain: float = 0.0,
) -> float:
    """Return the overlapping score of two corruptions: 0 for none, 1 for equivalent ones.

    It is the mean of two shares: the gain against one corruption from training with the other,
    divided by the gain from training with that corruption itself. A loss on one side cancels a gain
    on the other; a negative mean counts as 0, and there is no upper limit of 1.

    Args:
        r11: robustness score of network 1 to corruption 1; the first digit is the training
            corruption (0: none), the second the test corruption.
        least_gain: lower bound for r11 - r01 and r22 - r02.

    Raises:
        InputError: values that are not robustness scores, or a gain that is too small to divide by.

    >>> round(overlap_score(r11=0.9, r12=0.7, r21=0.6, r22=0.8, r01=0.5, r02=0.6), 3)
    0.375
    """
    scores = np.array([r11, r12, r21, r22, r01, r02], np.float64)
    if not (np.isfinite(scores) & (scores >= 0)).all():
        raise InputError(f"Expected robustness scores, 0 or more, but got {scores.tolist()}.")
    _check_least_gain(least_gain)
    first, second = r11 - r01, r22 - r02
    if not (first > least_gain and second > least_gain):
        raise InputError(
            "Expected training with each corruption to raise the robustness to it by more than "
            f"{least_gain:g}, but it rises by {first:.3g} and {second:.3g}, so the overlap is not "
            "defined."
        )
    return float(max(0.0, ((r12 - r02) / second + (r21 - r01) / first) / 2))


@dataclass(frozen=True, eq=False)
class Overlaps:
    """The overlapping scores of all pairs of corruptions, and which corruptions have none.

    Attributes:
        scores: symmetric, 1 on the diagonal; NaN in the row and the column of a corruption without
            scores.
        own_gains: each corruption's gain from training with it, the divisor of its scores.
        least_gain: lower bound for a gain.
    """

    scores: Scores
    own_gains: ByCorruption
    least_gain: float

    @property
    def defined(self) -> Bool[np.ndarray, "*many corruptions"]:
        """Return whether each corruption has scores."""
        return np.asarray(self.own_gains > self.least_gain)


def overlap_matrix(
    accuracy: Accuracies,
    clean: Clean,
    *,
    least_gain: float = 0.0,
    divide_by_clean: bool = True,
) -> Overlaps:
    """Return the overlapping scores of all pairs of corruptions, from accuracies of networks.

    Axes before the last ones, such as seeds, are carried along.

    Args:
        accuracy: [i, j] is the accuracy of network i on images with corruption j; row 0 is the
            standard network, row 1 the one trained with the first corruption.
        clean: the accuracy of each network on clean images.
        least_gain: see `Overlaps`.
        divide_by_clean: whether to divide by clean accuracy, as in the paper; the authors' later
            code does not.

    Raises:
        InputError: a wrong shape, or values that are not accuracies.

    >>> accuracy = np.array([[0.5, 0.6], [0.9, 0.7], [0.6, 0.8]])
    >>> overlap_matrix(accuracy, np.ones(3)).scores.round(3).tolist()
    [[1.0, 0.375], [0.375, 1.0]]
    """
    corruptions = accuracy.shape[-1]
    if accuracy.shape[-2:] != (corruptions + 1, corruptions) or corruptions < 1:
        raise InputError(
            "Expected one more row of accuracies than columns, the standard network's first, but "
            f"got shape {accuracy.shape}."
        )
    if clean.shape != accuracy.shape[:-1]:
        raise InputError(
            f"Expected one clean accuracy per network, of shape {accuracy.shape[:-1]}, but got "
            f"{clean.shape}."
        )
    _check_least_gain(least_gain)
    ratios = robustness_score(accuracy, clean[..., None])
    robust = ratios if divide_by_clean else accuracy
    gains = robust[..., 1:, :] - robust[..., :1, :]
    own = np.diagonal(gains, axis1=-2, axis2=-1)
    divisors = np.where(own > least_gain, own, np.nan)
    shares = gains / divisors[..., None, :]
    # The larger of 0 and NaN is NaN.
    scores = np.maximum(0.0, (shares + shares.swapaxes(-1, -2)) / 2)
    return Overlaps(scores, own.copy(), least_gain)


def _check_fractions(what: str, values: Float[np.ndarray, "..."]) -> None:
    if not ((values >= 0) & (values <= 1)).all():  # NaN is neither
        raise InputError(
            f"Expected {what} as fractions in [0, 1], but got {np.unique(values)[[0, -1]]}. Divide "
            "percentages by 100."
        )


def _check_least_gain(least_gain: float) -> None:
    if not 0 <= least_gain < 1:
        raise InputError(f"Expected a least gain from 0 to below 1, but got {least_gain}.")


def mean_overlap(scores: Scores, *, diagonal: bool, pairs: Pairs | None = None) -> ByCorruption:
    """Return each corruption's mean overlap with the others; NaN for one without a pair.

    Args:
        diagonal: whether its overlap of 1 with itself counts; the paper does not specify this.
        pairs: the counted pairs, symmetric; None: all.

    Raises:
        InputError: a matrix that is not square, or pairs of a different shape.

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
        members: indices of at least two corruptions.

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
    """Return the mean overlap of the pairs between two groups; NaN if none counts.

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
    """Return a corruption's largest overlap with any of several others; NaN if no pair counts.

    The largest of several uncertain scores, none of which can be below 0, exceeds the largest true
    one on average, and more so if there are more scores or they are less certain.

    >>> scores = np.array([[1.0, 0.2, 0.4], [0.2, 1.0, 0.0], [0.4, 0.0, 1.0]])
    >>> float(largest_overlap(scores, 1, [0, 2]))
    0.2
    """
    if one in others or not others:
        raise InputError(
            f"Expected at least one corruption other than {one}, but got {list(others)}."
        )
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
    """Return each pair's mean, standard deviation (n - 1), minimum and maximum over seeds.

    A pair without a score for one of the seeds has no value here.

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
    """Return quotients where they are defined, NaN elsewhere."""
    missing = np.full(np.shape(total), np.nan)
    return np.asarray(np.divide(total, number, out=missing, where=np.asarray(there)))


def _counted(
    scores: Scores, pairs: Pairs | None
) -> Bool[np.ndarray, "*many corruptions corruptions"]:
    """Return which pairs count and have a score."""
    _check_square(scores)
    if pairs is not None and pairs.shape != scores.shape[-2:]:
        raise InputError(
            f"Expected the mask of pairs to have shape {scores.shape[-2:]}, but got shape "
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
            f"Expected positions from 0 to {scores.shape[-1] - 1}, but got {[*ones, *others]}."
        )
    return np.asarray(ones, np.int64), np.asarray(others, np.int64)
