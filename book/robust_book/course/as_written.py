"""Numbers and names as pages write them ("76.7 %", "JPEG"), read as values and written back."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

_COMMA = re.compile(r"^(\s*-?\d+),(\d+\s*)$")


def one_number(value: Any) -> float | None:
    """Return the one finite number that a value is or holds; None where it is none, or a text.

    >>> one_number(np.array([0.5])), one_number([1, 2]), one_number("0.5")
    (0.5, None, None)
    """
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return None
    if isinstance(value, str) or array.size != 1 or not np.isfinite(array).all():
        return None
    return float(array.reshape(()))


def read(value: Any, expects: str) -> Any:
    """Return the number in a text with a unit, a decimal comma, a true minus sign, or "k = 2".

    Args:
        value: anything but such a text is returned unchanged.
        expects: if it names percent, percent stay percent.

    >>> read("76,7 %", "a fraction"), read("76.7 %", "percent"), read("k = −2", "a number")
    (0.767, 76.7, -2.0)
    >>> read("fog", "a name")
    'fog'
    """
    if not isinstance(value, str):
        return value
    text, percent, rest = value.split("=")[-1].replace("−", "-").partition("%")
    text = _COMMA.sub(r"\1.\2", text)
    try:
        number = float(text)
    except ValueError:
        return value
    return value if rest.strip() else number / (100 if percent and "percent" not in expects else 1)


def plain(value: Any, names: Mapping[str, str] | None = None) -> Any:
    """Return a value in the form that is compared: names without case and blanks, arrays as tuples.

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


def options(value: Any) -> tuple[Any, ...]:
    """Return all right values: those of a set, or the value itself.

    >>> options("Fog"), options(("a", "b")), options({2})
    (('fog',), (('a', 'b'),), (2,))
    """
    several = isinstance(value, set | frozenset)
    return tuple(map(plain, value)) if several else (plain(value),)


def labels(known: Sequence[Any], names: Mapping[str, str]) -> list[str]:
    """Return names as pages write them, the first of several ways.

    >>> labels(["jpeg_compression", "fog"], {"JPEG": "jpeg_compression"})
    ['JPEG', 'fog']
    """
    written = {name: label for label, name in reversed(list(names.items()))}
    return [written.get(one, str(one)) for one in known]


def in_a_line(value: Any) -> str:
    """Return an answer in one line; empty if it does not fit, as a picture does not.

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
    return " ".join(str(value).split()) if isinstance(value, str | int) else ""


def _word(text: str) -> str:
    return text.strip().lower().replace(" ", "_").replace("-", "_")
