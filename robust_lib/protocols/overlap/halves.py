"""Table 1: corruption errors over the two halves of ImageNet-C, and gains [overlap, sec. 4.2].

The mean CE of a half is the mean of its corruptions' CEs. A gain is the difference from the
standard network, so a negative gain is an improvement.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from robust_lib.config.manifests import load_dataset
from robust_lib.errors import InputError, one_of
from robust_lib.protocols.corruption_error.normaliser import Normaliser
from robust_lib.protocols.corruption_error.ratio import ImageErrors, mean_ratio
from robust_lib.protocols.grid import Grid
from robust_lib.protocols.overlap.groups import COMPARED, HALVES
from robust_lib.results.estimate import Estimate, difference
from robust_lib.results.reported import number, reference, reported
from robust_lib.results.row import Row
from robust_lib.results.table import Results

ITEM, BALANCE = "overlap-tab1", "overlap-claim-balance"
STANDARD = "resnet50"

Source = Literal["rounded", "exact"]


def published(source: Source = "rounded") -> Results:
    """Return the standard ResNet-50's mean CE on both halves, from its fifteen published CEs.

    The paper's 81 and 73 follow from the entries of [inc, table 1], which are whole percentages;
    the exact CEs of the same weights give less on the first half (see the errata).

    Args:
        source: "rounded" for the printed entries, "exact" for an evaluation of the public weights.

    >>> [round(100 * row.value, 1) for row in published().rows]
    [80.5, 72.7]
    >>> [round(100 * row.value, 1) for row in published("exact").rows]
    [80.3, 72.6]
    """
    if source == "rounded":
        errors = {
            str(row.corruption): number(row)
            for row in reported("inc-tab1")
            if row.metric == "ce" and row.model == STANDARD
        }
        words = "mean of the CEs as Common Corruptions, Table 1, prints them"
    elif source == "exact":
        table = reference("resnet50_reference").dropna().set_index("corruption")["ce"]
        errors = {str(name): float(ce) / 100 for name, ce in table.items()}
        words = "mean of the exact CEs of the public weights"
    else:
        raise InputError(one_of("source", source, ["rounded", "exact"]))
    return Results.of(
        _row(_printed(value), STANDARD, half, "mean_ce", words)
        for half, value in _means(errors).items()
    )


def measured(grid: Grid, normaliser: Normaliser, standard: str, *, samples: int = 1000) -> Results:
    """Return every network's mean CE on both halves and its gain, with intervals, as rows.

    The paper also compares the gains on blurs and on brightness; for these, only the gain is given.
    A half is included only if all of its corruptions are. Intervals are as in
    `corruption_error.results`; those of gains are paired, with the same images for both networks.

    Raises:
        InputError: the standard network is not in the grid.

    >>> import numpy as np
    >>> from robust_lib.predict.predictions import Predictions
    >>> labels, sure = np.array([0, 0]), np.ones(2, np.float32)
    >>> said = {"plain": np.array([1, 1]), "augmix": np.array([0, 1])}
    >>> runs = {model: (Predictions(model, "toys", ("a", "b"), labels, None, classes, sure),)
    ...     for model, classes in said.items()}
    >>> cells = {(model, name, 5): runs[model] for model in runs for name in HALVES["set2"]}
    >>> base = Normaliser({name: np.ones(1) for name in HALVES["set2"]}, 0.5, "a baseline")
    >>> found = measured(Grid("toys", "toys_c", 2, runs, cells, (5,), "memory"), base, "plain")
    >>> {row.metric: row.value for row in found.select(model="augmix", corruption="set2").rows}
    {'mean_ce': 0.5, 'mean_ce_gain': -0.5}
    """
    if standard not in grid.models:
        raise InputError(one_of("the standard network", standard, grid.models))
    whole = {
        half: members
        for half, members in {**HALVES, **COMPARED}.items()
        if set(grid.corruptions) >= set(members)
        and all(normaliser.divides(name, relative=False) for name in members)
    }
    rows: list[Row] = []
    for half, members in whole.items():
        found = {
            model: mean_ratio(
                [ImageErrors.of(run, model, members, normaliser) for run in grid.runs(model)],
                members,
                samples=samples,
            )
            for model in grid.models
        }
        for model, mean_ce in found.items():
            words = f"{grid.convention(*members, model=model)}, divided by {normaliser.words}"
            gain = difference(mean_ce, found[standard])
            to = f"{words}; difference to {standard}"
            item = BALANCE if half in COMPARED else ITEM
            if half in HALVES:
                rows.append(_row(mean_ce, model, half, "mean_ce", words, dataset=grid.corrupted))
            gained = _row(gain, model, half, "mean_ce_gain", to, dataset=grid.corrupted)
            rows.append(replace(gained, item=item))
    return Results.of(rows)


def _means(errors: Mapping[str, float]) -> dict[str, float]:
    """Return the mean of each half whose corruptions are all there."""
    return {
        half: sum(errors[name] for name in members) / len(members)
        for half, members in HALVES.items()
        if errors.keys() >= set(members)
    }


def _printed(value: float) -> Estimate:
    """Return a number derived from printed ones, which are over all of ImageNet's images."""
    images = load_dataset("imagenet_val").images
    assert images is not None  # its manifest counts them
    return Estimate(value=value, n=images, n_full=images)


def _row(
    estimate: Estimate,
    model: str,
    half: str,
    metric: str,
    words: str,
    *,
    dataset: str = "imagenet_c",
) -> Row:
    return Row.of(
        estimate,
        item=ITEM,
        dataset=dataset,
        model=model,
        corruption=half,
        metric=metric,
        convention=words,
    )
