"""Agreement of the overlaps of two architectures [overlap, sec. 4.1].

The agreement of two trainings of one architecture is its ceiling: two architectures cannot be
expected to agree more.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np
from jaxtyping import Bool, Float

from robust_lib import seeds
from robust_lib.metrics.leaning import mirrored
from robust_lib.metrics.mantel import mantel, rank_correlation
from robust_lib.protocols.overlap.groups import possible
from robust_lib.protocols.overlap.scores import ArchitectureOverlaps, Scores, Values
from robust_lib.results.estimate import Draws, Estimate
from robust_lib.results.row import Row
from robust_lib.vocabulary import COMMON

ITEM = "overlap-claim-arch"
MEASURED = "of measured scores, whose noise lowers it"
CEILING = "rank_correlation_between_seeds"

Pairs = Bool[np.ndarray, "some some"]


def agreement(
    architectures: Sequence[ArchitectureOverlaps], permutations: int, seed: int
) -> Iterator[Row]:
    """Yield the rank correlation of two architectures' overlaps and the p-value of its test.

    It is over the pairs that are judged in both. With more than two architectures, it is for the
    two that agree least. There are no rows if fewer than three pairs are judged in both, or if all
    scores are the same.

    >>> both = [*toys.judged("fog", "gaussian_noise", "shot_noise").values()] * 2
    >>> [(row.metric, round(row.value, 2)) for row in agreement(both, permutations=9, seed=0)][0]
    ('rank_correlation', 1.0)
    """
    found: list[tuple[Row, Row]] = []
    for one, other in combinations(architectures, 2):
        names = common(one, other)
        pairs = judged_in_both(one, other)
        first, second = one.part(names), other.part(names)
        if not (_ranked(first, pairs) and _ranked(second, pairs)):
            continue
        between = f"between {one.model} and {other.model}, {_counted(pairs)}"
        rng = seeds.generator(seed, "overlap", "mantel", one.model, other.model)
        middle = first.mean(0), second.mean(0)
        test = mantel(*middle, rng=rng, permutations=permutations, pairs=pairs)
        share = Row.of(
            Estimate.over([test.p_value], n=permutations),
            item=ITEM,
            dataset=one.table.dataset,
            metric="share",
            convention=f"of {permutations:,} permutations, those that correlate at least as much "
            f"{between}",
        )
        values = _correlations(first, second, pairs)
        measured = float(np.mean(values))
        row = _row(one, values, between, _drawn(one, other, names, pairs, measured))
        found.append((replace(row, model=None), share))
    yield from min(found, key=lambda rows: rows[0].value, default=())


def between_seeds(one: ArchitectureOverlaps, *others: ArchitectureOverlaps) -> Iterator[Row]:
    """Yield the rank correlation of two trainings of one architecture, if there are two.

    It is over the pairs that are also judged in the other architectures, so that the ceiling and
    the agreement are over the same pairs.

    >>> table = toys.overlaps("fog", "gaussian_noise", "shot_noise", seeds=2)["resnet18"]
    >>> round(next(between_seeds(ArchitectureOverlaps.of("resnet18", table))).value, 2)
    1.0
    """
    names = [name for name in COMMON if all(each.places([name]) for each in (one, *others))]
    part, pairs = one.part(names), one.pairs(names)
    for other in others:
        pairs = pairs & other.pairs(names)
    if len(part) > 1 and _ranked(part, pairs):
        values = [rank_correlation(*two, pairs) for two in combinations(part, 2)]
        # Pairs of seeds are no draws: none belongs to one seed of another number.
        yield replace(_row(one, values, f"between its seeds, {_counted(pairs)}"), draws=None)


def ceiling(
    by_architecture: Sequence[tuple[float, float, float]],
    *,
    dataset: str,
    words: str = "of this run",
) -> Row:
    """Return the ceiling of the agreement: that between seeds, averaged over architectures.

    Args:
        by_architecture: the rank correlation between two seeds, (value, low, high).

    >>> row = ceiling([(0.5, 0.4, 0.6), (0.7, 0.65, 0.75)], dataset="toys", words="three seeds")
    >>> round(row.value, 2), row.low, row.high
    (0.6, 0.4, 0.75)
    """
    values, lows, highs = zip(*by_architecture, strict=True)
    number = len(values)
    mean = sum(values) / number
    found = Estimate(value=mean, low=min(lows), high=max(highs), n=number, n_full=number)
    said = f"mean of {number} architectures, least and greatest two seeds; {words}"
    return Row.of(found, item=ITEM, dataset=dataset, metric=CEILING, convention=said)


def common(one: ArchitectureOverlaps, other: ArchitectureOverlaps) -> list[str]:
    """Return the corruptions with which networks of both architectures were trained.

    >>> one = toys.judged("fog", "border")["resnet18"]
    >>> common(one, one)
    ['fog']
    """
    return [name for name in COMMON if one.places([name]) and other.places([name])]


def judged_in_both(one: ArchitectureOverlaps, other: ArchitectureOverlaps) -> Pairs:
    """Return which pairs of `common` corruptions are judged in both architectures.

    >>> one = toys.judged("fog", "snow")["resnet18"]
    >>> judged_in_both(one, one).tolist()
    [[False, True], [True, False]]
    """
    names = common(one, other)
    return np.asarray(one.pairs(names) & other.pairs(names))


def _ranked(part: Scores, pairs: Pairs) -> bool:
    """Return whether each matrix has pairs that differ."""
    values: Float[np.ndarray, "many pairs"] = part[:, np.triu(pairs, 1)]
    return values.shape[1] > 2 and bool((np.ptp(values, axis=1) > 0).all())


def _correlations(first: Scores, second: Scores, pairs: Pairs) -> Values:
    """Return the rank correlation of each two matrices, NaN if it means nothing."""
    found = np.full(len(first), np.nan)
    for place, (one, other) in enumerate(zip(first, second, strict=True)):
        known = pairs & np.isfinite(one) & np.isfinite(other)
        if _ranked(one[None], known) and _ranked(other[None], known):
            found[place] = rank_correlation(one, other, known)
    return found


def _drawn(
    one: ArchitectureOverlaps,
    other: ArchitectureOverlaps,
    names: Sequence[str],
    pairs: Pairs,
    measured: float,
) -> Draws | None:
    """Return the rank correlation on resamples of the images, the same ones for both.

    Resampling adds noise, and noise lowers a correlation: the draws are below what was measured.
    """
    first, second = one.drawn_part(names), other.drawn_part(names)
    if first is None or second is None:
        return None
    values = mirrored(_correlations(first, second, pairs), measured, least=-1.0)
    return Draws(f"{one.table.dataset} overlaps", partial(np.asarray, values))


def _counted(pairs: Pairs) -> str:
    return f"{int(pairs.sum()) // 2} of {possible(COMMON)} pairs"


def _row(
    one: ArchitectureOverlaps,
    values: Sequence[float] | Values,
    between: str,
    draws: Draws | None = None,
) -> Row:
    words = (
        one.table.words,
        one.convention.words,
        f"Spearman's {MEASURED}, of the pairs {between}",
    )
    return Row.of(
        one.estimate(values, draws),
        item=ITEM,
        dataset=one.table.dataset,
        model=one.model,
        metric="rank_correlation",
        convention="; ".join(words),
    )
