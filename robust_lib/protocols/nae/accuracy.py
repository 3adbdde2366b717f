"""Accuracy on ImageNet-A, beside that on ordinary pictures of the same classes, as rows."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from robust_lib.predict.masked import MaskedPredictions
from robust_lib.protocols.nae.networks import ATTENTION, FILTER, ROBUST, SIZES, present, whole
from robust_lib.results import reported
from robust_lib.results.estimate import Estimate
from robust_lib.results.key_number import KeyNumber, percent
from robust_lib.results.row import Row
from robust_lib.results.table import Results

GATE = 0.006  # points: two printed decimals


def results(
    hard: MaskedPredictions, ordinary: MaskedPredictions, names: Mapping[str, str]
) -> Results:
    """Return the accuracies of all networks, for each item that shows them, as rows.

    The accuracies have exact intervals, their differences none.

    Args:
        hard: what networks said of ImageNet-A.
        ordinary: what they said of ordinary pictures of its classes.
        names: the paper's name of a network -> ours.
    """
    plain = whole(names, hard.predictions)
    pairs = {
        "nae-fig9": present(ATTENTION, names, hard.predictions),
        "nae-fig10": present(SIZES, names, hard.predictions),
    }
    shown: dict[str, Sequence[str]] = {
        "nae-fig2": plain,
        "nae-fig8": [names[one] for one in ROBUST if names.get(one) in hard.predictions],
        **{item: [one for pair in several for one in pair] for item, several in pairs.items()},
    }
    rows = [
        _row(item, masked, model)
        for item, models in shown.items()
        for model in dict.fromkeys(models)
        for masked in (hard, ordinary)
    ]
    for model in plain:
        rows.append(_difference("nae-fig2", "drop", hard, model, _mean(ordinary, model)))
    rows += _gains(hard, ordinary, pairs["nae-fig9"])
    return Results.of(rows)


def mask_effect(masked: MaskedPredictions) -> dict[str, tuple[float, float]]:
    """Return network -> accuracy with and without the mask, means over seeds, fractions."""
    return {
        name: (_mean(masked, name), float(np.mean(found)))
        for name, found in masked.unmasked.items()
    }


def gates(
    hard: MaskedPredictions, ordinary: MaskedPredictions, names: Mapping[str, str]
) -> pd.DataFrame:
    """Return what an independent evaluation of public weights found, beside this run.

    Whoever runs the real data with public weights must find the same to rounding; ResNet-50, which
    chose the pictures, is right about none of them.

    Args:
        hard: what networks said of ImageNet-A, or of what stands for it.
        ordinary: what they said of ordinary pictures of its classes.
        names: the paper's name of a network -> ours.
    """
    found = reported.reference("testbed_reference").set_index(["model", "dataset"])["value"]
    rows = []
    for model, masked, dataset in (
        ("resnet50", hard, "imagenet_a"),
        ("resnet34", hard, "imagenet_a"),
        ("resnet152", hard, "imagenet_a"),
        ("resnet50", ordinary, "imagenet_val_a"),
    ):
        value = float(found[model, dataset])
        same = names.get(model) == model in masked.predictions and masked.dataset == dataset
        ours = 100 * _mean(masked, model) if same else None
        rows.append(
            {
                "Network": model,
                "Data": dataset,
                "Others found": value,
                "This run": ours,
                "Gate": "other data or networks" if ours is None else _passed(ours, value),
            }
        )
    return pd.DataFrame(rows)


def key_numbers(
    results: Results, hard: MaskedPredictions, ordinary: MaskedPredictions, names: Mapping[str, str]
) -> dict[str, KeyNumber]:
    """Return the numbers that the prose names, ready for the `{result}` role.

    The networks that chose the pictures are left out.

    Args:
        results: of `results`.
        hard: what networks said of ImageNet-A.
        ordinary: what they said of ordinary pictures of its classes.
        names: the paper's name of a network -> ours.
    """
    found = results.select(item="nae-fig2", metric="accuracy").rows
    rows = [row for row in found if row.model != names.get(FILTER)] or list(found)
    by_set = {
        masked.dataset: sorted(
            (row for row in rows if row.dataset == masked.dataset), key=lambda row: row.value
        )
        for masked in (hard, ordinary)
    }
    ends = {
        "best": by_set[hard.dataset][-1],
        "worst": by_set[hard.dataset][0],
        "ordinary_low": by_set[ordinary.dataset][0],
        "ordinary_high": by_set[ordinary.dataset][-1],
    }
    chance = 1 / hard.classes
    words = KeyNumber(
        f"{100 * chance:.1f} %", value=chance, convention=f"one of {hard.classes} classes"
    )
    return {**{key: percent(row) for key, row in ends.items()}, "chance": words}


def _passed(ours: float, value: float) -> str:
    return "passed" if abs(ours - value) < GATE else "FAILED"


def _row(item: str, masked: MaskedPredictions, model: str) -> Row:
    return Row.of(
        _accuracy(masked, model),
        item=item,
        dataset=masked.dataset,
        model=model,
        metric="accuracy",
        convention=masked.convention,
    )


def _gains(
    hard: MaskedPredictions, ordinary: MaskedPredictions, pairs: Sequence[tuple[str, str]]
) -> Iterator[Row]:
    """Yield what squeeze-and-excitation adds."""
    for without, with_it in pairs:
        for masked in (hard, ordinary):
            yield _difference("nae-fig9", "gain", masked, with_it, _mean(masked, without), sign=-1)


def _difference(
    item: str, metric: str, masked: MaskedPredictions, model: str, other: float, *, sign: int = 1
) -> Row:
    """Return how far another accuracy exceeds a network's, or with sign -1 falls short of it."""
    own = _accuracy(masked, model)
    return Row.of(
        Estimate(value=sign * (other - own.value), n=own.n, n_full=own.n_full),
        item=item,
        dataset=masked.dataset,
        model=model,
        metric=metric,
        convention=masked.convention,
    )


def _mean(masked: MaskedPredictions, model: str) -> float:
    return _accuracy(masked, model).value


def _accuracy(masked: MaskedPredictions, model: str) -> Estimate:
    return Estimate.of_rate([run.correct for run in masked.predictions[model]])
