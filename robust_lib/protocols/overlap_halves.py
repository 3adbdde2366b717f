"""Table 1: corruption errors over the two halves of ImageNet-C, and gains [overlap, sec. 4.2].

The mean CE of a half is the mean of its corruptions' CEs. A gain is the difference to the standard
network, so that a negative one is an improvement.
"""

from collections.abc import Mapping
from typing import Any, Literal

from robust_lib.errata_lines import number
from robust_lib.errors import InputError, one_of
from robust_lib.manifests import load_dataset
from robust_lib.printed import reference, reported
from robust_lib.protocols.overlap_groups import HALVES
from robust_lib.results import Results
from robust_lib.vocabulary import COMMON

ITEM = "overlap-tab1"
STANDARD = "resnet50"

Source = Literal["rounded", "exact"]


def published(source: Source = "rounded") -> Results:
    """Return the standard ResNet-50's mean CE on both halves, from its published fifteen CEs.

    The paper's 81 and 73 are those of the entries that [inc, table 1] prints, which are whole
    percents; the exact CEs of the same weights give less on the first half (see the errata).

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
        words = "mean of the CEs as Common corruptions, Table 1, prints them"
    elif source == "exact":
        table = reference("resnet50_reference").dropna().set_index("corruption")["ce"]
        errors = {str(name): float(ce) / 100 for name, ce in table.items()}
        words = "mean of the exact CEs of the public weights"
    else:
        raise InputError(one_of("source", source, ["rounded", "exact"]))
    return Results.of(
        _row(STANDARD, half, "mean_ce", value, words) for half, value in _means(errors).items()
    )


def gains() -> Results:
    """Return the gains of Table 1, computed from its own entries.

    >>> gains().row(model="resnet50_augmix", corruption="set1").value.__round__(2)
    -0.15
    """
    entries = {
        (row.model, row.corruption): number(row)
        for row in reported(ITEM)
        if row.metric == "mean_ce" and row.status == "printed"
    }
    words = "difference of the table's entries"
    return Results.of(
        _row(str(model), str(half), "mean_ce_gain", value - entries[STANDARD, half], words)
        for (model, half), value in entries.items()
    )


def measured(results: Results, standard: str) -> Results:
    """Return every network's mean CE on both halves and its gain, from a run's CEs.

    A half is there only if all of its corruptions are.

    Args:
        results: rows of `protocols.imagenet_c.results`.
        standard: the network that the gains are to.

    Raises:
        InputError: there are no CEs of the standard network.
    """
    cells = results.select(metric="ce", corruption=list(COMMON), severity=None).rows
    by_model: dict[str, dict[str, Any]] = {}
    for cell in cells:
        by_model.setdefault(str(cell.model), {})[str(cell.corruption)] = cell
    if standard not in by_model:
        raise InputError(one_of("the standard network", standard, by_model))
    base = _means({name: cell.value for name, cell in by_model[standard].items()})
    rows: list[dict[str, object]] = []
    for model, own in by_model.items():
        one = next(iter(own.values()))
        about = {"dataset": one.dataset, "n": one.n, "n_full": one.n_full}
        for half, value in _means({name: cell.value for name, cell in own.items()}).items():
            rows.append(_row(model, half, "mean_ce", value, one.convention) | about)
            if half in base:
                gain = value - base[half]
                words = f"{one.convention}; difference to {standard}"
                rows.append(_row(model, half, "mean_ce_gain", gain, words) | about)
    return Results.of(rows)


def _means(errors: Mapping[str, float]) -> dict[str, float]:
    """Return the mean of each half whose corruptions are all there."""
    return {
        half: sum(errors[name] for name in members) / len(members)
        for half, members in HALVES.items()
        if errors.keys() >= set(members)
    }


def _row(model: str, half: str, metric: str, value: float, words: str | None) -> dict[str, object]:
    images = load_dataset("imagenet_val").images
    return {
        "item": ITEM,
        "dataset": "imagenet_c",
        "model": model,
        "corruption": half,
        "metric": metric,
        "convention": words,
        "value": value,
        "n": images,
        "n_full": images,
    }
