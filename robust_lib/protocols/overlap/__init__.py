"""The overlap protocol: overlaps, means, groups and the agreement of architectures, as rows.

The definitions are those of [overlap, sec. 3 and 4]; what the paper leaves open is said in words
beside every number.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np
from jaxtyping import Bool

from robust_lib.errors import InputError
from robust_lib.metrics.overlap import robustness_score
from robust_lib.metrics.overlap_summary import group_overlap, largest_overlap, mean_overlap
from robust_lib.protocols.overlap.accuracies import Accuracies
from robust_lib.protocols.overlap.agreement import agreement, between_seeds
from robust_lib.protocols.overlap.groups import BLOCKS, HALVES
from robust_lib.protocols.overlap.scores import (
    PAPER,
    ArchitectureOverlaps,
    Convention,
    Scores,
    Values,
)
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.vocabulary import COMMON, NAMES, OCCLUSION, is_user_function


def results(
    tables: Mapping[str, Accuracies],
    convention: Convention = PAPER,
    *,
    samples: int = 1000,
    permutations: int = 9999,
    seed: int = 0,
) -> Results:
    """Return all numbers of the overlap chapters that accuracies give, as rows.

    With one seed there are intervals only where the answers to each image are known: 95 % bootstrap
    ones. A corruption that training hardly helps against has no rows; where a mean lacks it, the
    convention says so.

    Args:
        tables: architecture -> its accuracies.
        convention: what the paper leaves open.
        samples: bootstrap resamples.
        permutations: of the test whether two architectures agree.
        seed: of both.

    Raises:
        InputError: no architecture, architectures of several data sets or numbers of seeds, or
            arrays that hold no accuracies.

    >>> accuracy = np.array([[[0.2, 0.2], [0.8, 0.4], [0.4, 0.8]]])
    >>> one = Accuracies(dataset="toys", corruptions=("fog", "snow"), accuracy=accuracy,
    ...     clean=np.full((1, 3), 0.8), n=9, n_full=9, words="memory")
    >>> round(results({"resnet18": one}).row(metric="overlap", corruption="snow+fog").value, 2)
    0.33
    """
    if len({(table.dataset, table.seeds) for table in tables.values()}) != 1:
        found = {name: (table.dataset, table.seeds) for name, table in tables.items()}
        raise InputError(
            "Expected at least one architecture, all on one data set with as many seeds, but got "
            f"{found}."
        )
    architectures = [
        ArchitectureOverlaps.of(model, table, convention, samples=samples, seed=seed)
        for model, table in tables.items()
    ]
    rows: list[Row] = []
    for one in architectures:
        rows += [*_robustness(one), *_pairs(one), *_means(one), *_groups(one)]
        rows += [*_largest(one), *between_seeds(one)]
    largest = _largest_of_all(rows, len(architectures))
    return Results.of([*rows, *largest, *agreement(architectures, permutations, seed)])


def _robustness(one: ArchitectureOverlaps) -> Iterator[Row]:
    """Yield what overlaps are made of; a network trained with fog, too, is called `<model>+fog`."""
    table = one.table
    scores = robustness_score(table.accuracy, table.clean[..., None])
    names = (one.model, *(f"{one.model}+{name}" for name in table.corruptions))
    for network, model in enumerate(names):
        yield one.row_by_seed(model, "accuracy", None, table.clean[:, network])
        for place, name in enumerate(table.corruptions):
            yield one.row_by_seed(model, "robustness_score", name, scores[:, network, place])


def _pairs(one: ArchitectureOverlaps) -> Iterator[Row]:
    others = [name for name in one.table.corruptions if name not in NAMES]
    ranked = [name for name in (*NAMES, *others) if one.places([name])]
    for name, other in combinations(ranked, 2):
        first, second = one.places([name, other])
        both = name in COMMON and other in COMMON
        item = "overlap-fig2" if both else "overlap-claim-cover"
        statistic = partial(_pair, first=first, second=second)
        yield one.row(item, "overlap", f"{name}+{other}", statistic)


def _pair(scores: Scores, first: int, second: int) -> Values:
    return np.asarray(scores[:, first, second])


def _means(one: ArchitectureOverlaps) -> Iterator[Row]:
    among, diagonal = one.mask(COMMON), one.convention.diagonal
    if among.sum() < 2:
        return
    wanted = [("overlap-fig2", name, [name]) for name in COMMON]
    wanted += [("overlap-claim-balance", name, [*members]) for name, members in HALVES.items()]
    words = f"means {'with' if diagonal else 'without'} the diagonal"
    for item, name, members in wanted:
        if places := one.places(members):
            statistic = partial(_mean, among=among, diagonal=diagonal, places=places)
            yield one.row(item, "mean_overlap", name, statistic, words, of=COMMON)


def _mean(
    scores: Scores, among: Bool[np.ndarray, " corruptions"], diagonal: bool, places: list[int]
) -> Values:
    by_corruption = mean_overlap(scores, diagonal=diagonal, among=among)
    return np.asarray(by_corruption[:, places].mean(1))


def _groups(one: ArchitectureOverlaps) -> Iterator[Row]:
    for name, members in BLOCKS.items():
        places = one.places(members)
        if len(places) > 1:
            statistic = partial(group_overlap, members=places)
            words = "mean of the pairs"
            yield one.row("overlap-fig2", "group_overlap", name, statistic, words, of=members)


def _largest(one: ArchitectureOverlaps) -> Iterator[Row]:
    others, item = one.places(COMMON), "overlap-claim-cover"
    for name in (*OCCLUSION, *filter(is_user_function, one.table.corruptions)):
        if others and (places := one.places([name])):
            statistic = partial(largest_overlap, one=places[0], others=others)
            words = "largest of the pairs"
            yield one.row(item, "largest_overlap", name, statistic, words, of=COMMON)


def _largest_of_all(rows: Sequence[Row], architectures: int) -> Iterator[Row]:
    """Yield the row of the architecture with the largest overlap, if every one has such a row."""
    for name in OCCLUSION:
        found = [row for row in rows if (row.metric, row.corruption) == ("largest_overlap", name)]
        if found and len(found) == architectures:
            largest = max(found, key=lambda row: row.value)
            words = f"{largest.convention}; largest of the architectures"
            yield replace(largest, model=None, convention=words)
