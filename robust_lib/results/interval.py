"""A number with the ends of its interval, as (value, low, high); the unit is in the type's name."""

from typing import NewType

ScoreInterval = tuple[float, float, float]
"""An interval in the unit of rows: a score as it is, a rate or difference as a fraction."""

PercentInterval = NewType("PercentInterval", ScoreInterval)
"""An interval in the unit of figures and tables: rates in percent, differences in points."""


def in_percent(
    value: float, low: float | None = None, high: float | None = None
) -> PercentInterval:
    """Return a fraction with its interval in percent; the number itself replaces a missing end.

    >>> in_percent(0.5, 0.25, 0.75), in_percent(0.5)
    ((50.0, 25.0, 75.0), (50.0, 50.0, 50.0))
    """
    low, high = (value if end is None else end for end in (low, high))
    return PercentInterval((100 * value, 100 * low, 100 * high))


def point(value: float) -> PercentInterval:
    """Return a number in percent without an interval, such as a printed one, as its own ends.

    >>> point(76.7)
    (76.7, 76.7, 76.7)
    """
    return PercentInterval((value, value, value))
