"""Comparisons: whether the difference between two sides of a claim supports or contradicts it.

For a single seed, the interval of the difference covers the choice of images: it comes from
resamples that both sides share, or is exact if fewer than ten images distinguish the sides, too few
for resamples. Several seeds are a sample of trainings: their interval is Student's, for the
differences seed by seed, widened by the uncertainty from the choice of images.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float
from scipy import special

from robust_lib.metrics.intervals import clopper_pearson
from robust_lib.results.estimate import SEEDS, Draws, Ends, ends_of
from robust_lib.results.row import METRICS, Row

LEVEL = 0.95
FEWEST = 5
"""The smallest number of items, or of seeds, behind an interval: fewer do not show the variation.
"""
FEW = 10
"""If fewer images distinguish two sides, their difference gets an exact interval."""
_EXACT = ("count", "setting")
_EQUAL = 1e-12  # apart by rounding alone
_NOUGHT = 1e-6  # resamples are added up in single precision


def level_of(comparisons: int) -> float:
    """Return the level of each of several intervals that are used together (Bonferroni).

    >>> round(level_of(5), 2)
    0.99
    """
    return 1 - (1 - LEVEL) / comparisons


@dataclass(frozen=True)
class Comparison:
    """Two neighbouring sides of a claim.

    Attributes:
        margin: difference of the sides; positive in the paper's direction.
        strict: whether 0 contradicts the claim.
        rows: the rows behind the margin, with their signs.

    >>> rows = [Row(item="inc-fig2", dataset="toy", metric="mce", model=name, value=value,
    ...             low=value - 0.1, high=value + 0.1, n=9, n_full=9)
    ...         for name, value in (("a", 1.0), ("b", 0.7))]
    >>> step = Comparison(0.3, True, ((1, rows[0]), (-1, rows[1])))
    >>> step.speaks(1), [round(end, 2) for end in step.ends(0.95)]
    ('for', [0.1, 0.5])
    """

    margin: float
    strict: bool
    rows: tuple[tuple[int, Row], ...]

    def speaks(self, against: int = 1, favour: int = 1) -> Literal["for", "against", "neither"]:
        """Return the interval's verdict, as one of several comparisons of a claim.

        An interval that ends at 0 decides nothing: a tie of two samples is no evidence that the
        true values are equal. Numbers without sampling uncertainty are compared directly.

        Args:
            against: number of comparisons among which one false contradiction would refute the
                claim.
            favour: number of comparisons among which one false support would make it hold.
        """
        few = [number for number in (self.fewest, self.seeds) if number is not None]
        if min(few, default=FEWEST) < FEWEST:
            return "neither"
        if not self.sampled:
            return self.as_it_is
        ends = self.ends(level_of(favour))
        if ends is not None and ends[0] > _NOUGHT:
            return "for"
        ends = self.ends(level_of(against))
        return "against" if ends is not None and ends[1] < -_NOUGHT else "neither"

    @property
    def as_it_is(self) -> Literal["for", "against"]:
        """Return the verdict of the values themselves, without sampling uncertainty."""
        wins = not self.strict if abs(self.margin) < _EQUAL else self.margin > 0
        return "for" if wins else "against"

    @property
    def uncertain(self) -> Sequence[tuple[int, Row]]:
        """Return the rows with sampling uncertainty."""
        return [(sign, row) for sign, row in self.rows if METRICS[row.metric] not in _EXACT]

    @property
    def sampled(self) -> bool:
        """Return whether the sampling uncertainty is known."""
        return any(row.draws is not None or row.low is not None for _, row in self.uncertain)

    @property
    def fewest(self) -> int | None:
        """Return the smallest number of resampled items among the rows; None without any."""
        drawn = [row for _, row in self.uncertain if row.draws is not None and row.n is not None]
        clusters = [
            len(row.draws.by_image())
            for row in drawn
            if row.draws is not None and row.draws.by_image is not None
        ]
        return min([row.n for row in drawn if row.n is not None] + clusters, default=None)

    @property
    def seeds(self) -> int | None:
        """Return the smallest number of seeds among the rows with several; None without any."""
        of_seeds = [row.draws for _, row in self.uncertain if row.draws is not None]
        counts = [len(one.values()) for one in of_seeds if one.of == SEEDS]
        return min(counts, default=None)

    def ends(self, level: float) -> Ends | None:
        """Return the interval of the margin; None if it is undefined in too many draws."""
        uncertain = self.uncertain
        drawn = [row.draws for _, row in uncertain if row.draws is not None]
        if not drawn or len(drawn) < len(uncertain):
            return self._outer(uncertain)
        of_seeds = [one.of == SEEDS for one in drawn]
        signs = [sign for sign, _ in uncertain]
        if not any(of_seeds):
            exact = self._exact(signs, drawn, level)
            if exact is not None:
                return exact
            values = self.margin + _moved(signs, drawn, [row.value for _, row in uncertain])
            return ends_of(Draws(drawn[0].of, lambda: values), level)
        if all(of_seeds) and len({len(one.values()) for one in drawn}) == 1:
            return self._of_seeds(signs, drawn, level)
        return self._outer(uncertain)

    def _of_seeds(self, signs: Sequence[int], drawn: Sequence[Draws], level: float) -> Ends | None:
        """Return Student's interval over seeds, widened by the uncertainty of the images."""
        values = sum(sign * one.values() for sign, one in zip(signs, drawn, strict=True))
        by_seed = np.asarray(values, np.float64)
        if not np.isfinite(by_seed).all():
            return None
        variance = float(by_seed.var(ddof=1)) / len(by_seed)
        pictures = [one.pictures for one in drawn if one.pictures is not None]
        if len(pictures) == len(drawn):
            moved = _moved(signs, pictures, [0.0] * len(signs))
            known = moved[np.isfinite(moved)]
            variance += float(known.var(ddof=1)) if len(known) > 1 else 0.0
        reach = float(special.stdtrit(len(by_seed) - 1, (1 + level) / 2)) * variance**0.5
        return self.margin - reach, self.margin + reach

    def _exact(self, signs: Sequence[int], drawn: Sequence[Draws], level: float) -> Ends | None:
        """Return the exact interval if few images distinguish the sides; None if enough do.

        Two sides are equally good if the images that distinguish them favour either equally often:
        that is McNemar's exact test. For another bound than 0, the shares of the images that favour
        either side have exact intervals.
        """
        if len({one.of for one in drawn}) > 1:
            return None
        counted = [one.by_image() for one in drawn if one.by_image is not None]
        if len(counted) < len(drawn) or len({len(one) for one in counted}) > 1:
            return None
        says = np.asarray(sum(sign * one for sign, one in zip(signs, counted, strict=True)))
        images, bound = len(says), self.margin - float(says.mean())
        ahead, behind = int((says > _NOUGHT).sum()), int((says < -_NOUGHT).sum())
        told = ahead + behind
        whole = bool(np.isin(says, (-1, 0, 1)).all())
        if [METRICS[row.metric] for _, row in self.uncertain] == ["rate"]:
            if not whole or min(told, images - told) >= FEW:
                return None
            ends = sorted(signs[0] * end for end in clopper_pearson(told, images, level))
            return bound + ends[0], bound + ends[1]
        if told >= FEW:
            return None
        low = high = self.margin
        if whole:
            low, high = (self.margin + _reach(ahead, behind, images, level, end) for end in (-1, 1))
        if not told or abs(bound) >= _NOUGHT:
            return (low, high) if whole else None
        # The test says on which side of 0 the difference is, not how far from it.
        size = float(np.abs(says).sum()) / images
        tested = [size * (2 * end - 1) for end in clopper_pearson(ahead, told, level)]
        if self.margin >= 0:
            return min(tested[0], self.margin), max(tested[1], high)
        return min(tested[0], low), max(tested[1], self.margin)

    def _outer(self, rows: Sequence[tuple[int, Row]]) -> Ends:
        """Return the widest margin that the rows' intervals allow; rows without one are exact."""
        low = high = self.margin
        for sign, row in rows:
            if row.low is not None and row.high is not None:
                ends = sorted((sign * (row.low - row.value), sign * (row.high - row.value)))
                low, high = low + ends[0], high + ends[1]
        return low, high


def _reach(ahead: int, behind: int, images: int, level: float, end: int) -> float:
    """Return how far the difference of two shares may be below (end -1) or above (1) its value.

    Each share has its exact interval; the two are not assumed to be at their worst ends together.
    """
    first, second = (
        clopper_pearson(number, images, level)[side > 0] - number / images
        for number, side in ((ahead, end), (behind, -end))
    )
    return end * math.hypot(first, second)


def _moved(
    signs: Sequence[int], drawn: Sequence[Draws], values: Sequence[float]
) -> Float[np.ndarray, " draws"]:
    """Return the change of the difference of the sides, draw by draw, as far as all have draws.

    The first of many draws are the same as few draws, so numbers of the same images stay paired.
    """
    found = [one.values() for one in drawn]
    shared = min(len(one) for one in found)
    moved = sum(
        sign * (one[:shared] - value) for sign, one, value in zip(signs, found, values, strict=True)
    )
    return np.asarray(moved, np.float64)
