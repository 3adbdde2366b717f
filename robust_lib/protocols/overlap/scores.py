"""The overlap protocol: overlaps, means, groups and the agreement of architectures, as rows.

The definitions are those of [overlap, sec. 3 and 4]; what the paper leaves open is said in words
beside every number.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd
from jaxtyping import Bool

from robust_lib.errors import InputError
from robust_lib.metrics.overlap import robustness_score
from robust_lib.metrics.overlap_summary import (
    group_overlap,
    largest_overlap,
    mean_overlap,
    over_seeds,
)
from robust_lib.protocols.overlap.accuracies import Accuracies, from_grid
from robust_lib.protocols.overlap.agreement import agreement, between_seeds
from robust_lib.protocols.overlap.groups import BLOCKS, HALVES
from robust_lib.protocols.overlap.study import Convention, Row, Scores, Study, Values
from robust_lib.results.claims import Judgement, judge, parse
from robust_lib.results.lookup import Lookup
from robust_lib.results.table import Results
from robust_lib.vocabulary import COMMON, NAMES, OCCLUSION, is_own

__all__ = [
    "Accuracies",
    "Convention",
    "from_grid",
    "matrix",
    "means",
    "own_claims",
    "results",
    "undefined",
]

PAPER = Convention()

OWN_CLAIMS = ("group_overlap[*, corruption=blur_pixelate] > group_overlap[*, corruption=all]",)
"""What the paper's matrices show and its words do not say, in the language of claims."""


def results(
    tables: Mapping[str, Accuracies],
    convention: Convention = PAPER,
    *,
    samples: int = 1000,
    permutations: int = 9999,
    seed: int = 0,
) -> Results:
    """Return all numbers of the overlap chapters that accuracies give, as rows.

    Values are means over seeds with the least and the greatest seed, or, with one seed whose
    answers to each image are known, with 95 % bootstrap intervals over images. A corruption that
    training hardly helps against has no rows; where a mean lacks it, the convention says so.

    Args:
        tables: architecture -> its accuracies.
        convention: what the paper leaves open.
        samples: bootstrap resamples.
        permutations: of the test whether two architectures agree.
        seed: of both.

    Raises:
        InputError: no architecture, architectures of several data sets or numbers of seeds, or
            arrays that hold no accuracies.
    """
    if len({(table.dataset, table.seeds) for table in tables.values()}) != 1:
        found = {name: (table.dataset, table.seeds) for name, table in tables.items()}
        raise InputError(
            "Expected at least one architecture, all on one data set with as many seeds, but got "
            f"{found}."
        )
    studies = [
        Study.of(model, table, convention, samples=samples, seed=seed)
        for model, table in tables.items()
    ]
    rows: list[Row] = []
    for study in studies:
        rows += [*_robustness(study), *_pairs(study), *_means(study), *_groups(study)]
        rows += [*_largest(study), *between_seeds(study)]
    return Results.of(
        [*rows, *_largest_of_all(rows, studies), *agreement(studies, permutations, seed)]
    )


def matrix(table: Accuracies, convention: Convention = PAPER) -> pd.DataFrame:
    """Return the overlaps, means over seeds; missing (NaN) where a seed has none."""
    spread = over_seeds(convention.overlaps(table.accuracy, table.clean).scores)
    names = list(table.corruptions)
    return pd.DataFrame(spread.mean, index=names, columns=names)


def means(table: Accuracies, convention: Convention = PAPER) -> pd.Series:
    """Return each common corruption's mean overlap with the others; missing for other ones."""
    study = Study.of("", table, convention, samples=0, seed=0)
    among = study.mask(COMMON)
    values = np.full(len(table.corruptions), np.nan)
    if among.sum() > 1:
        values = mean_overlap(study.scores, diagonal=convention.diagonal, among=among).mean(0)
    return pd.Series(values, index=list(table.corruptions))


def undefined(table: Accuracies, convention: Convention = PAPER) -> tuple[str, ...]:
    """Return the corruptions without overlaps: training with them hardly helps against them."""
    defined = Study.of("", table, convention, samples=0, seed=0).defined
    return tuple(name for name, has in zip(table.corruptions, defined, strict=True) if not has)


def own_claims(table: Results) -> dict[str, Judgement]:
    """Return for each of `OWN_CLAIMS` whether it holds."""
    lookup = Lookup(results=table, item="overlap-fig2")
    return {claim: judge(parse(claim), lookup) for claim in OWN_CLAIMS}


def _robustness(study: Study) -> Iterator[Row]:
    """Yield what overlaps are made of; a network trained with fog, too, is called `<model>+fog`."""
    table = study.table
    scores = robustness_score(table.accuracy, table.clean[..., None])
    names = (study.model, *(f"{study.model}+{name}" for name in table.corruptions))
    for network, model in enumerate(names):
        yield study.cell(model, "accuracy", None, table.clean[:, network])
        for place, name in enumerate(table.corruptions):
            yield study.cell(model, "robustness_score", name, scores[:, network, place])


def _pairs(study: Study) -> Iterator[Row]:
    others = [name for name in study.table.corruptions if name not in NAMES]
    ranked = [name for name in (*NAMES, *others) if study.places([name])]
    for one, other in combinations(ranked, 2):
        first, second = study.places([one, other])
        both = one in COMMON and other in COMMON
        item = "overlap-fig2" if both else "overlap-claim-cover"
        statistic = partial(_pair, first=first, second=second)
        yield study.row(item, "overlap", f"{one}+{other}", statistic)


def _pair(scores: Scores, first: int, second: int) -> Values:
    return np.asarray(scores[:, first, second])


def _means(study: Study) -> Iterator[Row]:
    among, diagonal = study.mask(COMMON), study.convention.diagonal
    if among.sum() < 2:
        return
    wanted = [("overlap-fig2", name, [name]) for name in COMMON]
    wanted += [("overlap-claim-balance", name, [*members]) for name, members in HALVES.items()]
    words = f"means {'with' if diagonal else 'without'} the diagonal"
    for item, name, members in wanted:
        if places := study.places(members):
            statistic = partial(_mean, among=among, diagonal=diagonal, places=places)
            yield study.row(item, "mean_overlap", name, statistic, words, of=COMMON)


def _mean(
    scores: Scores, among: Bool[np.ndarray, " corruptions"], diagonal: bool, places: list[int]
) -> Values:
    by_corruption = mean_overlap(scores, diagonal=diagonal, among=among)
    return np.asarray(by_corruption[:, places].mean(1))


def _groups(study: Study) -> Iterator[Row]:
    for name, members in BLOCKS.items():
        places = study.places(members)
        if len(places) > 1:
            statistic = partial(group_overlap, members=places)
            words = "mean of the pairs"
            yield study.row("overlap-fig2", "group_overlap", name, statistic, words, of=members)


def _largest(study: Study) -> Iterator[Row]:
    others, item = study.places(COMMON), "overlap-claim-cover"
    for name in (*OCCLUSION, *filter(is_own, study.table.corruptions)):
        if others and (places := study.places([name])):
            statistic = partial(largest_overlap, one=places[0], others=others)
            words = "largest of the pairs"
            yield study.row(item, "largest_overlap", name, statistic, words, of=COMMON)


def _largest_of_all(rows: Sequence[Row], studies: Sequence[Study]) -> Iterator[Row]:
    """Yield the row of the architecture with the largest overlap, if every one has such a row."""
    for name in OCCLUSION:
        found = [
            row for row in rows if row["metric"] == "largest_overlap" and row["corruption"] == name
        ]
        if found and len(found) == len(studies):
            largest = max(found, key=lambda row: float(row["value"]))
            words = f"{largest['convention']}; largest of the architectures"
            yield {**largest, "model": None, "convention": words}
