"""Checks of numbers that come from outside: classes, probabilities, logits, and image names.

Invalid values are rejected, and the message shows the first: null, text, a class with a fraction,
an unknown class, probabilities instead of logits. Integers and floats of any width are accepted.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float64, Int64

from robust_lib.errors import DataError
from robust_lib.models.contract import are_shares
from robust_lib.types import UNKNOWN, Logits


def class_ids(
    values: Iterable[Any], count: int, where: str, *, unknown: bool = False
) -> Int64[np.ndarray, " n"]:
    """Return class ids as int64.

    Args:
        count: number of classes.
        where: description and source of the numbers, for the message.
        unknown: whether -1 is allowed for an unknown class.

    Raises:
        DataError: a value outside 0 to count - 1.

    >>> class_ids([0.0, 2.0], 3, "`predicted` of mine.npz").tolist()
    [0, 2]
    """
    least = UNKNOWN if unknown else 0
    words = f"whole numbers from {least} to {count - 1} as {where}"
    given = _numbers(values, words, "Classes count from 0, in the order of the class list.")
    wrong = (given != np.round(given)) | (given < least) | (given >= count)
    _require(~wrong, given, words, "Classes count from 0, in the order of the class list.")
    return given.astype(np.int64)


def shares(values: Iterable[Any], where: str) -> Float64[np.ndarray, " n"]:
    """Return fractions in [0, 1] as float64; raise DataError for any other value.

    >>> shares([0, 0.5], "`confidence` of mine.npz").tolist()
    [0.0, 0.5]
    """
    words, cure = f"fractions from 0 to 1 as {where}", "Divide percent by 100."
    given = _numbers(values, words, cure)
    _require((given >= 0) & (given <= 1), given, words, cure)
    return given


def logits(rows: Iterable[Any], where: str) -> Logits:
    """Return rows of logits as float32.

    Raises:
        DataError: rows of unequal lengths, a value that is null, text, infinite or beyond float32;
            or probabilities, whose softmax would be that of a different network.

    >>> logits([[0.5, 2], [1, -1]], "`logits` of mine.npz").dtype
    dtype('float32')
    """
    words = f"finite numbers as {where}"
    cure = "Write what the network returns before its softmax."
    try:
        given = np.asarray(rows if isinstance(rows, np.ndarray) else list(rows))
        if given.dtype == object:
            given = np.stack([_numbers(row, words, cure) for row in given])
    except ValueError:
        raise DataError(
            f"Expected rows of equal length as {where}, but their lengths differ. {cure}"
        ) from None
    if given.ndim != 2 or given.dtype.kind not in "iuf":
        what = f"the shape {given.shape} of {given.dtype}"
        raise DataError(f"Expected rows of {words}, but got {what}. {cure}")
    with np.errstate(over="ignore"):
        read: Logits = given.astype(np.float32, copy=False)
    finite = np.isfinite(read).all(1)
    _require(finite, given, words, cure)
    if len(read) and (are_shares(read) or are_shares(read / 100)):
        raise DataError(
            f"Expected logits as {where}, but got probabilities: no value is negative and each of "
            f"{len(read):,} rows adds up to {read[0].sum():.6g}. A softmax of probabilities gives "
            f"wrong confidences: {cure[0].lower()}{cure[1:-1]}, or the logarithm of the "
            "probabilities."
        )
    return read


def names(values: Iterable[Any], where: str) -> list[str]:
    """Return names as text, from text, bytes or integers.

    Raises:
        DataError: a value that is not a name: null, empty, or a number with a fraction.

    >>> names(["a", b"b", 7], "`id` of mine.npz")
    ['a', 'b', '7']
    """
    found = []
    for place, one in enumerate(values):
        value = one.item() if isinstance(one, np.generic) else one
        if isinstance(value, bytes):
            value = value.decode("utf-8", "replace")
        if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
            raise DataError(
                f"Expected names as {where}, but entry {place} is {value!r}. Write ids as text: as "
                "numbers they lose leading zeros."
            )
        found.append(str(value))
    return found


def answers(frame: pd.DataFrame, outputs: int, path: Path, *, scores: bool = False) -> pd.DataFrame:
    """Return a file's checked predictions, one row per image.

    Args:
        scores: whether any kind of score is allowed instead of logits.

    Raises:
        DataError: see the functions above; or classes that contradict the logits in the same row.
    """
    frame = frame.reset_index(drop=True)
    for column in ("images", "id"):
        frame[column] = names(frame[column], f"`{column}` of {path}")
    has = frame["logits"].notna()
    for name, rows in frame["logits"][has].groupby(frame["images"], sort=False):
        where = f"`logits` of {name} in {path}"
        read = np.stack(rows.to_list()).astype(np.float32) if scores else logits(rows, where)
        frame.loc[rows.index, "logits"] = pd.Series(list(read), index=rows.index)
        _require_decided(frame.loc[rows.index], read, outputs, path)
    without = frame.index[~has]
    given = frame.loc[without, ["predicted", "confidence"]]
    frame["predicted"] = frame["predicted"].astype(object)
    frame.loc[without, "predicted"] = class_ids(
        given["predicted"], outputs, f"`predicted` of {path}"
    )
    frame.loc[without, "confidence"] = shares(given["confidence"], f"`confidence` of {path}")
    told = frame["sure"].notna()
    frame.loc[told, "sure"] = shares(frame["sure"][told], f"`sure` of {path}")
    return frame


def _require_decided(rows: pd.DataFrame, found: Logits, outputs: int, path: Path) -> None:
    """Raise DataError if classes given next to logits are not those of the largest logits."""
    told = rows["predicted"].notna().to_numpy()
    if not told.any():
        return
    where = f"`predicted` of {path}"
    said = class_ids(rows["predicted"][told], outputs, where)
    # Several may be equal, and rounding makes more so.
    apart = found[told].max(1) - found[told, said] > ROUNDED
    if apart.any():
        first = rows["id"][told].iloc[int(apart.argmax())]
        raise DataError(
            f"Expected {where} to be the classes of the largest logits of the same rows, but "
            f"{int(apart.sum()):,} of {len(apart):,} differ (first: {first}). Omit one of "
            "the two."
        )


ROUNDED = 0.01
"""The allowed distance of a predicted class's logit from the largest one, due to half precision."""


def _numbers(values: Iterable[Any], words: str, cure: str) -> Float64[np.ndarray, " n"]:
    """Return plain numbers as float64; NaN and infinity are refused as null is."""
    given = np.asarray(values if isinstance(values, np.ndarray) else list(values))
    if given.dtype == object or given.dtype.kind not in "iuf":
        plain = [
            isinstance(one, int | float | np.integer | np.floating) and not isinstance(one, bool)
            for one in given.tolist()
        ]
        _require(np.array(plain, bool), given, words, cure)
    read = given.astype(np.float64)
    _require(np.isfinite(read), given, words, cure)
    return read


def _require(
    right: Bool[np.ndarray, " n"], given: Sequence[Any] | np.ndarray, words: str, cure: str
) -> None:
    if not right.all():
        place = int(right.argmin())
        value = given[place]
        value = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
        whole = isinstance(value, float) and value.is_integer()
        shown = f"{value:.0f}" if whole else repr(value)
        raise DataError(
            f"Expected {words}, but {int((~right).sum()):,} of {len(right):,} are not, such as "
            f"{shown if len(shown) < 80 else f'{shown[:80]}...'} in row {place}. {cure}"
        )
