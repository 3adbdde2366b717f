"""Accuracies of passports in timm's format: one table per data set, one row per network.

Columns and file names are those of timm's folder `results`, so that a row can be added to its
fifteen hundred. Intervals are in the passports' own tables.
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from robust_lib.passport.record import Passport
from robust_lib.preprocessing import Preprocessing

COLUMNS = ("top1", "top1_err", "top5", "top5_err", "param_count", "crop_pct", "interpolation")
OF_CLEAN = ("model", "img_size", *COLUMNS)
OF_OTHERS = (*OF_CLEAN, "top1_diff", "top5_diff", "rank_diff")
"""Columns of all tables but that of clean images. A rank is among other networks, so that column is
empty for a single one."""

FILES = {
    "imagenet_val": "results-imagenet.csv",
    "imagenet_a": "results-imagenet-a.csv",
    "imagenet_r": "results-imagenet-r.csv",
    "imagenet_sketch": "results-sketch.csv",
    "imagenet_v2": "results-imagenetv2-matched-frequency.csv",
}
"""Data set -> timm's file."""

BESIDE = {
    "imagenet_a": "imagenet_val_a",
    "imagenet_sketch": "imagenet_val",
    "imagenet_v2": "imagenet_val",
}
"""Data set -> the clean images that timm subtracts; those of ImageNet-R's classes alone are no
set here, so its differences stay empty."""


Shown = tuple[Passport, Preprocessing | None]
"""A network's passport, and how it was shown images."""


def tables(*shown: Shown) -> dict[str, pd.DataFrame]:
    """Return timm's file name -> a row for each network, the most accurate first.

    A row requires predictions on a whole data set. A network that missed its published clean
    accuracy has no row. `rank_diff` is the number of places by which a network ranks higher than on
    the clean images, among those with both numbers.
    """
    made = {}
    for dataset, file in FILES.items():
        rows = [row for one in shown if (row := _row(*one, dataset)) is not None]
        if not rows:
            continue
        rows.sort(key=lambda row: _place(row, "top1", "top5"))
        both = [row for row in rows if row["clean1"] is not None]
        clean = sorted(both, key=lambda row: _place(row, "clean1", "clean5"))
        for place, row in enumerate(both if len(both) > 1 else ()):
            moved = clean.index(row) - place
            row["rank_diff"] = f"{moved:+d}" if moved else "0"
        columns = OF_CLEAN if dataset == "imagenet_val" else OF_OTHERS
        made[file] = pd.DataFrame([_written(row) for row in rows], columns=list(columns))
    return made


def _place(row: Mapping[str, Any], first: str, second: str) -> tuple[float, float, str]:
    return -row[first], -(row[second] or 0.0), row["model"]


def _row(passport: Passport, geometry: Preprocessing | None, dataset: str) -> dict[str, Any] | None:
    """Return a network's numbers on a data set, in percent, or None if it has none."""
    if passport.is_refused or passport.asks != "classifier":
        return None
    top1, top5 = (_percent(passport, dataset, metric) for metric in ("accuracy", "top5"))
    if top1 is None:
        return None
    beside = BESIDE.get(dataset)
    clean1, clean5 = (
        None if beside is None else _percent(passport, beside, metric)
        for metric in ("accuracy", "top5")
    )
    return {
        "model": passport.model.removeprefix("timm/"),
        "img_size": None if geometry is None else geometry.crop or geometry.frame,
        "top1": top1,
        "top5": top5,
        "clean1": clean1,
        "clean5": clean5,
        "param_count": None if passport.weights is None else f"{passport.weights / 1e6:,.2f}",
        "crop_pct": _crop(geometry),
        "interpolation": None if geometry is None else geometry.interpolation,
    }


def _written(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with its numbers in timm's format, and with the derived columns."""
    told = dict(row)
    for top in ("top1", "top5"):
        value, clean = row[top], row[top.replace("top", "clean")]
        told[top] = _text(value)
        told[f"{top}_err"] = _text(None if value is None else 100 - value)
        off = None if value is None or clean is None else value - clean
        told[f"{top}_diff"] = None if off is None else f"{off:+.3f}"
    return told


def _percent(passport: Passport, dataset: str, metric: str) -> float | None:
    """Return a number over a whole data set, in percent."""
    wanted = {"accuracy": ("accuracy", "error"), "top5": ("top5_accuracy",)}[metric]
    found = [
        number
        for section in passport.sections
        for number in section.numbers
        if number.dataset == dataset
        and number.metric in wanted
        and (number.corruption, number.severity, number.k) == (None, None, None)
        and number.n == number.n_full
    ]
    if not found:
        return None
    value = found[0].value
    return 100 * (1 - value if found[0].metric == "error" else value)


def _crop(geometry: Preprocessing | None) -> str | None:
    if geometry is None or geometry.frame is None:
        return None
    return f"{(geometry.crop or geometry.frame) / geometry.frame:.3f}"


def _text(percent: float | None) -> str | None:
    return None if percent is None else f"{percent:.3f}"
