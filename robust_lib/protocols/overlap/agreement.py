"""Agreement: whether two architectures have the same overlaps [overlap, sec. 4.1].

Beside it stands how far two trainings of one architecture agree, for no two architectures can be
expected to agree more.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from robust_lib import seeds
from robust_lib.metrics.mantel import mantel, rank_correlation
from robust_lib.protocols.overlap.study import Row, Scores, Study, Values, mean_of
from robust_lib.vocabulary import COMMON

ITEM = "overlap-claim-arch"


def agreement(studies: Sequence[Study], permutations: int, seed: int) -> Iterator[Row]:
    """Yield the rank correlation of two architectures' overlaps and the share of its test.

    With more than two architectures, the two that agree least. There are no rows if fewer than
    three corruptions have scores in both, or all scores are the same.

    Args:
        studies: of architectures with as many seeds each.
        permutations: of the corruptions, rows and columns together.
        seed: of the permutations.
    """
    found: list[tuple[Row, Row]] = []
    for one, other in combinations(studies, 2):
        names = [name for name in COMMON if one.places([name]) and other.places([name])]
        first, second = one.part(names), other.part(names)
        if not (_ranked(first) and _ranked(second)):
            continue
        values = [rank_correlation(a, b) for a, b in zip(first, second, strict=True)]
        words = f"between {one.model} and {other.model}"
        rng = seeds.generator(seed, "overlap", "mantel", one.model, other.model)
        test = mantel(first.mean(0), second.mean(0), rng=rng, permutations=permutations)
        row = _row(one, values, words) | {"model": None}
        share = {
            "metric": "share",
            "convention": f"of {permutations:,} permutations, those that correlate as much {words}",
            "n": permutations,
            "n_full": permutations,
            **mean_of(np.array([test.p_value])),
        }
        found.append((row, row | share))
    yield from min(found, key=lambda rows: float(rows[0]["value"]), default=())


def between_seeds(study: Study) -> Iterator[Row]:
    """Yield the rank correlation of two trainings of one architecture, if there are two."""
    part = study.part(COMMON)
    if len(part) > 1 and _ranked(part):
        values = [rank_correlation(one, other) for one, other in combinations(part, 2)]
        yield _row(study, values, "between its seeds")


def _ranked(part: Scores) -> bool:
    """Return whether each matrix has pairs that differ."""
    rows, columns = np.triu_indices(part.shape[-1], 1)
    return len(rows) > 1 and bool((np.ptp(part[:, rows, columns], axis=1) > 0).all())


def _row(study: Study, values: Sequence[float], words: str) -> Row:
    made: Values = np.array(values)
    row = study.cell(study.model, "rank_correlation", None, made)
    told = (study.table.words, study.convention.words, f"Spearman's of the pairs {words}")
    return row | {"item": ITEM, "convention": "; ".join(told)}
