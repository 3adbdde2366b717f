"""Estimates: a number, how far it could move, and of how many things it is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from robust_lib.errors import InputError
from robust_lib.metrics.intervals import clopper_pearson

Ends = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A number with its interval and its n.

    Attributes:
        value: the number; rates, ratios and differences as fractions.
        low: lower end of its interval; None together with `high`, where it has none.
        high: upper end of its interval.
        n: how many things were averaged, such as images.
        n_full: how many there would be in the whole data set.
    """

    value: float
    low: float | None = None
    high: float | None = None
    n: int
    n_full: int

    @classmethod
    def over(
        cls,
        by_seed: Sequence[float] | Float[np.ndarray, " seeds"],
        interval: Callable[[], Ends | None] | None = None,
        *,
        n: int,
        n_full: int | None = None,
    ) -> "Estimate":
        """Return the mean of a statistic over seeds, with the interval that they allow.

        With one seed it is the statistic's own interval, over images; with several it goes from
        the least to the greatest seed.

        Args:
            by_seed: the statistic, a number a seed.
            interval: returns the ends for a single seed, None if they cannot be told; called only
                where there is one seed. None for a statistic without an interval over images.
            n: how many things the statistic is over.
            n_full: how many there would be in the whole data set; None: as many.

        Raises:
            InputError: no seed.

        >>> Estimate.over([0.5], lambda: (0.1, 0.9), n=8, n_full=100)
        Estimate(value=0.5, low=0.1, high=0.9, n=8, n_full=100)
        >>> Estimate.over([0.5, 0.75, 1.0], lambda: (0.1, 0.9), n=8)
        Estimate(value=0.75, low=0.5, high=1.0, n=8, n_full=8)
        """
        values = np.asarray(by_seed, np.float64)
        if len(values) == 0:
            raise InputError("Expected a statistic of at least one seed, but got none.")
        value = float(values.mean())
        if len(values) > 1:
            ends: Ends | None = (float(values.min()), float(values.max()))
        else:
            ends = None if interval is None else interval()
        # The mean of equal seeds may miss them by a rounding error, and a percentile interval may
        # leave out its own statistic, where that lies at the end of what is possible.
        return cls(
            value=value,
            low=None if ends is None else min(ends[0], value),
            high=None if ends is None else max(ends[1], value),
            n=n,
            n_full=n if n_full is None else n_full,
        )

    @classmethod
    def of_rate(
        cls, by_seed: Sequence[Bool[np.ndarray, " images"]], *, n_full: int | None = None
    ) -> "Estimate":
        """Return the share of images, exact over images (Clopper-Pearson, 95 %) with one seed.

        Args:
            by_seed: (images,), which images count, of the same images for each seed.
            n_full: images of the whole data set; None: as many.

        >>> found = Estimate.of_rate([np.array([True, False, False, True])])
        >>> found.value, round(found.low, 3), round(found.high, 3), found.n
        (0.5, 0.068, 0.932, 4)
        """
        first, images = by_seed[0], len(by_seed[0])
        return cls.over(
            [float(counted.mean()) for counted in by_seed],
            lambda: clopper_pearson(int(first.sum()), images),
            n=images,
            n_full=n_full,
        )
