"""The one long table of results: a row has one number, its conditions, interval and n.

It contains only the results of computations, as fractions. The papers' printed numbers are in
`data_manifests/reported/`; `robust_lib.results.compare` compares them with these rows.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import pandas as pd

from robust_lib import atomic
from robust_lib.errors import DataError, ResultError
from robust_lib.results.row import COLUMNS, REAL, WHOLE, Row, matching, named, row_of


@dataclass(frozen=True)
class Results:
    """An immutable table of rows; adding rows gives a new table.

    >>> row = Row(item="inc-tab1", dataset="toy", model="m", metric="mce", value=0.82, n=75,
    ...           n_full=75)
    >>> Results.of([row]).row(metric="mce", model="m").value
    0.82

    Raises:
        ResultError: two rows have the same conditions.
    """

    rows: tuple[Row, ...] = ()

    def __post_init__(self) -> None:
        seen: dict[tuple[object, ...], Row] = {}
        for row in self.rows:
            first = seen.setdefault(row.key, row)
            if first is not row:
                raise ResultError(
                    f"Expected one row for each set of conditions, but two rows have {named(row)}: "
                    f"values {first.value:g} and {row.value:g}. Keep one, or state the difference "
                    "in the column convention."
                )

    def __len__(self) -> int:
        return len(self.rows)

    def __add__(self, other: "Results") -> "Results":
        return Results(self.rows + other.rows)

    @classmethod
    def of(cls, rows: Iterable[Row]) -> "Results":
        """Return the table of the given rows, in their order."""
        return cls(tuple(rows))

    def stamped(self, run: str) -> "Results":
        """Return this table with the name of the run that computed it in every row."""
        return Results(tuple(replace(row, run=run) for row in self.rows))

    def select(self, **conditions: Any) -> "Results":
        """Return the rows whose columns have these values; a list allows any of its values.

        Raises:
            ResultError: a column that the table does not have.
        """
        return Results(matching(self.rows, COLUMNS, conditions))

    def row(self, **conditions: Any) -> Row:
        """Return the only row with these conditions.

        Raises:
            ResultError: no row, or several.
        """
        found = self.select(**conditions)
        if len(found) != 1:
            wanted = ", ".join(f"{name}={value}" for name, value in conditions.items())
            raise ResultError(
                f"Expected exactly one row with {wanted}, but found {len(found)}. "
                + ("Add conditions." if len(found) else "Check the names.")
            )
        return found.rows[0]

    def first(self, **conditions: Any) -> Row | None:
        """Return the first row with these conditions; None if there is none."""
        return next(iter(self.select(**conditions).rows), None)

    @property
    def frame(self) -> pd.DataFrame:
        """Return the rows as a data frame: text, whole and real columns with missing values."""
        columns = {name: [getattr(row, name) for row in self.rows] for name in COLUMNS}
        return pd.DataFrame(
            {
                name: pd.Series(
                    values,
                    dtype="Int64" if name in WHOLE else "float64" if name in REAL else "str",
                )
                for name, values in columns.items()
            }
        )

    def save(self, folder: Path, stem: str) -> tuple[Path, Path]:
        """Write `<stem>.parquet` and `<stem>.csv`, each in one step, and return their paths."""
        frame = self.frame
        parquet, csv = folder / f"{stem}.parquet", folder / f"{stem}.csv"
        with atomic.file(parquet) as made:
            frame.to_parquet(made, index=False)
        with atomic.file(csv) as made:
            frame.to_csv(made, index=False)
        return parquet, csv

    @classmethod
    def load(cls, path: Path) -> "Results":
        """Return the table in a Parquet or CSV file.

        Raises:
            DataError: the file is missing, unreadable, or has the wrong columns.
            ResultError: a row must not enter the table.
        """
        frame = _read(path)
        if tuple(frame.columns) != COLUMNS:
            raise DataError(
                f"Expected the columns {', '.join(COLUMNS)} in {path}, but found "
                f"{', '.join(map(str, frame.columns))}. Compute the results again."
            )
        records = frame.astype(object).where(frame.notna(), None).to_dict("records")
        return cls.of(row_of(record) for record in cast(list[dict[str, Any]], records))


def _read(path: Path) -> pd.DataFrame:
    if not path.exists():
        raise DataError(f"Expected a table of results at {path}, but there is no such file.")
    try:
        if path.suffix == ".parquet":
            return pd.read_parquet(path)
        text = {name: "str" for name in COLUMNS if name not in (*WHOLE, *REAL)}
        whole = dict.fromkeys(WHOLE, "Int64")
        return pd.read_csv(
            path,
            dtype=text | whole,
            keep_default_na=False,
            na_values=[""],
        )
    except Exception as error:
        raise DataError(
            f"{path} is not a readable table of results: {error}. Compute it again."
        ) from None
