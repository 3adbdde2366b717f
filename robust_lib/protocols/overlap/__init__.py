"""The overlap protocol: overlaps, means, groups and the agreement of architectures, as rows.

The definitions are those of [overlap, sec. 3 and 4]; what the paper leaves open is described in the
convention of every number. Means are over the pairs that can be judged, with their number.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np
from jaxtyping import Bool

from robust_lib.errors import InputError
from robust_lib.metrics.overlap import (
    between_overlap,
    group_overlap,
    largest_overlap,
    mean_overlap,
    robustness_score,
)
from robust_lib.protocols.overlap.accuracies import Accuracies
from robust_lib.protocols.overlap.agreement import agreement, between_seeds, ceiling
from robust_lib.protocols.overlap.convention import PAPER, Convention
from robust_lib.protocols.overlap.groups import ACROSS, BLOCKS, HALVES, possible
from robust_lib.protocols.overlap.scores import ArchitectureOverlaps, Scores, Values, among
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.vocabulary import COMMON, NAMES, OCCLUSION, is_user_function

Pairs = Bool[np.ndarray, "corruptions corruptions"]


def judged(
    tables: Mapping[str, Accuracies],
    convention: Convention = PAPER,
    *,
    samples: int = 1000,
) -> dict[str, ArchitectureOverlaps]:
    """Return the overlaps of each architecture, and which of these can be judged.

    Args:
        samples: number of bootstrap resamples, for intervals if per-image predictions are known.

    Raises:
        InputError: no architecture, architectures with different data sets or numbers of seeds, or
            arrays with values that are not accuracies.

    >>> found = judged(toys.overlaps("fog", "snow"))
    >>> found["resnet18"].judged.corruptions.tolist()
    [True, True]
    """
    if len({(table.dataset, table.seeds) for table in tables.values()}) != 1:
        found = {name: (table.dataset, table.seeds) for name, table in tables.items()}
        raise InputError(
            "Expected at least one architecture, all on one data set with the same number of "
            f"seeds, but got {found}."
        )
    return {
        model: ArchitectureOverlaps.of(model, table, convention, samples=samples)
        for model, table in tables.items()
    }


def results(
    architectures: Mapping[str, ArchitectureOverlaps], *, permutations: int = 9999, seed: int = 0
) -> Results:
    """Return all numbers of the overlap chapters, as rows.

    With one seed, there are intervals (95 % bootstrap) only if per-image predictions are known. A
    pair that cannot be judged has no row and enters no mean; a mean has a row if at least one of
    its pairs is judged, and its convention states how many are.

    >>> found = results(toys.judged("fog", "snow"))
    >>> round(found.row(metric="overlap", corruption="snow+fog").value, 2)
    0.1
    """
    rows: list[Row] = []
    for one in architectures.values():
        rows += [*_robustness(one), *_pairs(one), *_means(one), *_groups(one), *_largest(one)]
    every = [*architectures.values()]
    seeded = [row for one in every for row in between_seeds(one, *every)]
    rows += seeded
    if seeded and len(seeded) == len(architectures):
        rows.append(ceiling([row.interval for row in seeded], dataset=seeded[0].dataset))
    largest = _largest_of_all(rows, len(architectures))
    return Results.of([*rows, *largest, *agreement(every, permutations, seed)])


def _robustness(one: ArchitectureOverlaps) -> Iterator[Row]:
    """Yield the robustness scores; a network trained with fog as well is named `<model>+fog`."""
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
        if one.judged.pairs[first, second]:
            both = name in COMMON and other in COMMON
            item = "overlap-fig2" if both else "overlap-claim-cover"
            statistic = partial(_pair, first=first, second=second)
            yield one.row(item, "overlap", f"{name}+{other}", statistic)


def _pair(scores: Scores, first: int, second: int) -> Values:
    return np.asarray(scores[:, first, second])


def _means(one: ArchitectureOverlaps) -> Iterator[Row]:
    pairs, diagonal = among(one.judged.pairs, one.places(COMMON)), one.convention.diagonal
    wanted = [("overlap-fig2", name, [name]) for name in COMMON]
    wanted += [("overlap-claim-balance", name, [*members]) for name, members in HALVES.items()]
    words = f"means {'with' if diagonal else 'without'} the diagonal"
    for item, name, members in wanted:
        places = [place for place in one.places(members) if pairs[place].any()]
        if places:
            counted = _said(_touching(pairs, places), _all_touching(members))
            statistic = partial(_mean, pairs=pairs, diagonal=diagonal, places=places)
            yield one.row(item, "mean_overlap", name, statistic, words, counted)


def _mean(scores: Scores, pairs: Pairs, diagonal: bool, places: list[int]) -> Values:
    found = mean_overlap(scores, diagonal=diagonal, pairs=pairs)[:, places]
    known = np.isfinite(found)  # a resample may take away all that a corruption has
    total, number = np.where(known, found, 0.0).sum(1), known.sum(1)
    missing = np.full(len(found), np.nan)
    return np.asarray(np.divide(total, number, out=missing, where=number > 0))


def _touching(pairs: Pairs, places: list[int]) -> int:
    """Return how many pairs have a corruption at one of the places."""
    inside = np.isin(np.arange(len(pairs)), places)
    return int((np.triu(pairs) & (inside[:, None] | inside)).sum())


def _all_touching(members: Sequence[str]) -> int:
    return possible(members) + possible(members, [n for n in COMMON if n not in members])


def _groups(one: ArchitectureOverlaps) -> Iterator[Row]:
    pairs = one.judged.pairs
    for name, members in BLOCKS.items():
        places = one.places(members)
        if number := one.judged.count(places):
            statistic = partial(group_overlap, members=places, pairs=pairs)
            counted = _said(number, possible(members))
            yield one.row("overlap-fig2", "group_overlap", name, statistic, counted)
    for name, (first, second) in ACROSS.items():
        ones, others = one.places(first), one.places(second)
        if ones and others and (number := one.judged.count(ones, others)):
            between = partial(between_overlap, ones=ones, others=others, pairs=pairs)
            counted = _said(number, possible(first, second))
            yield one.row("overlap-fig2", "group_overlap", name, between, counted)


def _largest(one: ArchitectureOverlaps) -> Iterator[Row]:
    others, item = one.places(COMMON), "overlap-claim-cover"
    for name in (*OCCLUSION, *filter(is_user_function, one.table.corruptions)):
        if not (others and (places := one.places([name]))):
            continue
        if number := one.judged.count(places, others):
            statistic = partial(
                largest_overlap, one=places[0], others=others, pairs=one.judged.pairs
            )
            counted = f"largest of {number} of {len(COMMON)} pairs"
            draws = one.drawn_largest(places[0], others)
            yield one.row(item, "largest_overlap", name, statistic, counted, draws=draws)


def _said(number: int, of: int) -> str:
    return f"mean of {number} of {of} pairs"


def _largest_of_all(rows: Sequence[Row], architectures: int) -> Iterator[Row]:
    """Yield the row of the architecture with the largest overlap, if every one has such a row."""
    for name in OCCLUSION:
        found = [row for row in rows if (row.metric, row.corruption) == ("largest_overlap", name)]
        if found and len(found) == architectures:
            largest = max(found, key=lambda row: row.value)
            words = f"{largest.convention}; largest of the architectures"
            yield replace(largest, model=None, convention=words)
