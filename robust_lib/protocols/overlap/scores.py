"""One architecture's overlap scores, by seed and by resample of the images, as rows and frames.

Data frames have NaN for pairs that are not judged; `reasons` explains why.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float

from robust_lib.metrics.leaning import largest
from robust_lib.metrics.overlap import mean_overlap, over_seeds
from robust_lib.protocols.overlap.accuracies import Accuracies, resampled
from robust_lib.protocols.overlap.convention import PAPER, Convention, Judged
from robust_lib.results.estimate import Draws, Ends, Estimate, ends_of
from robust_lib.results.row import Row
from robust_lib.vocabulary import COMMON

Scores = Float[np.ndarray, "many corruptions corruptions"]
Values = Float[np.ndarray, " many"]
Statistic = Callable[[Scores], Values]
Resamples = tuple[
    Float[np.ndarray, "draws models corruptions"],
    Float[np.ndarray, "draws models"],
]


@dataclass(frozen=True, eq=False)
class ArchitectureOverlaps:
    """The overlapping scores of one architecture.

    Attributes:
        scores: scores of all pairs by seed, judged or not.
        draws: the scores by resample of the images; None without resamples.
        resamples: the accuracies behind the draws, on corrupted and on clean images.

    >>> one = toys.judged("fog", "snow")["resnet18"]
    >>> one.places(["snow", "frost"]), one.part(["fog", "snow"]).round(2).tolist()
    ([1], [[[1.0, 0.1], [0.1, 1.0]]])
    """

    model: str
    table: Accuracies
    convention: Convention
    scores: Scores
    judged: Judged
    draws: Float[np.ndarray, "draws corruptions corruptions"] | None
    resamples: Resamples | None = None

    @classmethod
    def of(
        cls,
        model: str,
        table: Accuracies,
        convention: Convention = PAPER,
        *,
        samples: int = 0,
    ) -> "ArchitectureOverlaps":
        """Return the overlaps from an architecture's accuracies; without `samples`, no draws.

        Every architecture is resampled with the same images.
        """
        found, resamples = convention.overlaps(table.accuracy, table.clean), None
        if samples:
            resamples = resampled(table, samples=samples)
        drawn = None if resamples is None else convention.overlaps(*resamples)
        judged = Judged.of(convention, table.clean, found, drawn)
        draws = None if drawn is None else drawn.scores
        return cls(model, table, convention, found.scores, judged, draws, resamples)

    def places(self, names: Sequence[str]) -> list[int]:
        """Return the indices of some corruptions in the table; missing ones are left out."""
        where = {name: place for place, name in enumerate(self.table.corruptions)}
        return [where[name] for name in names if name in where]

    def pairs(self, names: Sequence[str]) -> Bool[np.ndarray, "some some"]:
        """Return which pairs of some corruptions can be judged; missing ones are left out."""
        places = self.places(names)
        return np.asarray(self.judged.pairs[np.ix_(places, places)])

    def part(self, names: Sequence[str]) -> Scores:
        """Return the scores of some corruptions, by seed; missing corruptions are left out."""
        places = np.array(self.places(names), np.int64)
        return np.asarray(self.scores[:, places[:, None], places])

    def drawn_part(self, names: Sequence[str]) -> Scores | None:
        """Return the scores of some corruptions, by resample of the images."""
        places = np.array(self.places(names), np.int64)
        return None if self.draws is None else np.asarray(self.draws[:, places[:, None], places])

    def row(
        self,
        item: str,
        metric: str,
        corruption: str,
        statistic: Statistic,
        *words: str,
        draws: Draws | None = None,
    ) -> Row:
        """Return the row of a statistic of the scores, with its interval.

        Args:
            draws: draws to use in place of the statistic in each resample.
        """
        return Row.of(
            self.estimate(statistic(self.scores), draws or self.drawn(statistic)),
            item=item,
            dataset=self.table.dataset,
            model=self.model,
            corruption=corruption,
            metric=metric,
            convention="; ".join((self.table.words, self.convention.words, *words)),
        )

    def row_by_seed(self, model: str, metric: str, corruption: str | None, values: Values) -> Row:
        """Return the row of a number of one of the networks that has one value per seed."""
        return Row.of(
            self.estimate(values),
            item="overlap-fig2",
            dataset=self.table.dataset,
            model=model,
            corruption=corruption,
            metric=metric,
            convention=None if corruption is None else self.table.words,
        )

    def estimate(self, by_seed: Sequence[float] | Values, draws: Draws | None = None) -> Estimate:
        """Return the estimate of a number that has one value per seed, over the table's images."""
        interval: Callable[[], Ends | None] | None = None
        if draws is not None:
            interval = partial(ends_of, draws)
        table = self.table
        return Estimate.over(by_seed, interval, n=table.n, n_full=table.n_full, draws=draws)

    def drawn_largest(self, one: int, others: Sequence[int]) -> Draws | None:
        """Return the draws of a corruption's largest overlap with others, without upward bias.

        Scores are at least 0, and so are the draws after the bias is removed.
        """
        if self.draws is None:
            return None
        known = [other for other in others if self.judged.pairs[one, other]]
        values = np.maximum(largest(self.draws[:, one, known].T), 0.0)
        return Draws(f"{self.table.dataset} overlaps", lambda: values)

    def drawn(self, statistic: Statistic) -> Draws | None:
        """Return the draws of a statistic in resamples that all architectures share."""
        if self.draws is None:
            return None
        values = statistic(self.draws)
        return Draws(f"{self.table.dataset} overlaps", lambda: values)


def matrix(one: ArchitectureOverlaps) -> pd.DataFrame:
    """Return the overlaps as a matrix, averaged over seeds; NaN for pairs that are not judged.

    >>> matrix(toys.judged("fog", "snow")["resnet18"]).round(2).to_numpy().tolist()
    [[1.0, 0.1], [0.1, 1.0]]
    """
    shown = one.judged.pairs | np.diag(one.judged.corruptions)
    names = list(one.table.corruptions)
    return pd.DataFrame(np.where(shown, over_seeds(one.scores).mean, np.nan), names, names)


def reasons(one: ArchitectureOverlaps) -> pd.DataFrame:
    """Return why each pair has no overlap that can be judged; empty if it has one.

    >>> reasons(toys.judged("fog", "snow")["resnet18"]).to_numpy().tolist()
    [['', ''], ['', '']]
    """
    names = list(one.table.corruptions)
    places = range(len(names))
    found = [[one.judged.why_not(row, column) or "" for column in places] for row in places]
    return pd.DataFrame(found, names, names)


def means(one: ArchitectureOverlaps) -> pd.Series:
    """Return each common corruption's mean overlap over its judged pairs; NaN for the others.

    >>> means(toys.judged("fog", "snow")["resnet18"]).round(2).to_dict()
    {'fog': 0.1, 'snow': 0.1}
    """
    places = one.places(COMMON)
    pairs = among(one.judged.pairs, places)
    found = mean_overlap(one.scores, diagonal=one.convention.diagonal, pairs=pairs).mean(0)
    return pd.Series(found, index=list(one.table.corruptions))


def among(pairs: np.ndarray, places: list[int]) -> np.ndarray:
    """Return which pairs are between corruptions at the given positions.

    >>> among(np.ones((3, 3), bool), [0, 2]).astype(int).tolist()
    [[1, 0, 1], [0, 0, 0], [1, 0, 1]]
    """
    inside = np.isin(np.arange(len(pairs)), places)
    return np.asarray(pairs & np.outer(inside, inside))


def complete(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the matrix without the corruptions that leave some pairs without a score.

    The corruption with the most gaps is removed first (the last one if several tie), until no gap
    is left.

    >>> scores = np.array([[1, 0.5, np.nan], [0.5, 1, 0.2], [np.nan, 0.2, 1]])
    >>> list(complete(pd.DataFrame(scores, list("abc"), list("abc"))).index)
    ['a', 'b']
    """
    kept = frame
    while (gaps := kept.isna().sum()).any():
        worst = gaps[gaps == gaps.max()].index[-1]
        kept = kept.drop(index=worst, columns=worst)
    return kept
