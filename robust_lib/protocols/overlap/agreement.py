"""Agreement: whether two architectures have the same overlaps [overlap, sec. 4.1].

Beside it stands how far two trainings of one architecture agree, for no two architectures can be
expected to agree more.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from robust_lib import seeds
from robust_lib.metrics.mantel import mantel, rank_correlation
from robust_lib.protocols.overlap.scores import ArchitectureOverlaps, Scores
from robust_lib.results.estimate import Estimate
from robust_lib.results.row import Row
from robust_lib.vocabulary import COMMON

ITEM = "overlap-claim-arch"


def agreement(
    architectures: Sequence[ArchitectureOverlaps], permutations: int, seed: int
) -> Iterator[Row]:
    """Yield the rank correlation of two architectures' overlaps and the share of its test.

    With more than two architectures, the two that agree least. There are no rows if fewer than
    three corruptions have scores in both, or all scores are the same.

    Args:
        architectures: with as many seeds each.
        permutations: of the corruptions, rows and columns together.
        seed: of the permutations.

    >>> from robust_lib.protocols.overlap.accuracies import Accuracies
    >>> by_network = [[0.2, 0.2, 0.2], [0.8, 0.6, 0.4], [0.6, 0.8, 0.3], [0.4, 0.3, 0.8]]
    >>> one = Accuracies(dataset="toys", corruptions=("fog", "snow", "frost"),
    ...     clean=np.full((1, 4), 0.8), accuracy=np.array([by_network]), n=9, n_full=9,
    ...     words="memory")
    >>> both = [ArchitectureOverlaps.of(name, one) for name in ("resnet18", "densenet121")]
    >>> [(row.metric, round(row.value, 2)) for row in agreement(both, permutations=9, seed=0)][0]
    ('rank_correlation', 1.0)
    """
    found: list[tuple[Row, Row]] = []
    for one, other in combinations(architectures, 2):
        names = [name for name in COMMON if one.places([name]) and other.places([name])]
        first, second = one.part(names), other.part(names)
        if not (_ranked(first) and _ranked(second)):
            continue
        values = [rank_correlation(a, b) for a, b in zip(first, second, strict=True)]
        between = f"between {one.model} and {other.model}"
        rng = seeds.generator(seed, "overlap", "mantel", one.model, other.model)
        test = mantel(first.mean(0), second.mean(0), rng=rng, permutations=permutations)
        share = Row.of(
            Estimate.over([test.p_value], n=permutations),
            item=ITEM,
            dataset=one.table.dataset,
            metric="share",
            convention=f"of {permutations:,} permutations, those that correlate as much {between}",
        )
        found.append((replace(_row(one, values, between), model=None), share))
    yield from min(found, key=lambda rows: rows[0].value, default=())


def between_seeds(one: ArchitectureOverlaps) -> Iterator[Row]:
    """Yield the rank correlation of two trainings of one architecture, if there are two.

    >>> from robust_lib.protocols.overlap.accuracies import Accuracies
    >>> by_network = [[0.2, 0.2, 0.2], [0.8, 0.6, 0.4], [0.6, 0.8, 0.3], [0.4, 0.3, 0.8]]
    >>> one = Accuracies(dataset="toys", corruptions=("fog", "snow", "frost"),
    ...     clean=np.full((2, 4), 0.8), accuracy=np.array(2 * [by_network]), n=9, n_full=9,
    ...     words="memory")
    >>> round(next(between_seeds(ArchitectureOverlaps.of("resnet18", one))).value, 2)
    1.0
    """
    part = one.part(COMMON)
    if len(part) > 1 and _ranked(part):
        values = [rank_correlation(first, second) for first, second in combinations(part, 2)]
        yield _row(one, values, "between its seeds")


def _ranked(part: Scores) -> bool:
    """Return whether each matrix has pairs that differ."""
    rows, columns = np.triu_indices(part.shape[-1], 1)
    return len(rows) > 1 and bool((np.ptp(part[:, rows, columns], axis=1) > 0).all())


def _row(one: ArchitectureOverlaps, values: Sequence[float], between: str) -> Row:
    words = (one.table.words, one.convention.words, f"Spearman's of the pairs {between}")
    return Row.of(
        one.estimate(values),
        item=ITEM,
        dataset=one.table.dataset,
        model=one.model,
        metric="rank_correlation",
        convention="; ".join(words),
    )
