"""Tables of results and of what the papers print, as data frames for figures and pages."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from robust_lib.figures.style import corruption_label, label
from robust_lib.results.reported import reported_frame
from robust_lib.results.table import Results
from robust_lib.vocabulary import COMMON

Interval = tuple[float, float, float]


def models_by_corruption(results: Results, metric: str) -> pd.DataFrame:
    """Return a metric's rows as models by corruptions, in percent.

    All models of the results and all fifteen corruptions are there, so that the table stands beside
    the paper's; what was not evaluated, or is not defined, is missing (NaN).
    """
    frame = results.select(metric=metric, severity=None).frame
    wide = _pivot(frame.assign(number=frame["value"]))
    models = list(dict.fromkeys(row.model for row in results.rows if row.model is not None))
    others = [name for name in wide.columns if name not in COMMON]
    return wide.reindex(index=models, columns=[*COMMON, *others])


def printed_by_corruption(item: str, metric: str) -> pd.DataFrame:
    """Return what a paper prints for an item as models by corruptions, in percent."""
    frame = reported_frame(item)
    return _pivot(frame[(frame["metric"] == metric) & frame["corruption"].notna()])


def _pivot(frame: pd.DataFrame) -> pd.DataFrame:
    frame = frame[frame["corruption"].notna()].assign(percent=100 * frame["number"])
    wide = frame.pivot_table(index="model", columns="corruption", values="percent", sort=False)
    order = [name for name in COMMON if name in wide.columns]
    return wide[order + [name for name in wide.columns if name not in order]]


def error_table(results: Results, *, prefix: str = "") -> pd.DataFrame:
    """Return the paper's table for this run: error, mean, then a column a corruption, in percent.

    Args:
        results: rows of `corruption_error.results`.
        prefix: "" for corruption errors, "relative_" for relative ones.
    """
    wide = models_by_corruption(results, f"{prefix}ce")
    return _table(wide, _means(results, prefix), prefix)


def printed_error_table(item: str, *, prefix: str = "") -> pd.DataFrame:
    """Return the table as the paper prints it, in percent."""
    frame = reported_frame(item)
    means = {
        column: {
            str(row.model): 100 * _number(row.number)
            for row in frame[frame["metric"] == metric].itertuples()
        }
        for column, metric in (("Error", "error"), (_mean_name(prefix), f"{prefix}mce"))
    }
    return _table(printed_by_corruption(item, f"{prefix}ce"), means, prefix)


def _means(results: Results, prefix: str) -> dict[str, dict[str, float]]:
    clean = results.select(metric="error", corruption=None)
    means = results.select(metric=f"{prefix}mce")
    return {
        "Error": {str(row.model): 100 * row.value for row in clean.rows},
        _mean_name(prefix): {str(row.model): 100 * row.value for row in means.rows},
    }


def _mean_name(prefix: str) -> str:
    return "Rel. mCE" if prefix else "mCE"


def _table(wide: pd.DataFrame, means: dict[str, dict[str, float]], prefix: str) -> pd.DataFrame:
    table = pd.DataFrame({"Network": [label(str(name)) for name in wide.index]})
    for column, values in means.items():
        table[column] = [values.get(str(name)) for name in wide.index]
    for name in wide.columns:
        table[corruption_label(str(name))] = wide[name].to_numpy()
    return table


def printed_decimals(table: pd.DataFrame) -> dict[str, int]:
    """Return the decimals that the paper prints in each column: one in the means, none in CEs."""
    return {str(name): 1 if place < 3 else 0 for place, name in enumerate(table.columns)}


def severity_table(results: Results) -> pd.DataFrame:
    """Return every error in percent: a row a network and corruption, a column a severity.

    The last columns are half the width of the widest interval of a row, and the images.
    """
    rows = [row for row in results.select(metric="error").rows if row.severity is not None]
    frame = pd.DataFrame(
        {
            "Network": [label(str(row.model)) for row in rows],
            "Corruption": [corruption_label(str(row.corruption)) for row in rows],
            "severity": [f"Severity {row.severity}" for row in rows],
            "error": [100 * row.value for row in rows],
            "± at most": [50 * (_or_nan(row.high) - _or_nan(row.low)) for row in rows],
            "n": [row.n for row in rows],
        }
    )
    key = ["Network", "Corruption"]
    wide = frame.pivot_table(index=key, columns="severity", values="error", sort=False)
    last = frame.groupby(key, sort=False).agg({"± at most": "max", "n": "max"})
    return wide.join(last).reset_index()


def _or_nan(value: float | None) -> float:
    return float("nan") if value is None else value


def severity_curves(results: Results, corruptions: Sequence[str]) -> pd.DataFrame:
    """Return error in percent by corruption, severity (0 is clean) and model, for curves."""
    clean = {row.model: row.value for row in results.select(metric="error", corruption=None).rows}
    rows = [row for row in results.select(metric="error").rows if row.severity is not None]
    points = [(str(r.corruption), r.severity, str(r.model), 100 * r.value) for r in rows]
    points += [
        (name, 0, str(model), 100 * value) for name in corruptions for model, value in clean.items()
    ]
    frame = pd.DataFrame(points, columns=["corruption", "severity", "model", "error"])
    return frame[frame["corruption"].isin(corruptions)].sort_values("severity", kind="stable")


def intervals(results: Results, metric: str) -> dict[str, Interval]:
    """Return model -> (value, low, high) of a metric over all corruptions, as fractions."""
    return {
        str(row.model): (
            row.value,
            row.value if row.low is None else row.low,
            row.value if row.high is None else row.high,
        )
        for row in results.select(metric=metric, corruption=None).rows
    }


def printed_values(item: str, metric: str) -> dict[str, float]:
    """Return model -> printed number of an item's metric over all corruptions, as fractions."""
    frame = reported_frame(item)
    chosen = frame[(frame["metric"] == metric) & frame["corruption"].isna()]
    return {str(row.model): _number(row.number) for row in chosen.itertuples()}


def baseline_errors(results: Results, model: str) -> pd.DataFrame:
    """Return one model's mean error by corruption beside AlexNet's printed ones, in percent.

    Of a model that was not evaluated, the numbers are missing (NaN).
    """
    frame = reported_frame("inc-alexnet")
    printed = {
        str(row.corruption): 100 * _number(row.number)
        for row in frame[frame["metric"] == "mean_error"].itertuples()
    }
    rows = results.select(metric="mean_error", model=model).rows
    ours = {str(row.corruption): 100 * row.value for row in rows}
    names = [name for name in printed if name in ours] or list(printed)
    return pd.DataFrame(
        {
            "The paper (AlexNet)": [printed[name] for name in names],
            f"This run ({label(model)})": [ours.get(name, float("nan")) for name in names],
        },
        index=names,
    )


def _percent(value: float | None) -> float | None:
    return None if value is None else 100 * value


def _number(value: Any) -> float:
    """Return a cell of a data frame, whose type pandas does not tell, as a number."""
    return float(value)
