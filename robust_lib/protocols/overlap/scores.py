"""One architecture's overlap scores, seed by seed and image by image, ready to become rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float

from robust_lib import seeds
from robust_lib.metrics.intervals import TAIL, percentiles
from robust_lib.metrics.overlap import LEAST_GAIN, Overlaps, overlap_matrix
from robust_lib.metrics.overlap_summary import mean_overlap, over_seeds
from robust_lib.protocols.overlap.accuracies import Accuracies, resampled
from robust_lib.results.estimate import Estimate
from robust_lib.results.row import Row
from robust_lib.vocabulary import COMMON

Scores = Float[np.ndarray, "many corruptions corruptions"]
Values = Float[np.ndarray, " many"]


@dataclass(frozen=True)
class Convention:
    """What the paper leaves open.

    Attributes:
        diagonal: whether a corruption's overlap with itself counts in its mean.
        least_gain: what training with a corruption must gain against it; otherwise it has no
            overlaps.
        divide_by_clean: whether robustness is a share of the clean accuracy, as the paper has it.

    >>> accuracy = np.array([[[0.2, 0.2], [0.8, 0.4], [0.4, 0.8]]])
    >>> clean = np.array([[0.9, 0.8, 0.8]])  # the standard network, with fog, with snow
    >>> ours = Convention(divide_by_clean=False)
    >>> [float(one.overlaps(accuracy, clean).scores[0, 0, 1].round(2)) for one in (PAPER, ours)]
    [0.36, 0.33]
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


PAPER = Convention()


@dataclass(frozen=True, eq=False)
class ArchitectureOverlaps:
    """The overlaps of one architecture.

    Attributes:
        model: name of the architecture.
        table: its accuracies.
        convention: what the paper leaves open.
        scores: by seed.
        defined: which corruptions have scores for every seed.
        draws: by resample of the images; None where there are none.

    >>> accuracy = np.array([[[0.2, 0.2], [0.8, 0.4], [0.4, 0.8]]])
    >>> table = Accuracies(dataset="toys", corruptions=("fog", "snow"), accuracy=accuracy,
    ...     clean=np.full((1, 3), 0.8), n=9, n_full=9, words="memory")
    >>> one = ArchitectureOverlaps.of("resnet18", table)
    >>> one.places(["snow", "frost"]), one.part(["fog", "snow"]).round(2).tolist()
    ([1], [[[1.0, 0.33], [0.33, 1.0]]])
    """

    model: str
    table: Accuracies
    convention: Convention
    scores: Scores
    defined: Bool[np.ndarray, " corruptions"]
    draws: Float[np.ndarray, "draws corruptions corruptions"] | None

    @classmethod
    def of(
        cls,
        model: str,
        table: Accuracies,
        convention: Convention = PAPER,
        *,
        samples: int = 0,
        seed: int = 0,
    ) -> "ArchitectureOverlaps":
        """Return the overlaps that an architecture's accuracies give; without samples, no draws.

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
        corruption: str,
        statistic: Callable[[Scores], Values],
        *words: str,
        of: Sequence[str] = (),
    ) -> Row:
        """Return the row of a statistic of the scores, with its interval.

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
        said = [self.table.words, self.convention.words, *words]
        said += [f"without {', '.join(lost)}"] if lost else []
        return Row.of(
            self.estimate(statistic(self.scores), lambda: self._percentiles(statistic)),
            item=item,
            dataset=self.table.dataset,
            model=self.model,
            corruption=corruption,
            metric=metric,
            convention="; ".join(said),
        )

    def row_by_seed(self, model: str, metric: str, corruption: str | None, values: Values) -> Row:
        """Return the row of a number of each seed of one of the architecture's networks."""
        return Row.of(
            self.estimate(values),
            item="overlap-fig2",
            dataset=self.table.dataset,
            model=model,
            corruption=corruption,
            metric=metric,
            convention=None if corruption is None else self.table.words,
        )

    def estimate(
        self,
        by_seed: Sequence[float] | Values,
        interval: Callable[[], tuple[float, float] | None] | None = None,
    ) -> Estimate:
        """Return the estimate of a number of each seed, over the table's images."""
        return Estimate.over(by_seed, interval, n=self.table.n, n_full=self.table.n_full)

    def _percentiles(self, statistic: Callable[[Scores], Values]) -> tuple[float, float] | None:
        """Return the ends of an interval, or None if too many resamples have no such number."""
        if self.draws is None:
            return None
        drawn = statistic(self.draws)
        known: Values = drawn[np.isfinite(drawn)]
        return percentiles(known) if len(known) >= (1 - TAIL) * len(drawn) else None


def matrix(table: Accuracies, convention: Convention = PAPER) -> pd.DataFrame:
    """Return the overlaps, means over seeds; missing (NaN) where a seed has none.

    >>> accuracy = np.array([[[0.2, 0.2], [0.8, 0.4], [0.4, 0.8]]])
    >>> one = Accuracies(dataset="toys", corruptions=("fog", "snow"), accuracy=accuracy,
    ...     clean=np.full((1, 3), 0.8), n=9, n_full=9, words="memory")
    >>> matrix(one).round(2).to_numpy().tolist()
    [[1.0, 0.33], [0.33, 1.0]]
    """
    spread = over_seeds(convention.overlaps(table.accuracy, table.clean).scores)
    names = list(table.corruptions)
    return pd.DataFrame(spread.mean, index=names, columns=names)


def means(table: Accuracies, convention: Convention = PAPER) -> pd.Series:
    """Return each common corruption's mean overlap with the others; missing for other ones.

    >>> accuracy = np.array([[[0.2, 0.2], [0.8, 0.4], [0.4, 0.8]]])
    >>> one = Accuracies(dataset="toys", corruptions=("fog", "snow"), accuracy=accuracy,
    ...     clean=np.full((1, 3), 0.8), n=9, n_full=9, words="memory")
    >>> means(one).round(2).to_dict()
    {'fog': 0.33, 'snow': 0.33}
    """
    found = ArchitectureOverlaps.of("", table, convention)
    among = found.mask(COMMON)
    values = np.full(len(table.corruptions), np.nan)
    if among.sum() > 1:
        values = mean_overlap(found.scores, diagonal=convention.diagonal, among=among).mean(0)
    return pd.Series(values, index=list(table.corruptions))


def undefined(table: Accuracies, convention: Convention = PAPER) -> tuple[str, ...]:
    """Return the corruptions without overlaps: training with them hardly helps against them.

    >>> accuracy = np.array([[[0.2, 0.2], [0.8, 0.4], [0.4, 0.8]]])
    >>> one = Accuracies(dataset="toys", corruptions=("fog", "snow"), accuracy=accuracy,
    ...     clean=np.full((1, 3), 0.8), n=9, n_full=9, words="memory")
    >>> undefined(one), undefined(one, Convention(least_gain=0.9))
    ((), ('fog', 'snow'))
    """
    defined = ArchitectureOverlaps.of("", table, convention).defined
    return tuple(name for name, has in zip(table.corruptions, defined, strict=True) if not has)
