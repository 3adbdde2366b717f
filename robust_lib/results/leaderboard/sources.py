"""The sources of the leaderboard: the papers, other people, and a run."""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from robust_lib.config.papers import Paper, paper_keys
from robust_lib.results.gates.references import ARCHIVE, CLEAN, NORMALISED
from robust_lib.results.leaderboard.columns import COLUMNS, Column
from robust_lib.results.leaderboard.entries import Cell, Entry, Found, joined, with_drops
from robust_lib.results.reported import (
    Reported,
    number,
    parse_number,
    reference,
    reported,
)
from robust_lib.results.row import Row
from robust_lib.vocabulary import COMMON

Names = Mapping[str, Collection[str]]
"""Role of a data set -> its names: its own, and those of data sets that stand in for it."""

CHANCE = "chance"
SUBSET_ALONE = "nae-fig8"
"""The item whose networks have only 200 classes."""
ALL_OUTPUTS = "all 200 outputs"
NORMALISED_OTHERWISE = "images normalised as the network was trained"
MEAN_OF_FIFTEEN = "mean of the fifteen CEs; "


def of_papers() -> tuple[Entry, ...]:
    """Return the numbers of networks in the five papers, one row per network and paper.

    >>> {one.paper for one in of_papers() if one.model == "alexnet"} == {"inc", "vid"}
    True
    """
    return tuple(
        entry
        for paper in paper_keys()
        for entry in joined(with_drops(_printed(paper)), source="paper", paper=paper)
    )


def of_references() -> tuple[Entry, ...]:
    """Return published numbers of public weights, one row per network, each with its source.

    >>> next(one for one in of_references() if one.model == "resnet50").cells["mce"].text
    '76.7'
    """
    return tuple(joined(with_drops(_published()), source="reference", paper=None))


def of_run(rows: Iterable[Row], names: Names, models: Collection[str]) -> tuple[Entry, ...]:
    """Return a run's numbers, one row per network and image set.

    >>> row = Row(item="inc-tab1", dataset="toys", model="m", metric="error", value=0.25, n=8,
    ...     n_full=8)
    >>> of_run([row], {}, ["m"])[0].cells["clean"].value
    0.75
    """
    found = (
        (str(row.model), one, _computed(row, one))
        for row in rows
        if row.model in models and row.model != CHANCE
        if row.corruption is None and row.severity is None
        for one in COLUMNS
        if one.fits(
            item=row.item, metric=row.metric, dataset=row.dataset, k=row.k, names=named(one, names)
        )
    )
    return tuple(joined(found, source="run", paper=None))


def named(one: Column, names: Names) -> frozenset[str]:
    """Return the names of the data sets in a column's roles.

    >>> hard = next(one for one in COLUMNS if one.key == "hard")
    >>> sorted(named(hard, {"imagenet_a": ["toys"]}))
    ['imagenet_a', 'toys']
    """
    return frozenset(one.roles) | {name for role in one.roles for name in names.get(role, ())}


def _printed(paper: Paper) -> Iterator[Found]:
    for row in reported(paper):
        if row.model in (None, CHANCE) or row.is_claim or row.corruption or row.severity:
            continue
        for one in COLUMNS:
            fits = one.fits(
                item="", metric=row.metric, dataset=row.dataset, k=row.k, names=one.roles
            )
            if fits and row.number is not None:
                yield str(row.model), one, _of_paper(row, one)


def _of_paper(row: Reported, one: Column) -> Cell:
    ends = {
        end: number(other)
        for other in reported(row.item)
        for end in ("low", "high")
        if other.metric == f"{row.metric}_{end}"
        and (other.model, other.dataset, other.k) == (row.model, row.dataset, row.k)
    }
    return Cell(
        value=_right(number(row), row.metric, one),
        low=ends.get("low"),
        high=ends.get("high"),
        decimals=row.decimals or 0,
        dataset=str(row.dataset),
        way=ALL_OUTPUTS if row.item == SUBSET_ALONE else one.way,
        where=row.locator,
        item=row.item,
        note=row.note,
    )


def _published() -> Iterator[Found]:
    of_resnet = reference("resnet50_reference", as_printed=True)
    for table in ("clean", "testbed", "timm", "robust", "detector"):
        for row in reference(f"{table}_reference", as_printed=True).to_dict("records"):
            k = row.get("k")
            known = None if k is None or k != k else int(k)
            yield from _reference({**row, "k": known})
    clean = of_resnet[of_resnet["corruption"] == "clean"].iloc[0]
    fifteen = of_resnet[of_resnet["corruption"].isin(COMMON)]
    mean = f"{float(np.mean(fifteen['ce'].astype(float))):.1f}"
    shared: dict[Hashable, Any] = {"model": "resnet50", "k": None, "source": clean["source"]}
    yield from _reference(
        {**shared, "dataset": CLEAN, "metric": "accuracy", "value": clean["accuracy"]}
    )
    told = MEAN_OF_FIFTEEN + fifteen["source"].iloc[0]
    yield from _reference(
        {**shared, "dataset": ARCHIVE, "metric": "mce", "value": mean, "source": told}
    )


def _reference(row: Mapping[Hashable, Any]) -> Iterator[Found]:
    """Yield the cell of a line of published numbers; nothing for a line without a column."""
    model, text, dataset = (str(row[name]) for name in ("model", "value", "dataset"))
    for one in COLUMNS:
        if one.fits(item="", metric=row["metric"], dataset=dataset, k=row["k"], names=one.roles):
            otherwise = model in NORMALISED
            yield (
                model,
                one,
                Cell(
                    value=parse_number(text)[0] / 100,
                    decimals=len(text.partition(".")[2]),
                    dataset=dataset,
                    way=f"{one.way}; {NORMALISED_OTHERWISE}" if otherwise else one.way,
                    where=str(row["source"]),
                ),
            )


def _computed(row: Row, one: Column) -> Cell:
    known = [_right(end, row.metric, one) for end in (row.low, row.high) if end is not None]
    low, high = (min(known), max(known)) if known else (None, None)
    return Cell(
        value=_right(row.value, row.metric, one),
        low=low,
        high=high,
        n=row.n,
        n_full=row.n_full,
        dataset=row.dataset,
        way=one.way_of(row.convention),
        where=row.item,
        item=row.item,
    )


def _right(value: float, metric: str, one: Column) -> float:
    """Return a number as its column shows it: an error as an accuracy."""
    return 1 - value if metric == "error" and one.metric == "accuracy" else value
