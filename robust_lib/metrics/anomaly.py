"""Anomaly detection: how well a score separates out-of-distribution from ordinary images.

A higher score means more anomalous, and the out-of-distribution images are the positives, as in
[nae, sec. 5]. Images with the same score cannot be told apart, so a threshold takes all of them or
none.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int

from robust_lib.errors import InputError
from robust_lib.metrics.intervals import Draws, bootstrap_draws, percentiles, resampled
from robust_lib.metrics.leaning import without_bias

InScores = Float[np.ndarray, " inside"]
OutScores = Float[np.ndarray, " outside"]
Counts = Int[np.ndarray, " thresholds"]
Points = Float[np.ndarray, " thresholds"]
Together = tuple[Sequence[str] | None, Sequence[str] | None]
"""The group of each in-distribution image and of each out-of-distribution one; None: no groups."""


def aupr(in_scores: InScores, out_scores: OutScores) -> float:
    """Return the area under the stepwise precision-recall curve (AUPR), a fraction.

    It is the average precision of scikit-learn and of the authors' code: the precision at each
    threshold, weighted by how much recall the threshold adds. Joining the points by straight lines
    instead (the trapezoidal rule) gives different numbers, which are far too high if many scores
    tie.

    Args:
        in_scores: (inside,), scores of ordinary images; higher is more anomalous.
        out_scores: (outside,), scores of out-of-distribution images.

    Raises:
        InputError: no scores on a side, or NaN.

    >>> aupr(np.array([0.1, 0.2, 0.3]), np.array([0.9, 0.25]))
    0.8333333333333333
    """
    return _average_precision(*_counts(in_scores, out_scores))


def aupr_interval(
    in_scores: InScores,
    out_scores: OutScores,
    *,
    rng: np.random.Generator,
    samples: int = 1000,
    level: float = 0.95,
    together: Together = (None, None),
) -> tuple[float, float]:
    """Return the bootstrap interval of the AUPR, with both sides resampled separately.

    If both sides were resampled together, their sizes would change, and with them the level of
    chance. The upward bias of the AUPR is removed (see `leaning.without_bias`); the interval always
    contains the AUPR itself.

    Args:
        together: see `aupr_draws`.

    Raises:
        InputError: see `aupr` and `bootstrap`.

    >>> ordinary, others = np.linspace(0, 1, 200), np.linspace(0.2, 1.2, 40)
    >>> low, high = aupr_interval(ordinary, others, rng=np.random.default_rng(0), samples=100)
    >>> low < aupr(ordinary, others) < high
    True
    """
    value = aupr(in_scores, out_scores)
    draws = aupr_draws(in_scores, out_scores, rng=rng, samples=samples, together=together)
    low, high = percentiles(without_bias(draws, value), level)
    return min(low, value), max(high, value)


def aupr_draws(
    in_scores: InScores,
    out_scores: OutScores,
    *,
    rng: np.random.Generator,
    samples: int = 1000,
    together: Together = (None, None),
) -> Draws:
    """Return the AUPR of each resample, with both sides resampled separately.

    Args:
        rng: random generator; two networks with equal ones are evaluated on the same resamples.
        together: the groups of both sides' images, if whole groups are drawn.

    Raises:
        InputError: see `aupr` and `bootstrap_draws`.

    >>> ordinary, others = np.linspace(0, 1, 200), np.linspace(2, 3, 40)
    >>> aupr_draws(ordinary, others, rng=np.random.default_rng(0), samples=2).tolist()
    [1.0, 1.0]
    """
    # Sorting is what takes time; it is done once, and a resample only counts places.
    distinct, inside, outside = _places(in_scores, out_scores)
    others = resampled(len(outside), rng=rng, together=together[1])

    def of_resample(chosen: Int[np.ndarray, " inside"]) -> float:
        return _average_precision(
            np.bincount(inside[chosen], minlength=len(distinct)),
            np.bincount(outside[next(others)], minlength=len(distinct)),
        )

    return bootstrap_draws(of_resample, len(inside), rng=rng, samples=samples, together=together[0])


def auroc_draws(
    in_scores: InScores, out_scores: OutScores, *, rng: np.random.Generator, samples: int = 1000
) -> Draws:
    """Return the AUROC of each resample, with both sides resampled separately.

    Raises:
        InputError: see `aupr` and `bootstrap_draws`.

    >>> ordinary, others = np.linspace(0, 1, 200), np.linspace(2, 3, 40)
    >>> auroc_draws(ordinary, others, rng=np.random.default_rng(0), samples=2).tolist()
    [1.0, 1.0]
    """
    distinct, inside, outside = _places(in_scores, out_scores)

    def of_resample(chosen: Int[np.ndarray, " inside"]) -> float:
        others = rng.integers(0, len(outside), len(outside))
        return _auroc(
            np.bincount(inside[chosen], minlength=len(distinct)),
            np.bincount(outside[others], minlength=len(distinct)),
        )

    return bootstrap_draws(of_resample, len(inside), rng=rng, samples=samples)


def auroc(in_scores: InScores, out_scores: OutScores) -> float:
    """Return the AUROC: how often, in a random pair, the out-of-distribution image scores higher.

    Ties count one half. It is the area under the ROC curve, and 0.5 for scores without information.

    Raises:
        InputError: see `aupr`.

    >>> auroc(np.array([0.1, 0.2, 0.3]), np.array([0.9, 0.25]))
    0.8333333333333334
    """
    return _auroc(*_counts(in_scores, out_scores))


def fpr_at_recall(in_scores: InScores, out_scores: OutScores, recall: float = 0.95) -> float:
    """Return the false positive rate at which a given fraction of the anomalies is detected.

    The threshold is the strictest one that finds at least this fraction of the out-of-distribution
    images. The FPR95 of the authors' code takes the threshold whose recall is *nearest* to 95 %
    instead, which may be the next stricter one.

    Raises:
        InputError: see `aupr`, or a recall outside (0, 1].

    >>> fpr_at_recall(np.array([0.1, 0.2, 0.3]), np.array([0.9, 0.25]))
    0.3333333333333333
    """
    if not 0 < recall <= 1:
        raise InputError(f"Expected a recall above 0 and up to 1, such as 0.95, but got {recall}.")
    inside, outside = _counts(in_scores, out_scores)
    # A quotient rounds as the literal does: 19 / 20 is 0.95, though 0.95 * 20 may not be 19.
    enough = np.cumsum(outside) / len(out_scores) >= recall
    return float(np.cumsum(inside)[enough][0] / len(in_scores))


def chance(n_in: int, n_out: int) -> float:
    """Return the share of out-of-distribution images: the AUPR of constant scores.

    The AUPR of random scores also tends to it as the number of images grows. ImageNet-O's 2,000
    images are compared with 10,000 ordinary ones.

    Raises:
        InputError: no images on a side.

    >>> round(chance(10_000, 2_000), 3)
    0.167
    """
    if n_in < 1 or n_out < 1:
        raise InputError(
            "Expected at least one ordinary and one out-of-distribution image, but got "
            f"{n_in} and {n_out}."
        )
    return n_out / (n_in + n_out)


def _auroc(inside: Counts, outside: Counts) -> float:
    below = inside.sum() - np.cumsum(inside)
    return float(outside @ (below + inside / 2)) / float(inside.sum() * outside.sum())


def _average_precision(inside: Counts, outside: Counts) -> float:
    """Return the AUPR from how many images of each side have each score, the highest first."""
    found = np.cumsum(outside)
    called = found + np.cumsum(inside)
    # A resample may lack the highest scores: nothing is called an anomaly there yet.
    return float(outside @ (found / np.maximum(called, 1))) / int(found[-1])


def _counts(in_scores: InScores, out_scores: OutScores) -> tuple[Counts, Counts]:
    """Return how many images of each side have each score, the highest score first."""
    distinct, inside, outside = _places(in_scores, out_scores)
    size = len(distinct)
    return np.bincount(inside, minlength=size), np.bincount(outside, minlength=size)


def _places(
    in_scores: InScores, out_scores: OutScores
) -> tuple[Points, Int[np.ndarray, " inside"], Int[np.ndarray, " outside"]]:
    """Return the distinct scores, highest first, and each image's position among them."""
    n_in, n_out = len(in_scores), len(out_scores)
    if n_in < 1 or n_out < 1:
        raise InputError(
            "Expected scores of at least one ordinary and one out-of-distribution image, but got "
            f"{n_in} and {n_out}."
        )
    scores = np.concatenate([in_scores, out_scores])
    if np.isnan(scores).any():
        raise InputError(
            "Expected a number as the score of every image, but got NaN for "
            f"{int(np.isnan(scores).sum())} of {n_in + n_out}. Check the logits from which they "
            "are computed."
        )
    distinct, rising = np.unique(scores, return_inverse=True)
    place = len(distinct) - 1 - rising
    return distinct[::-1], place[:n_in], place[n_in:]
