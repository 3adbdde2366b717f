"""One architecture's overlaps, seed by seed and image by image, ready to become rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from robust_lib import seeds
from robust_lib.metrics.intervals import percentiles
from robust_lib.metrics.overlap import LEAST_GAIN, Overlaps, overlap_matrix
from robust_lib.protocols.overlap.accuracies import Accuracies, resampled
from robust_lib.protocols.ratios import TAIL

Scores = Float[np.ndarray, "many corruptions corruptions"]
Values = Float[np.ndarray, " many"]
Row = dict[str, Any]


@dataclass(frozen=True)
class Convention:
    """What the paper leaves open.

    Attributes:
        diagonal: whether a corruption's overlap with itself counts in its mean.
        least_gain: what training with a corruption must gain against it; otherwise it has no
            overlaps.
        divide_by_clean: whether robustness is a share of the clean accuracy, as the paper has it.
    """

    diagonal: bool = False
    least_gain: float = LEAST_GAIN
    divide_by_clean: bool = True

    @property
    def words(self) -> str:
        """Return what an overlap is, in words."""
        robustness = "accuracy over clean accuracy" if self.divide_by_clean else "raw accuracy"
        return f"{robustness}, own gains above {self.least_gain:g}"

    def overlaps(
        self,
        accuracy: Float[np.ndarray, "many models corruptions"],
        clean: Float[np.ndarray, "many models"],
    ) -> Overlaps:
        """Return the overlaps of all pairs, of each seed or resample."""
        return overlap_matrix(
            accuracy, clean, least_gain=self.least_gain, divide_by_clean=self.divide_by_clean
        )


@dataclass(frozen=True, eq=False)
class Study:
    """The overlaps of one architecture.

    Attributes:
        model: name of the architecture.
        table: its accuracies.
        convention: what the paper leaves open.
        scores: by seed.
        defined: which corruptions have scores for every seed.
        draws: by resample of the images; None where there are none.
    """

    model: str
    table: Accuracies
    convention: Convention
    scores: Scores
    defined: Bool[np.ndarray, " corruptions"]
    draws: Float[np.ndarray, "draws corruptions corruptions"] | None

    @classmethod
    def of(
        cls, model: str, table: Accuracies, convention: Convention, *, samples: int, seed: int
    ) -> "Study":
        """Return the study of an architecture's accuracies; without samples, without draws.

        Every architecture is resampled with the same images.
        """
        found = convention.overlaps(table.accuracy, table.clean)
        draws = None
        if samples:
            rng = seeds.generator(seed, "overlap", "bootstrap")
            drawn = resampled(table, rng=rng, samples=samples)
            draws = None if drawn is None else convention.overlaps(*drawn).scores
        defined = np.asarray(found.defined.all(0))
        return cls(model, table, convention, found.scores, defined, draws)

    def places(self, names: Sequence[str]) -> list[int]:
        """Return where those of some corruptions stand that have scores."""
        where = {name: place for place, name in enumerate(self.table.corruptions)}
        return [where[name] for name in names if name in where and self.defined[where[name]]]

    def mask(self, names: Sequence[str]) -> Bool[np.ndarray, " corruptions"]:
        """Return which corruptions have scores and are some of these."""
        mask = np.zeros(len(self.table.corruptions), bool)
        mask[self.places(names)] = True
        return mask

    def part(self, names: Sequence[str]) -> Scores:
        """Return the scores of those of some corruptions that have any, by seed."""
        places = np.array(self.places(names), np.int64)
        return np.asarray(self.scores[:, places[:, None], places])

    def row(
        self,
        item: str,
        metric: str,
        corruption: str | None,
        statistic: Callable[[Scores], Values],
        *words: str,
        of: Sequence[str] = (),
    ) -> Row:
        """Return a row with a statistic of the scores and how far it could move.

        Args:
            item: ledger id.
            metric: what it is called.
            corruption: what it is about.
            statistic: a number for each matrix.
            words: said beside it.
            of: the corruptions it should be over; those without scores are named beside it.
        """
        kept = {self.table.corruptions[place] for place in self.places(of)}
        lost = [name for name in of if name not in kept]
        told = [self.table.words, self.convention.words, *words]
        told += [f"without {', '.join(lost)}"] if lost else []
        row = self.cell(self.model, metric, corruption, statistic(self.scores))
        row |= {"item": item, "convention": "; ".join(told)}
        if self.draws is None:
            return row
        return row | around(row["value"], self._percentiles(statistic(self.draws)))

    def cell(self, model: str, metric: str, corruption: str | None, values: Values) -> Row:
        """Return a row with a number of each seed: their mean, the least and the greatest."""
        return {
            "item": "overlap-fig2",
            "dataset": self.table.dataset,
            "model": model,
            "corruption": corruption,
            "metric": metric,
            "convention": None if corruption is None else self.table.words,
            "n": self.table.n,
            "n_full": self.table.n_full,
            **mean_of(values),
        }

    def _percentiles(self, drawn: Values) -> tuple[float, float] | None:
        """Return the ends of an interval, or None if too many resamples have no such number."""
        known: Values = drawn[np.isfinite(drawn)]
        return percentiles(known) if len(known) >= (1 - TAIL) * len(drawn) else None


def mean_of(values: Values) -> dict[str, float | None]:
    """Return the mean over seeds as a column, and the least and the greatest if there are two.

    >>> mean_of(np.array([0.5, 1.0]))
    {'value': 0.75, 'low': 0.5, 'high': 1.0}
    """
    ends = (float(values.min()), float(values.max())) if len(values) > 1 else None
    return around(float(values.mean()), ends)


def around(value: float, ends: tuple[float, float] | None) -> dict[str, float | None]:
    """Return value, low and high as columns.

    A value at the end of what is possible may lie outside the percentiles of its resamples.
    """
    low, high = (None, None) if ends is None else (min(ends[0], value), max(ends[1], value))
    return {"value": value, "low": low, "high": high}
