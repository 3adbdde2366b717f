"""The vocabulary of arrays: what the axes are called and which numbers they hold.

Rates are fractions in [0, 1], boxes are xyxy pixels, pictures are RGB.
"""

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, get_args, get_type_hints

import numpy as np
from jaxtyping import Bool, Float, Float32, Int, UInt8

from robust_lib.errors import InputError

Picture = UInt8[np.ndarray, "height width 3"]
AnyPicture = UInt8[np.ndarray, "_ _ 3"]  # one of several, each of its own size
Pictures = UInt8[np.ndarray, "images height width 3"]
Logits = Float32[np.ndarray, "images classes"]
Probabilities = Float[np.ndarray, "images classes"]
Labels = Int[np.ndarray, " images"]
Scores = Float[np.ndarray, " images"]
Correct = Bool[np.ndarray, " images"]
SeverityErrors = Float[np.ndarray, " severities"]
Boxes = Float[np.ndarray, "boxes 4"]

UNKNOWN = -1
"""The label of an image whose class nobody said."""


def reads_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that takes lists and tensors where its signature has NumPy arrays.

    Where it has torch tensors, it says so of all else. What is no numbers is an InputError.

    >>> def mean(scores: Scores) -> float:
    ...     return float(scores.mean())
    >>> reads_arrays(mean)([0.25, 0.75])
    0.5
    """
    signature, hints = inspect.signature(function), get_type_hints(function)

    @functools.wraps(function)
    def reading(*args: Any, **named: Any) -> Any:
        try:
            given = signature.bind(*args, **named)
        except TypeError:  # which the function itself tells best
            return function(*args, **named)
        for name, value in given.arguments.items():
            where = f"`{name}` of {function.__name__}"
            given.arguments[name] = _read(value, hints.get(name), where)
        return function(*given.args, **given.kwargs)

    return reading


def _read(value: Any, hint: Any, where: str) -> Any:
    parts = get_args(hint)
    if isinstance(value, Mapping) and parts:
        return {key: _read(one, parts[-1], f"{where}, {key}") for key, one in value.items()}
    kinds = [getattr(one, "array_type", one) for one in (hint, *parts)]
    kinds = [one for one in kinds if getattr(one, "__name__", "") in ("ndarray", "Tensor")]
    if not kinds or value is None or isinstance(value, kinds[0]):
        return value
    told = type(value).__name__
    if kinds[0] is not np.ndarray:
        cure = "Use torch.from_numpy." if isinstance(value, np.ndarray) else "Use torch.tensor."
        raise InputError(f"Expected a torch tensor as {where}, but got {told}. {cure}")
    if isinstance(value, bool | int | float) and len(parts) > 1:  # one number, where that may be
        return value
    try:
        tensor = value.detach().cpu() if hasattr(value, "detach") else value
        read = np.asarray(tensor)
    except (TypeError, ValueError, RuntimeError) as error:
        raise InputError(
            f"Expected an array of numbers as {where}, but reading {told}: {error}."
        ) from None
    if read.dtype.kind not in "biuf":
        raise InputError(
            f"Expected an array of numbers as {where}, but got {told} of {read.dtype}. Give a "
            "NumPy array, a list or a tensor."
        )
    return read
