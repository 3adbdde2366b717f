"""The notation of numbers on pages: as the papers print them, with uniform intervals."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

SIGNS: Mapping[str, str] = MappingProxyType({"percent": " %", "points": " points"})
"""Unit of a fraction -> the text after the number."""


class Cell(NamedTuple):
    """A table's cell: a number with the ends of its interval, in the unit of the column.

    Ends of None, for a number without an interval, are not written.
    """

    value: float
    low: float | None = None
    high: float | None = None


def spelled(value: float | int | str | None, unit: str, decimals: int | None = None) -> str:
    """Return a number as the paper prints it: a fraction as percent or points if that is the unit.

    A string is an already printed number; only its unit is added.

    >>> spelled(0.7669, "percent", 1), spelled("76.7", "percent"), spelled(1109, "count")
    ('76.7 %', '76.7 %', '1,109')
    """
    sign = SIGNS.get(unit, "")
    if isinstance(value, str):
        return value + sign
    if value is None:
        return "–"
    return written(value * (100 if sign else 1), decimals or 0) + sign


def digits_beside(
    value: float, unit: str, decimals: int | None, *, exact: bool = False, more: int = 0
) -> int:
    """Return the number of decimals of our number next to a printed one.

    It is the number of printed decimals, with two exceptions: a whole count has none, even next to
    "1.9 million"; a number that a person chose, or that has no printed counterpart, has up to four
    significant digits, so that a weight decay of 0.0005 next to 10^-4 is not shown as 0.

    Args:
        value: our number, as a fraction if the unit is percent or points.
        decimals: digits after the point of the printed number.
        exact: whether a person chose the number.
        more: number of digits beyond the printed ones.

    >>> digits_beside(0.0005, "none", 0, exact=True), digits_beside(4000.0, "count", 1)
    (4, 0)
    >>> digits_beside(1 / 6, "percent", 2, exact=True), digits_beside(0.25, "percent", 1)
    (2, 1)
    """
    scaled = value * (100 if unit in SIGNS else 1)
    if unit == "count" and float(scaled).is_integer():
        return 0
    least = (decimals or 0) + more
    if not exact and (unit in SIGNS or decimals):
        return least
    power = Decimal(f"{scaled:.4g}").normalize().as_tuple().exponent
    return max(least, -int(power))


def written(value: float | int, decimals: int = 1) -> str:
    """Return a number with fixed decimals, thousands separators and a true minus sign.

    >>> written(-1234.56), written(7.0, 0)
    ('−1,234.6', '7')
    """
    shown = f"{value:,.{decimals}f}"
    return (shown if float(shown.replace(",", "")) else shown.lstrip("-")).replace("-", "−")


def one_digit(told: str) -> str:
    r"""Return a printed number with one digit after its point; a whole number keeps none.

    >>> one_digit("-76.130"), one_digit("2")
    ('−76.1', '2\u2008\u2007')
    """
    blank = "\N{PUNCTUATION SPACE}\N{FIGURE SPACE}"  # as wide as a point and a digit
    shown = f"{Decimal(told):.1f}" if "." in told else told + blank
    return shown.replace("-", "\N{MINUS SIGN}")


def with_interval(
    value: float, low: float | None, high: float | None, decimals: int = 1, sign: str = ""
) -> str:
    """Return a number and its interval in the uniform notation of the pages.

    >>> with_interval(57.4, 54.7, 60.0), with_interval(0.5, None, None, 2, " %")
    ('57.4 [54.7, 60.0]', '0.50 %')
    """
    return f"{written(value, decimals)}{sign}" + ends(low, high, decimals)


def ends(low: float | None, high: float | None, decimals: int = 1) -> str:
    """Return an interval as text, with a space before it; the empty string if there is none.

    >>> ends(54.7, 60.0)
    ' [54.7, 60.0]'
    """
    if low is None or high is None:
        return ""
    return f" [{written(low, decimals)}, {written(high, decimals)}]"


def listed(names: Sequence[str]) -> str:
    """Return names as an enumeration for a sentence.

    >>> listed(["fog"]), listed(["fog", "snow", "frost"])
    ('fog', 'fog, snow and frost')
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def side_by_side(texts: Sequence[str]) -> str:
    """Return the numbers of a claim as text, in the claim's own order.

    >>> side_by_side(["6.1 %", "1.9 %"]), side_by_side(["2.7 %", "2.3 %", "1.3 %"])
    ('6.1 % against 1.9 %', '2.7 %, 2.3 %, 1.3 %')
    """
    return (" against " if len(texts) == 2 else ", ").join(texts)


def told_apart(values: Sequence[float], *, is_percent: bool, least: int = 1) -> list[str]:
    """Return numbers as text, with enough digits to distinguish neighbours that differ.

    Args:
        values: numbers, as fractions if they are written as percent.
        least: minimum number of decimals.

    >>> told_apart([0.123, 0.124], is_percent=True), told_apart([0.5, 0.75], is_percent=False)
    (['12.3 %', '12.4 %'], ['0.5', '0.8'])
    >>> told_apart([0.1231, 0.1234], is_percent=True), told_apart([-0.1], is_percent=True)
    (['12.31 %', '12.34 %'], ['−10.0 %'])
    """
    texts: list[str] = []
    for decimals in range(least, 7):
        texts = [
            written(100 * value, decimals) + " %" if is_percent else written(value, decimals)
            for value in values
        ]
        pairs = zip(pairwise(values), pairwise(texts), strict=True)
        if all(left == right or one != other for (left, right), (one, other) in pairs):
            break
    return texts
