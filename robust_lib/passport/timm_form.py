"""A passport's accuracies as timm writes them: a table a data set, a row a network.

Columns and names of files are those of the folder `results` of timm, so that a row can be put among
its fifteen hundred. Intervals stand in the passport's own table.
"""

import pandas as pd

from robust_lib.passport.record import Passport
from robust_lib.preprocessing import Preprocessing

COLUMNS = ("top1", "top1_err", "top5", "top5_err", "param_count", "crop_pct", "interpolation")
OF_CLEAN = ("model", "img_size", *COLUMNS)
OF_OTHERS = (*OF_CLEAN, "top1_diff", "top5_diff", "rank_diff")
"""In all but the table of clean pictures. Ranks are among others, which one passport does not know,
so that column is empty."""

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
"""Data set -> the clean pictures that timm subtracts; those of ImageNet-R's classes alone are no
set here, so its differences stay empty."""


def tables(passport: Passport, geometry: Preprocessing | None) -> dict[str, pd.DataFrame]:
    """Return timm's file name -> a row, for the data sets that a classifier was shown whole.

    A network that missed the clean accuracy that is published of its name has none.
    """
    if passport.is_refused or passport.asks != "classifier":
        return {}
    made = {}
    for dataset, file in FILES.items():
        top1, top5 = (_percent(passport, dataset, metric) for metric in ("accuracy", "top5"))
        if top1 is None:
            continue
        told = {
            "model": passport.model.removeprefix("timm/"),
            "img_size": None if geometry is None else geometry.crop or geometry.frame,
            "top1": _text(top1),
            "top1_err": _text(100 - top1),
            "top5": _text(top5),
            "top5_err": _text(None if top5 is None else 100 - top5),
            "param_count": None if passport.weights is None else f"{passport.weights / 1e6:,.2f}",
            "crop_pct": _crop(geometry),
            "interpolation": None if geometry is None else geometry.interpolation,
        }
        beside = BESIDE.get(dataset)
        for name, value in (("accuracy", top1), ("top5", top5)):
            clean = None if beside is None else _percent(passport, beside, name)
            off = None if clean is None or value is None else value - clean
            told["top1_diff" if name == "accuracy" else "top5_diff"] = _text(off)
        columns = OF_CLEAN if dataset == "imagenet_val" else OF_OTHERS
        made[file] = pd.DataFrame([told], columns=list(columns))
    return made


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
