"""Estimates: a number, its interval, its draws, and the number of items behind it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from jaxtyping import Bool, Float

from robust_lib.errors import InputError
from robust_lib.metrics.intervals import (
    TAIL,
    Sample,
    clopper_pearson,
    percentiles,
    shared_rates,
)
from robust_lib.results.interval import PercentInterval, in_percent

Ends = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Draws:
    """The draws of a number, by which it can be paired with other numbers.

    The difference of two numbers on the same draws varies less than their intervals suggest: images
    that are hard for one network are hard for the other. Numbers from different images are drawn
    independently.

    Attributes:
        of: source of the draws: "seeds", or the name of the resampled images.
        values: function that computes the number on each draw; NaN if undefined.
        by_image: contribution of each image or resampled cluster, if the number is a mean over
            these; None for other numbers.
        pictures: for several seeds, the number in resamples of the images; None if unknown.

    >>> ours = Draws("seeds", lambda: np.array([0.5, 0.7]))
    >>> theirs = Draws("seeds", lambda: np.array([0.4, 0.5]))
    >>> (ours.values() - theirs.values()).round(1).tolist()
    [0.1, 0.2]
    """

    of: str
    values: Callable[[], Float[np.ndarray, " draws"]]
    by_image: Callable[[], Float[np.ndarray, " images"]] | None = None
    pictures: "Draws | None" = None


SEEDS = "seeds"
"""Name of the draws of numbers from several trainings of a network."""


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A number with its interval and its n.

    Attributes:
        value: the number; rates, ratios and differences as fractions.
        low: lower end of its interval; None together with `high`.
        n: number of averaged items, such as images.
        n_full: number of such items in the whole data set.
        draws: the number draw by draw, if known.
    """

    value: float
    low: float | None = None
    high: float | None = None
    n: int
    n_full: int
    draws: Draws | None = field(default=None, compare=False, repr=False)

    @property
    def percent(self) -> PercentInterval:
        """Return value, low and high in percent; the value replaces a missing low or high."""
        return in_percent(self.value, self.low, self.high)

    @classmethod
    def over(
        cls,
        by_seed: Sequence[float] | Float[np.ndarray, " seeds"],
        interval: Callable[[], Ends | None] | None = None,
        *,
        n: int,
        n_full: int | None = None,
        draws: Draws | None = None,
    ) -> "Estimate":
        """Return the mean over seeds of a statistic, with an interval.

        With one seed, it is the statistic's own interval over images; with several, it extends from
        the smallest to the largest value of a seed.

        Args:
            by_seed: one number per seed.
            interval: function that returns the ends for a single seed, or None; None for a
                statistic without an interval over images.
            n_full: number of items in the whole data set; None: the same as `n`.
            draws: the statistic on resamples of the images, for the first seed or the mean of the
                seeds.

        Raises:
            InputError: there is no seed.

        >>> Estimate.over([0.5], lambda: (0.1, 0.9), n=8, n_full=100)
        Estimate(value=0.5, low=0.1, high=0.9, n=8, n_full=100)
        >>> Estimate.over([0.5, 0.75, 1.0], lambda: (0.1, 0.9), n=8)
        Estimate(value=0.75, low=0.5, high=1.0, n=8, n_full=8)
        """
        values = np.asarray(by_seed, np.float64)
        if len(values) == 0:
            raise InputError("Expected a statistic of at least one seed, but got none.")
        value = float(values.mean())
        several = len(values) > 1
        if several and draws is not None and draws.of == SEEDS:
            draws = draws.pictures
        if several:
            ends: Ends | None = (float(values.min()), float(values.max()))
        else:
            ends = None if interval is None else interval()
            if n == 1 and ends is not None and ends[0] == ends[1]:
                ends = None  # every resample of one thing is that thing
        # The mean of equal seeds may miss them by a rounding error, and a percentile interval may
        # leave out its own statistic, where that lies at the end of what is possible.
        return cls(
            value=value,
            low=None if ends is None else min(ends[0], value),
            high=None if ends is None else max(ends[1], value),
            n=n,
            n_full=n if n_full is None else n_full,
            draws=Draws(SEEDS, lambda: values, pictures=draws) if several else draws,
        )

    @classmethod
    def of_rate(
        cls,
        by_seed: Sequence[Bool[np.ndarray, " images"]],
        *,
        n_full: int | None = None,
        images: str | Sample | None = None,
        samples: int = 1000,
    ) -> "Estimate":
        """Return a share of images; with one seed, its interval is exact (Clopper-Pearson, 95 %).

        Images of one group, such as all drawings of a subtype, are correlated: they are resampled
        together, and the interval over groups is used if it is wider.

        Args:
            by_seed: mask of the images that count, for the same images with each seed.
            n_full: number of images in the whole data set; None: the number of images used.
            images: the sample of images, for paired shares and correlated images.

        >>> found = Estimate.of_rate([np.array([True, False, False, True])])
        >>> found.value, round(found.low, 3), round(found.high, 3), found.n
        (0.5, 0.068, 0.932, 4)
        """
        sample = None if images is None else Sample.of(images)
        draws = None
        if sample is not None:
            asked = (by_seed, sample)
            draws = Draws(
                sample.name, partial(_values, *asked, samples), by_image=partial(_by_group, *asked)
            )
        grouped = sample is not None and sample.together is not None
        return cls.over(
            [float(counted.mean()) for counted in by_seed],
            partial(_interval, by_seed[0], draws if grouped else None),
            n=len(by_seed[0]),
            n_full=n_full,
            draws=draws,
        )


def difference(one: Estimate, other: Estimate) -> Estimate:
    """Return one number minus another, with the interval of the paired difference.

    Numbers on the same images, or with the same seeds, are subtracted draw by draw.

    Args:
        one: minuend; the difference is over its images.

    >>> right, wrong = np.array([True, True, True, False]), np.array([False, True, True, False])
    >>> both = (Estimate.of_rate([one], images="toys") for one in (right, wrong))
    >>> found = difference(*both)
    >>> found.value, found.low, found.high  # of four images, one tells the two apart
    (0.25, 0.0, 0.75)
    """
    value, draws = one.value - other.value, paired(one.draws, other.draws)
    ends = None if draws is None else ends_of(draws)
    return Estimate(
        value=value,
        low=None if ends is None else min(ends[0], value),
        high=None if ends is None else max(ends[1], value),
        n=one.n,
        n_full=one.n_full,
        draws=draws,
    )


def paired(one: Draws | None, other: Draws | None) -> Draws | None:
    """Return the draws of a difference; None if they are unknown or the seeds differ.

    If the numbers of resamples differ, only the first ones, which both share, are used.
    """
    if one is None or other is None or (one.of == SEEDS) != (other.of == SEEDS):
        return None
    first, second = one.values(), other.values()
    if one.of == SEEDS and len(first) != len(second):
        return None
    shared = min(len(first), len(second))
    by_image: Callable[[], Float[np.ndarray, " images"]] | None = None
    if one.of == other.of and one.by_image is not None and other.by_image is not None:
        by_image = partial(_apart, one.by_image, other.by_image)

    return Draws(
        one.of,
        lambda: first[:shared] - second[:shared],
        by_image=by_image,
        pictures=paired(one.pictures, other.pictures),
    )


def ends_of(draws: Draws, level: float = 0.95) -> Ends | None:
    """Return the interval of some draws, or None if too many of them are undefined.

    Seeds are few: their interval extends from the smallest to the largest. An interval over
    resamples excludes the same share of them on either side.
    """
    values = draws.values()
    known = values[np.isfinite(values)]
    if draws.of == SEEDS:
        return (float(known.min()), float(known.max())) if len(known) == len(values) else None
    return percentiles(known, level) if len(known) >= (1 - TAIL) * len(values) else None


# A function inside of another would have its shapes declared anew by each call.


def _shares(by_seed: Sequence[Bool[np.ndarray, " images"]]) -> Float[np.ndarray, " images"]:
    return np.asarray(np.stack(by_seed).mean(0, dtype=np.float64))


def _values(
    by_seed: Sequence[Bool[np.ndarray, " images"]], images: Sample, samples: int
) -> Float[np.ndarray, " draws"]:
    return np.asarray(shared_rates(_shares(by_seed)[None], images, samples=samples)[:, 0])


def _by_group(
    by_seed: Sequence[Bool[np.ndarray, " images"]], images: Sample
) -> Float[np.ndarray, " groups"]:
    if images.together is None:
        return _shares(by_seed)
    known, own = np.unique(np.asarray(images.together), return_inverse=True)
    return np.asarray(np.bincount(own, weights=_shares(by_seed)) * len(known) / len(own))


def _interval(counted: Bool[np.ndarray, " images"], draws: Draws | None) -> Ends:
    low, high = clopper_pearson(int(counted.sum()), len(counted))
    if draws is None:
        return low, high
    ends = percentiles(draws.values())
    return min(low, ends[0]), max(high, ends[1])


def _apart(
    one: Callable[[], Float[np.ndarray, " images"]],
    other: Callable[[], Float[np.ndarray, " images"]],
) -> Float[np.ndarray, " images"]:
    return np.asarray(one() - other())
