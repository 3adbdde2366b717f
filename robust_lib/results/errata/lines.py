"""The lines of an erratum's check, and the printed numbers behind them."""

from collections.abc import Sequence
from dataclasses import dataclass

from robust_lib.errors import InputError
from robust_lib.results.reported import Reported, number

Condition = str | int | None


@dataclass(frozen=True)
class Line:
    """One line of a check: the quantity, the printed text, and the computed result."""

    what: str
    printed: str
    computed: str


def rows(table: Sequence[Reported], metric: str, **conditions: Condition) -> list[Reported]:
    """Return the printed numbers of a metric with these conditions, in printed order."""
    return [
        row
        for row in table
        if row.metric == metric
        and all(getattr(row, name) == wanted for name, wanted in conditions.items())
    ]


def row(table: Sequence[Reported], metric: str, **conditions: Condition) -> Reported:
    """Return the first printed number with these conditions.

    Raises:
        InputError: no printed number has these conditions.
    """
    found = rows(table, metric, **conditions)
    if not found:
        named = ", ".join(f"{name}={wanted}" for name, wanted in conditions.items())
        raise InputError(f"Expected a printed {metric} with {named}, but there is none.")
    return found[0]


def value(table: Sequence[Reported], metric: str, **conditions: Condition) -> float:
    """Return the first printed number with these conditions, as a fraction."""
    return number(row(table, metric, **conditions))


def percent(fraction: float) -> str:
    """Return a fraction in percent, as text.

    >>> percent(0.7669)
    '76.7 %'
    """
    return f"{100 * fraction:.1f} %"
