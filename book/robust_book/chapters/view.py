"""Numbers for pages: table cells, the paper's numbers next to ours, and settings."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pandas as pd
from pydantic import Field

from robust_lib.config.manifests import model_names
from robust_lib.config.strict_yaml import Record
from robust_lib.results.interval import PercentInterval
from robust_lib.results.notation import Cell
from robust_lib.results.reported import printed, reported
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.network import Network, network_title
from robust_lib.run.trained_as import trained_as

Committed = Mapping[str, Callable[[Results], pd.DataFrame]]
"""Name of a table that is committed -> what makes it of a run's rows."""

Names = Mapping[str, str]
"""The paper's name of a network or detector -> ours that plays its part in a run."""


class Measured(Record):
    """A committed table's description, and the run behind it.

    Attributes:
        recipes: network -> digest of its training recipe then, for networks that are trained here.
    """

    title: str
    convention: str
    provenance: dict[str, Any]
    recipes: dict[str, str] = Field(default_factory=dict)

    @property
    def of_others(self) -> tuple[str, ...]:
        """Return the networks that are now trained differently, or no longer exist."""
        return tuple(
            name
            for name, digest in self.recipes.items()
            if Network.read(name).model not in model_names() or trained_as(name) != digest
        )


def by_network(rows: Results) -> dict[str, Row]:
    """Return network -> its row; each network occurs once in the rows."""
    return {str(row.model): row for row in rows.rows}


def percents(rows: Results) -> dict[str, PercentInterval]:
    """Return network -> its value and interval in percent; each network occurs once in the rows."""
    return {name: row.percent for name, row in by_network(rows).items()}


def cell(row: Row) -> Cell:
    """Return a row's number and interval in percent as a cell of a table."""
    low, high = (None if end is None else 100 * end for end in (row.low, row.high))
    return Cell(100 * row.value, low, high)


def cell_of(interval: PercentInterval) -> Cell:
    """Return a table cell with a number and its interval; equal ends are not shown."""
    value, low, high = interval
    return Cell(value, low, high) if low < high else Cell(value)


def printed_by_network(item: str, **conditions: object) -> dict[str, float]:
    """Return the paper's name of a network -> its number in percent.

    Args:
        conditions: column values that select the printed numbers.
    """
    rows = printed(item, **conditions)
    return {row.model: row.percent for row in rows if row.model is not None}


def printed_settings(item: str, network: str) -> dict[str, str]:
    """Return metric -> the setting of a network as the paper prints it, a number or a text."""
    return {row.metric: row.value for row in reported(item) if row.model == network}


def settings(
    item: str, dataset: str, by_network: Mapping[str, Mapping[str, float | None]]
) -> Results:
    """Return the settings of training, one row per network and setting.

    Args:
        by_network: network -> setting (a metric of `results.row`) -> its value; None if it has
            none.
    """
    return Results.of(
        Row(item=item, dataset=dataset, model=network, metric=metric, value=float(value))
        for network, values in by_network.items()
        for metric, value in values.items()
        if value is not None
    )


def beside(run: Mapping[str, object], paper: Mapping[str, object]) -> dict[str, object]:
    """Return the columns of both, under the headings "This run" and "The paper"."""
    return {f"This run|{name}": one for name, one in run.items()} | {
        f"The paper|{name}": one for name, one in paper.items()
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


def values_frame(
    rows: Iterable[Row],
    columns: Mapping[str, Callable[[Row], object]],
    heads: tuple[str, str, str] = ("Value", "Low", "High"),
) -> pd.DataFrame:
    """Return one line per row: its subject, its value and its interval in percent.

    Args:
        rows: rows to show; the columns of ends are present if any row has an interval.
        columns: name of a column -> function that returns its content for a row.
        heads: columns of the value, and of the lower and the upper end.
    """
    return pd.DataFrame(
        {name: of(row) for name, of in columns.items()}
        | {
            head: 100 * number
            for head, number in zip(heads, (row.value, row.low, row.high), strict=True)
            if number is not None
        }
        for row in rows
    )


def title(row: Row) -> str:
    """Return the title of a row's network."""
    return network_title(str(row.model))


def metrics_frame(results: Results, heads: Mapping[str, str]) -> pd.DataFrame:
    """Return one line per network: each metric and the ends of its interval, in percent.

    Args:
        heads: metric -> its column.
    """
    lines: dict[str, dict[str, object]] = {}
    for metric, head in heads.items():
        for row in results.select(metric=metric, corruption=None).rows:
            line = lines.setdefault(str(row.model), {"Network": title(row)})
            line |= {head: 100 * row.value, **ends(row, head)}
    return pd.DataFrame(list(lines.values()))
