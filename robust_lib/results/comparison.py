"""One comparison of two numbers of a claim, with a paired interval where possible."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from robust_lib.results.estimate import SEEDS, Draws, Ends, ends_of
from robust_lib.results.row import METRICS, Row

LEVEL = 0.95
FEWEST = 5
"""Things behind a number: the resamples of fewer do not know how things vary."""
_EXACT = ("count", "setting")


@dataclass(frozen=True)
class Comparison:
    """Two neighbouring sides of a claim.

    Attributes:
        margin: above 0 in the paper's direction.
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

    def speaks(self, comparisons: int) -> Literal["for", "against", "neither"]:
        """Return the interval's verdict, as one of several comparisons of a claim."""
        if self.fewest is not None and self.fewest < FEWEST:
            return "neither"
        ends = self.ends(LEVEL)
        low = None if ends is None else ends[0]
        if low is not None and (low > 0 or (low == 0 and not self.strict)):
            return "for"
        ends = self.ends(1 - (1 - LEVEL) / comparisons)
        high = None if ends is None else ends[1]
        if high is not None and (high < 0 or (high == 0 and self.strict)):
            return "against"
        return "neither"

    @property
    def uncertain(self) -> Sequence[tuple[int, Row]]:
        """Return the rows that another sample would change."""
        return [(sign, row) for sign, row in self.rows if METRICS[row.metric] not in _EXACT]

    @property
    def fewest(self) -> int | None:
        """Return the smallest number of resampled things, None without any."""
        drawn = [row.n for _, row in self.uncertain if row.draws is not None and row.n is not None]
        return min(drawn, default=None)

    def ends(self, level: float) -> Ends | None:
        """Return the interval of the margin, None if too many draws have no such number."""
        uncertain = self.uncertain
        drawn = [row.draws for _, row in uncertain if row.draws is not None]
        if drawn and len(drawn) == len(uncertain):
            values = [one.values() for one in drawn]
            alike = len({one.of == SEEDS for one in drawn}) == 1
            if alike and len({len(one) for one in values}) == 1:
                signs = [sign for sign, _ in uncertain]
                moved = sum(
                    sign * (one - row.value)
                    for sign, one, (_, row) in zip(signs, values, uncertain, strict=True)
                )
                total = self.margin + np.asarray(moved)
                return ends_of(Draws(drawn[0].of, lambda: total), level)
        return self._outer(uncertain)

    def _outer(self, rows: Sequence[tuple[int, Row]]) -> Ends:
        """Return the widest margin that the rows' own intervals allow; a row without is exact."""
        low = high = self.margin
        for sign, row in rows:
            if row.low is not None and row.high is not None:
                ends = sorted((sign * (row.low - row.value), sign * (row.high - row.value)))
                low, high = low + ends[0], high + ends[1]
        return low, high
