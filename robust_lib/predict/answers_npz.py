"""Answers as an .npz file of plain arrays: how they are written, and what is refused."""

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from robust_lib.errors import DataError
from robust_lib.predict.store import Arrays
from robust_lib.types import Correct

UNTOLD = -1
"""Stands for what nobody says of an answer: whether it is right, or how far it reaches."""

_A_ROW = ("ids", "has_logits", "predicted", "confidence", "right", "sure", "reach")


def write_npz(made: Path, frame: pd.DataFrame, about: Mapping[str, Any]) -> None:
    """Write a frame of answers, and what their network is, as an .npz file.

    Args:
        about: model, classes and outputs of the network.
    """
    has = frame["logits"].notna().to_numpy(bool)
    kept = frame.loc[has, "logits"].to_list()
    logits = np.stack(kept) if kept else np.zeros((0, int(about["outputs"])))
    arrays: dict[str, Any] = {
        "images": frame["images"].to_numpy(str),
        "ids": frame["id"].to_numpy(str),
        "predicted": frame["predicted"].to_numpy(np.int64),
        "confidence": frame["confidence"].to_numpy(np.float32),
        "logits": logits.astype(np.float32),
        "has_logits": has,
        "right": frame["right"].map({True: 1, False: 0}).fillna(UNTOLD).to_numpy(np.int8),
        "sure": frame["sure"].to_numpy(np.float64),
        "reach": frame["reach"].fillna(UNTOLD).to_numpy(np.int64),
    }
    with made.open("wb") as file:  # numpy adds an ending to a path that has another one
        np.savez_compressed(file, **arrays | {name: np.array(it) for name, it in about.items()})


def read_npz(path: Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the answers of an .npz file, and what their network is.

    Raises:
        DataError: a file that is none, that lacks an array, or whose arrays do not fit together.
    """
    try:
        # A file that numpy opened itself stays open where it is none.
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            held = {name: file[name] for name in file.files}
    except (OSError, ValueError, EOFError, TypeError, zipfile.BadZipFile) as error:
        raise DataError(
            f"Expected an .npz file of plain arrays at {path}, but reading it: {error}. Write it "
            "with numpy.savez or robust_lib.write_answers, or name a parquet file .parquet."
        ) from None
    lacking = [name for name in ("images", "ids", "logits") if name not in held]
    if lacking:
        raise DataError(
            f"Expected the arrays images, ids and logits in {path}, but it lacks "
            f"{', '.join(lacking)}."
        )
    rows = held["ids"].size
    has = held.get("has_logits", np.ones(rows, bool)).astype(bool)
    _require_lengths(held, rows, has, path)
    frame = pd.DataFrame({"id": held["ids"].astype(str)})
    frame["images"] = np.broadcast_to(held["images"].astype(str), rows)
    frame["logits"] = pd.Series(list(held["logits"]), index=np.flatnonzero(has), dtype=object)
    for name in {"predicted", "confidence", "sure", "reach"} & held.keys():
        frame[name] = held[name]
    if "right" in held:
        frame["right"] = pd.Series(held["right"]).map({1: True, 0: False})
    about: dict[str, Any] = {name: str(held[name]) for name in ("model", "classes") if name in held}
    about |= {"outputs": int(held["outputs"])} if "outputs" in held else {}
    return frame, about


def _require_lengths(held: Arrays, rows: int, has: Correct, path: Path) -> None:
    """Raise DataError unless the arrays of an .npz have a value, or a row, for each id."""
    for name in _A_ROW:
        if name in held and held[name].shape != (rows,):
            raise _unequal(path, f"{name} of {rows:,} values, one for each id", held[name].shape)
    if held["images"].shape not in ((), (1,), (rows,)):
        what = f"images as one name, or {rows:,} names, one for each id"
        raise _unequal(path, what, held["images"].shape)
    if held["logits"].ndim != 2 or len(held["logits"]) != has.sum():
        what = f"logits of {has.sum():,} rows, one for each id that has them, and a column a class"
        raise _unequal(path, what, held["logits"].shape)


def _unequal(path: Path, what: str, shape: tuple[int, ...]) -> DataError:
    return DataError(
        f"Expected {what}, in {path}, but got the shape {shape}. Write as many of each as there "
        "are ids."
    )
