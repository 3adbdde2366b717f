"""Confidence intervals: the uncertainty of a number due to the choice of images.

Images of the same drawing or subtype tend to be classified alike. Resampling them one by one would
overstate the evidence, so whole groups are resampled.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy import special

from robust_lib import seeds
from robust_lib.errors import InputError

Values = Bool[np.ndarray, "cells images"] | Float[np.ndarray, "cells images"]
Rates = Float[np.ndarray, "samples cells"]
Draws = Float[np.ndarray, " samples"]

TAIL = 0.025
"""Share of resamples that a 95 % interval leaves above it, and below it."""

BATCH = 2**23
"""Numbers held at once while resampling: 32 MB of float32."""


@dataclass(frozen=True)
class Sample:
    """The images behind a number.

    Attributes:
        name: name of the images; numbers with the same images can be compared in pairs.
        together: the group of each image, such as its drawing: images of a group are correlated and
            resampled together. None: images are independent.

    >>> Sample.of("toys"), Sample("toys", ("bell", "bell", "bus")).groups
    (Sample(name='toys', together=None), 2)
    """

    name: str
    together: tuple[str, ...] | None = None

    @classmethod
    def of(cls, images: "str | Sample") -> "Sample":
        """Return a sample of independent images, given the name of the image set."""
        return cls(images) if isinstance(images, str) else images

    @property
    def groups(self) -> int | None:
        """Return the number of groups; None if images are independent."""
        return None if self.together is None else len(set(self.together))

    def part(self, name: str, places: Sequence[int]) -> "Sample":
        """Return a part of the images, as a sample with its own name."""
        own = self.together
        return Sample(name, None if own is None else tuple(own[place] for place in places))


@overload
def clopper_pearson(successes: int, n: int, level: float = 0.95) -> tuple[float, float]: ...


@overload
def clopper_pearson(
    successes: Int[np.ndarray, "..."], n: Int[np.ndarray, "..."] | int, level: float = 0.95
) -> tuple[Float[np.ndarray, "..."], Float[np.ndarray, "..."]]: ...


def clopper_pearson(successes: Any, n: Any, level: float = 0.95) -> tuple[Any, Any]:
    """Return the exact (Clopper-Pearson) interval of a rate, as used in [vid, sec. 4].

    It contains the true rate with at least the probability `level`, for any rate and any n.

    Returns:
        The lower and upper end, as fractions: floats for numbers, arrays for arrays.

    Raises:
        InputError: fewer than one trial, successes outside 0..n, or a level outside (0, 1).

    >>> [round(end, 3) for end in clopper_pearson(749, 1109)]
    [0.647, 0.703]
    """
    right, trials = np.asarray(successes), np.asarray(n)
    if (trials < 1).any() or (right < 0).any() or (right > trials).any():
        raise InputError(
            f"Expected 0 <= successes <= n and n of at least 1, but got {successes} of {n}."
        )
    tail = _tail(level)
    # Nothing is below 0 of n, nor above n of n; the beta quantiles do not exist there.
    low = np.where(
        right == 0, 0.0, special.betaincinv(np.maximum(right, 1), trials - right + 1, tail)
    )
    high = np.where(
        right == trials,
        1.0,
        special.betaincinv(right + 1, np.maximum(trials - right, 1), 1 - tail),
    )
    return (float(low), float(high)) if low.ndim == 0 else (low, high)


def bootstrap(
    statistic: Callable[[Int[np.ndarray, " images"]], float],
    images: int,
    *,
    rng: np.random.Generator,
    samples: int = 1000,
    level: float = 0.95,
    together: Sequence[str] | None = None,
) -> tuple[float, float]:
    """Return the percentile bootstrap interval of any statistic over images.

    Args:
        statistic: function from the indices of a resample, with repetitions, to a number.
        together: see `resample`.

    Raises:
        InputError: no images, fewer than two samples, or a level outside (0, 1).

    >>> confidence = np.linspace(0, 1, 101)
    >>> low, high = bootstrap(lambda chosen: float(np.median(confidence[chosen])), 101,
    ...     rng=np.random.default_rng(0))
    >>> low < 0.5 < high
    True
    """
    draws = bootstrap_draws(statistic, images, rng=rng, samples=samples, together=together)
    return percentiles(draws, level)


def bootstrap_draws(
    statistic: Callable[[Int[np.ndarray, " images"]], float],
    images: int,
    *,
    rng: np.random.Generator,
    samples: int = 1000,
    together: Sequence[str] | None = None,
) -> Draws:
    """Return the value of a statistic in each resample of the images.

    Args:
        rng: random generator; statistics with generators in the same state use the same resamples.
        together: see `resample`.

    Raises:
        InputError: no images, or fewer than two samples.

    >>> bootstrap_draws(lambda chosen: chosen.max(), 1, rng=np.random.default_rng(0), samples=3)
    array([0., 0., 0.])
    """
    _check(images, samples)
    chosen = resampled(images, rng=rng, together=together)
    return np.array([statistic(next(chosen)) for _ in range(samples)], np.float64)


def resampled(
    images: int, *, rng: np.random.Generator, together: Sequence[str] | None = None
) -> Iterator[Int[np.ndarray, " chosen"]]:
    """Yield resamples of the images without end, as indices with repetitions.

    Args:
        together: the group of each image, so that whole groups are drawn and resamples differ in
            size. None: single images are drawn.

    >>> rng = np.random.default_rng(0)
    >>> next(resampled(4, rng=rng, together=["bell", "bell", "bus", "bus"])).tolist()
    [2, 3, 2, 3]
    """
    if together is None:
        while True:
            yield rng.integers(0, images, images)
    known, own = np.unique(np.asarray(together), return_inverse=True)
    members = [np.flatnonzero(own == group) for group in range(len(known))]
    while True:
        drawn = rng.integers(0, len(members), len(members))
        yield np.concatenate([members[group] for group in drawn])


def resampled_rates(values: Values, *, rng: np.random.Generator, samples: int = 1000) -> Rates:
    """Return the mean of each cell in resamples of the images that all cells share.

    Args:
        values: the averaged values of each cell.

    Raises:
        InputError: no images, or fewer than two samples.

    >>> wrong = np.array([[True, False], [False, True]])
    >>> resampled_rates(wrong, rng=np.random.default_rng(0), samples=9).sum(1).tolist() == [1.0] * 9
    True
    """
    _check(values.shape[1], samples)
    columns = np.ascontiguousarray(values.T, dtype=np.float32)
    # Sums of ones are exact in single precision, so equal cells are equal on every processor.
    sums = np.concatenate([counts @ columns for counts in _counts(len(columns), samples, rng)])
    return np.asarray(sums.astype(np.float64) / len(columns))


def shared_rates(values: Values, images: str | Sample, *, samples: int = 1000) -> Rates:
    """Return mean values in resamples that depend only on the name of the image set.

    The errors of two networks on the same images can thus be compared resample by resample: a
    resample that is hard for one is also hard for the other, so the difference varies less than
    either.

    Args:
        values: the averaged values of each cell.
        images: name of the images; the same name, number and groups give the same resamples.

    Raises:
        InputError: no images, groups of a different number of images, or fewer than two samples.

    >>> wrong = np.array([[True, False, True, True], [True, False, True, True]])
    >>> rates = shared_rates(wrong, "toys", samples=5)
    >>> rates.shape, bool((rates[:, 0] == rates[:, 1]).all())
    ((5, 2), True)
    """
    sample = Sample.of(images)
    if sample.together is None:
        rng = seeds.generator("resamples", sample.name, values.shape[1])
        return resampled_rates(values, rng=rng, samples=samples)
    groups = np.unique(np.asarray(sample.together), return_inverse=True)[1]
    counted = np.concatenate([values, np.ones((1, values.shape[1]))])
    sums = clustered_sums(counted, groups, sample.name, samples=samples)
    rates = sums[:, :-1] / sums[:, -1:]
    wider = _wider(int(groups.max()) + 1)  # as `of_few`, for cells that may be no shares
    own = np.asarray(values, np.float64)
    means, least, most = own.mean(1), own.min(1), own.max(1)
    return np.asarray(np.clip(means + wider * (rates - means), least, most))


def percentiles(draws: Draws, level: float = 0.95) -> tuple[float, float]:
    """Return the central interval of draws: equal shares of them lie below and above it.

    >>> percentiles(np.arange(101.0), level=0.5)
    (25.0, 75.0)
    """
    tail = _tail(level)
    low, high = np.quantile(draws, [tail, 1 - tail])
    return float(low), float(high)


def _counts(
    images: int, samples: int, rng: np.random.Generator
) -> Iterator[Float[np.ndarray, "batch images"]]:
    """Yield how often each resample contains every image, some resamples at a time."""
    at_once = max(1, BATCH // images)
    for start in range(0, samples, at_once):
        count = min(at_once, samples - start)
        chosen = rng.integers(0, images, (count, images))
        chosen += np.arange(count)[:, None] * images
        drawn = np.bincount(chosen.ravel(), minlength=count * images)
        yield drawn.reshape(count, images).astype(np.float32)


def _check(images: int, samples: int) -> None:
    if images < 1 or samples < 2:
        raise InputError(
            f"Expected at least one image and two samples, but got {images} and {samples}."
        )


def _tail(level: float) -> float:
    if not 0 < level < 1:
        raise InputError(f"Expected a level between 0 and 1, such as 0.95, but got {level}.")
    return (1 - level) / 2


def clustered_rates(
    counted: Bool[np.ndarray, " images"] | Float[np.ndarray, " images"],
    clusters: Int[np.ndarray, " own"],
    of: str,
    *,
    samples: int = 1000,
) -> Draws:
    """Return the share of counted images in each resample of their clusters.

    Two image sets with the same clusters get the same resamples, so that the difficulty of a
    cluster cancels in their difference.

    Args:
        clusters: cluster of each image, from 0; a number without images is not a cluster.
        of: name of the clusters; equal names and clusters give equal resamples.

    Raises:
        InputError: no images, a different number of cluster entries, or fewer than two samples.

    >>> right, drawing = np.array([True, True, False, False]), np.array([0, 0, 1, 1])
    >>> sorted(set(clustered_rates(right, drawing, "drawings", samples=50).tolist()))
    [0.0, 0.5, 1.0]
    """
    right, images = clustered_sums(
        np.stack([counted, np.ones(len(counted))]), clusters, of, samples=samples
    ).T
    return np.asarray(right / images, np.float64)


def clustered_sums(
    values: Values, clusters: Int[np.ndarray, " own"], of: str, *, samples: int = 1000
) -> Rates:
    """Return each cell's sum over the images, in each resample of the clusters of images.

    Args:
        values, clusters, of: as for `clustered_rates`, cell by cell.

    Raises:
        InputError: no images, a different number of cluster entries, or fewer than two samples.

    >>> clustered_sums(np.ones((2, 4)), np.array([0, 0, 1, 1]), "toys", samples=3).tolist()
    [[4.0, 4.0], [4.0, 4.0], [4.0, 4.0]]
    """
    number = values.shape[1]
    if not 0 < number == len(clusters) or samples < 2:
        raise InputError(
            f"Expected images, a cluster for each and at least two samples, but got {number} "
            f"images, {len(clusters)} clusters and {samples} samples."
        )
    known, own = np.unique(clusters, return_inverse=True)
    totals = np.array([np.bincount(own, weights=cell) for cell in values])
    rng = seeds.generator("resampled clusters", of, *known.tolist())
    even = np.full(len(known), 1 / len(known))
    times = rng.multinomial(len(known), even, size=samples)
    return np.asarray(times @ totals.T, np.float64)


def of_few(draws: Draws, value: float, clusters: int) -> Draws:
    """Return draws of a share, widened because the number of clusters is small.

    Resampled clusters vary around their own mean, not around the true one, and the size of this
    variation is itself uncertain: Student's distribution accounts for both, as in a t interval.

    Args:
        value: the share over all images.
        clusters: their number.

    >>> of_few(np.array([0.4, 0.6]), 0.5, clusters=8).round(2).tolist()
    [0.37, 0.63]
    """
    return np.asarray(np.clip(value + _wider(clusters) * (draws - value), 0.0, 1.0))


def _wider(clusters: int) -> float:
    if clusters < 2:
        return 1.0
    wider = float(special.stdtrit(clusters - 1, 1 - TAIL) / special.ndtri(1 - TAIL))
    return wider * float((clusters / (clusters - 1)) ** 0.5)
