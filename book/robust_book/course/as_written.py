"""Numbers and names as pages write them ("76.7 %", "JPEG"), read as values and written back."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

_COMMA = re.compile(r"^(\s*-?\d+),(\d+\s*)$")
_PERCENT = re.compile(r"\s*\bper ?cent\b", re.IGNORECASE)
_RATIO = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*/\s*(\d+(?:\.\d+)?)\s*")
_TRUTH = {"true": True, "yes": True, "false": False, "no": False}
_LONGEST = 200  # letters of an answer that are shown and kept
_DIGITS = 30  # of a whole number that is shown
_MOST = 64  # values of a list that are kept


def one_number(value: Any) -> float | None:
    """Return the one finite number that a value is or contains; None for any other value or text.

    >>> one_number(np.array([0.5])), one_number([1, 2]), one_number("0.5"), one_number(True)
    (0.5, None, None, None)
    """
    try:
        is_truth = np.asarray(value).dtype == bool
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return None
    if isinstance(value, str) or is_truth or array.size != 1 or not np.isfinite(array).all():
        return None
    return float(array.reshape(()))


def read(value: Any, expects: str) -> Any:
    """Return the number in a text with a unit, a decimal comma, a true minus sign, or "k = 2".

    Args:
        value: text to read; any other value is returned unchanged.
        expects: kind of value; if it contains "percent", percent stay percent.

    >>> read("76,7 %", "a fraction"), read("76.7 %", "percent"), read("k = −2", "a number")
    (0.767, 76.7, -2.0)
    >>> read("1/4", "a fraction"), read("5.0 percent", "a fraction"), read("fog", "a name")
    (0.25, 0.05, 'fog')
    """
    if not isinstance(value, str):
        return value
    text, percent, rest = _PERCENT.sub("%", value.split("=")[-1].replace("−", "-")).partition("%")
    text = _COMMA.sub(r"\1.\2", text)
    ratio = _RATIO.fullmatch(text)
    try:
        number = float(ratio[1]) / float(ratio[2]) if ratio and float(ratio[2]) else float(text)
    except ValueError:
        return value
    return value if rest.strip() else number / (100 if percent and "percent" not in expects else 1)


def plain(value: Any, names: Mapping[str, str] | None = None) -> Any:
    """Return a value in a form for comparison: names without case and blanks, arrays as tuples.

    Args:
        value: a name, a number, or several.
        names: label on pages -> name.

    >>> plain("JPEG", {"JPEG": "jpeg_compression"}), plain(["Motion blur", "Fog"])
    ('jpeg_compression', ('motion_blur', 'fog'))
    """
    if isinstance(value, str):
        word = _word(value)
        return {_word(label): _word(name) for label, name in (names or {}).items()}.get(word, word)
    if isinstance(value, np.ndarray | list | tuple):
        return tuple(plain(one, names) for one in value)
    return value.item() if isinstance(value, np.generic) else value


def not_finite(value: Any) -> str | None:
    """Return the fault of an answer that is or contains a non-finite number.

    >>> not_finite((1, [float("nan")]))
    'it is not a number: nan. Look for a division by zero, or a value that grows without bound.'
    >>> not_finite(0.5), not_finite("fog")
    (None, None)
    """
    if isinstance(value, Mapping | list | tuple | set | frozenset):
        parts = value.values() if isinstance(value, Mapping) else value
        return next(filter(None, map(not_finite, parts)), None)
    try:
        # Text, too: so a notebook keeps what is no number.
        array = np.atleast_1d(np.asarray(float(value) if isinstance(value, str) else value))
    except Exception:  # a name, or a student's object
        return None
    if array.dtype.kind not in "fc" or np.isfinite(array).all():
        return None
    first = array[~np.isfinite(array)].flat[0]
    return (
        f"it is not a number: {first}. Look for a division by zero, or a value that grows "
        "without bound."
    )


def truth(value: Any) -> Any:
    """Return True or False for a word such as "yes"; any other value is returned unchanged.

    >>> truth("Yes"), truth("maybe")
    (True, 'maybe')
    """
    return _TRUTH.get(value.lower(), value) if isinstance(value, str) else value


def only(value: Any) -> Any:
    """Return the only value of a tuple; anything else is returned unchanged.

    >>> only(("fog",)), only((1, 2))
    ('fog', (1, 2))
    """
    return value[0] if isinstance(value, tuple) and len(value) == 1 else value


def is_plain(value: Any) -> bool:
    """Return whether a value is text, a number, or several of these, so that it can be compared."""
    if isinstance(value, tuple):
        return all(map(is_plain, value))
    return type(value) in (str, int, float, bool)


def kept(value: Any) -> Any:
    """Return an answer in JSON's types, to be judged again; None if it is not a plain value.

    >>> kept((0.5, "fog", np.int64(2))), kept(max), kept(np.zeros((9, 9)))
    ([0.5, 'fog', 2], None, None)
    """
    if hasattr(value, "tolist") and getattr(value, "size", None) is not None:
        try:
            value = np.asarray(value)
        except Exception:  # a student's object
            return None
        value = value.tolist() if value.size <= _MOST else None
    if isinstance(value, list | tuple):
        parts = [kept(one) for one in value[:_MOST]]
        return parts if len(value) <= _MOST and None not in parts else None
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(float(value))
    if isinstance(value, int):
        return value if isinstance(value, bool) or abs(value) < 2**53 else None
    return str(value)[:_LONGEST] if isinstance(value, str) else None


def options(value: Any) -> tuple[Any, ...]:
    """Return all right values: those of a set, or the value itself.

    >>> options("Fog"), options(("a", "b")), options({2})
    (('fog',), (('a', 'b'),), (2,))
    """
    several = isinstance(value, set | frozenset)
    return tuple(map(plain, value)) if several else (plain(value),)


def labels(known: Sequence[Any], names: Mapping[str, str]) -> list[str]:
    """Return names as pages write them; of several labels, the first.

    >>> labels(["jpeg_compression", "fog"], {"JPEG": "jpeg_compression"})
    ['JPEG', 'fog']
    """
    written = {name: label for label, name in reversed(list(names.items()))}
    return [written.get(one, str(one)) for one in known]


def in_a_line(value: Any) -> str:
    """Return an answer in one line; empty if it does not fit, such as an image.

    >>> in_a_line((0.25, "fog")), in_a_line(np.zeros((2, 2)))
    ('0.25, fog', '')
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, list | tuple):
        parts = [in_a_line(one) for one in value]
        return ", ".join(parts) if all(parts) else ""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**_DIGITS:
        return ""  # Python refuses to write the longest ones
    text = " ".join(str(value).split()) if isinstance(value, str | int) else ""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"


def _word(text: str) -> str:
    return text.strip().lower().replace(" ", "_").replace("-", "_")
