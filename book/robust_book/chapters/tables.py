"""Numbers of rows and of the papers by model, as figures and committed tables take them."""

from collections.abc import Callable, Mapping

import pandas as pd

from robust_book.figures.bars import Interval
from robust_lib.results import notation
from robust_lib.results.reported import reported
from robust_lib.results.row import Row
from robust_lib.results.table import Results

Committed = Mapping[str, Callable[[Results], pd.DataFrame]]
"""Name of a table that is committed -> what makes it of a run's rows."""


def cell(interval: Interval) -> notation.Interval:
    """Return a table's cell with a number and its interval in percent; equal ends are none.

    >>> cell((0.5, 0.25, 0.75)), cell((0.5, 0.5, 0.5))
    (Interval(value=50.0, low=25.0, high=75.0), Interval(value=50.0, low=None, high=None))
    """
    value, low, high = (100 * one for one in interval)
    return notation.Interval(value, low, high) if low < high else notation.Interval(value)


def cell_of(row: Row) -> notation.Interval:
    """Return a table's cell with a row's number and its interval in percent.

    >>> cell_of(Row(item="inc-tab1", dataset="toy_c", metric="mce", value=0.9, n=9, n_full=9))
    Interval(value=90.0, low=None, high=None)
    """
    ends = (None if end is None else 100 * end for end in (row.low, row.high))
    return notation.Interval(100 * row.value, *ends)


def intervals(results: Results, metric: str) -> dict[str, Interval]:
    """Return model -> (value, low, high) of a metric over all corruptions, as fractions.

    A value without an interval stands for its ends.

    >>> from robust_lib.results.row import Row
    >>> row = Row(item="inc-tab1", dataset="toy_c", model="vgg11", metric="mce", value=0.9, n=9,
    ...           n_full=9)
    >>> intervals(Results.of([row]), "mce")
    {'vgg11': (0.9, 0.9, 0.9)}
    """
    return {
        str(row.model): (
            row.value,
            row.value if row.low is None else row.low,
            row.value if row.high is None else row.high,
        )
        for row in results.select(metric=metric, corruption=None).rows
    }


def printed_values(item: str, metric: str) -> dict[str, float]:
    """Return model -> printed number of an item's metric over all corruptions, as fractions.

    >>> round(printed_values("inc-tab1", "mce")["resnet50"], 3)
    0.767
    """
    return {
        row.model: row.number
        for row in reported(item)
        if row.metric == metric and row.corruption is None
        if row.model is not None and row.number is not None
    }


def ends(row: Row, name: str = "") -> dict[str, float]:
    """Return the ends of a row's interval in percent, as columns; none if it has no interval.

    >>> row = Row(item="inc-tab1", dataset="toy_c", model="vgg11", metric="mce", value=0.9, n=9,
    ...           low=0.75, high=1.0, n_full=9)
    >>> ends(row, "mCE")
    {'mCE low': 75.0, 'mCE high': 100.0}
    """
    found = {"low": row.low, "high": row.high}
    return {
        f"{name} {end}".strip(): 100 * value for end, value in found.items() if value is not None
    }
