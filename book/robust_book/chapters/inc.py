"""Functions shared by the pages on corruption errors: curves by severity, tables, key numbers."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from robust_book.chapters import view
from robust_lib.protocols.grid import Grid
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber
from robust_lib.results.reported import data_title
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.network import network_title, network_titles
from robust_lib.vocabulary import corruption_label


def severity_frame(results: Results, corruptions: Sequence[str]) -> pd.DataFrame:
    """Return one row per corruption, severity (0 is clean) and model: error and its interval.

    Errors and the ends of their intervals (low, high) are in percent.
    """
    errors = results.select(metric="error").rows
    points = [(str(row.corruption), row.severity, row) for row in errors if row.severity]
    clean = [row for row in errors if row.corruption is None]
    points += [(name, 0, row) for name in corruptions for row in clean]
    frame = pd.DataFrame(
        [
            (name, severity, str(row.model), *row.percent)
            for name, severity, row in points
            if name in corruptions
        ],
        columns=["corruption", "severity", "model", "error", "low", "high"],
    )
    frame["model"] = frame["model"].map(network_titles(frame["model"].unique()))
    return frame.sort_values("severity", kind="stable")


def key_numbers(results: Results, grid: Grid, baseline: str) -> dict[str, KeyNumber]:
    """Return the numbers in the prose; a text replaces a number that this run does not have.

    The best model is the one with the smallest clean error.

    Args:
        baseline: our stand-in for AlexNet; a run that divides by published errors may lack it.

    >>> rows = toys.rows("inc-tab1", "error", {"alexnet_mini": 0.5, "resnet18_mini": 0.25})
    >>> numbers = key_numbers(rows, toys.grid("alexnet_mini", "resnet18_mini"), "alexnet_mini")
    >>> [numbers[key].text for key in ("best_model", "best_accuracy", "best_mce")]
    ['ResNet-18-like', '75.0 %', 'not defined']
    """
    clean = view.by_network(results.select(metric="error", corruption=None))
    best = min(clean, key=lambda name: clean[name].value)
    numbers: dict[str, KeyNumber] = {
        "best_model": KeyNumber(network_title(best), value=best, convention="smallest clean error"),
        "best_accuracy": _accuracy(clean[best], grid),
    }
    there = baseline in clean
    numbers["baseline_accuracy"] = _accuracy(clean[baseline], grid) if there else NOT_MEASURED
    wanted = {
        "best_mce": ("mce", best),
        "best_relative_mce": ("relative_mce", best),
        "corruption_error": ("ce", grid.models[-1]),
    }
    for key, (metric, model) in wanted.items():
        row = results.first(metric=metric, model=model)
        numbers[key] = _UNDEFINED if row is None else _key_number(row, grid)
    numbers["images"] = _images(grid)
    numbers["below_baseline"] = _below(results, "mce", baseline)
    numbers["relative_below_baseline"] = _below(results, "relative_mce", baseline)
    return numbers


def _images(grid: Grid) -> KeyNumber:
    """Return a text on whether the images are the paper's own."""
    one = next(iter(grid.clean.values()))[0]
    if grid.storage.startswith("archive") and len(one.ids) == grid.n_full:
        words = "the paper's own, so each value can be compared by itself"
    elif grid.storage.startswith("archive"):
        words = "some of the paper's own, so values can be compared within their intervals"
    else:
        words = "another set, so no value is comparable by itself"
    convention = f"{data_title(grid.dataset)}, {grid.storage}"
    return KeyNumber(words, convention=convention, n=len(one.ids))


_UNDEFINED = KeyNumber(
    "not defined", convention="a corruption is missing, or does not change the baseline's error"
)


def _below(results: Results, metric: str, baseline: str) -> KeyNumber:
    """Return, as text, how many other networks have a mean below the baseline's, which is 1."""
    rows = [row for row in results.select(metric=metric).rows if row.model != baseline]
    if not rows:
        return _UNDEFINED
    below = sum(row.value < 1 for row in rows)
    whole = sum(row.high is not None and row.high < 1 for row in rows)
    words = f"{below or 'none'} of {len(rows)} networks"
    end = f" ({whole} with the whole interval)" if below else ""
    what = metric.replace("_", " ").replace("mce", "mCE")
    return KeyNumber(
        f"{words}{end}",
        value=below,
        convention=f"networks whose {what} is below 100 %",
        n=len(rows),
    )


def _accuracy(row: Row, grid: Grid) -> KeyNumber:
    low, high = (None if end is None else 1 - end for end in (row.high, row.low))
    return _key_number(
        replace(row, metric="accuracy", value=1 - row.value, low=low, high=high), grid
    )


_RATIOS = ("ce", "mce", "relative_ce", "relative_mce")


def _key_number(row: Row, grid: Grid) -> KeyNumber:
    several = len(grid.clean[str(row.model)]) > 1
    interval = "lowest and highest of the seeds" if several else "95 % interval"
    if row.metric in _RATIOS and row.value == 1 and row.low in (None, 1):
        interval, ends = "the baseline's own is 100 %", "by definition"
    elif row.low is None or row.high is None:
        ends = "without an upper end"
    else:
        ends = f"[{100 * row.low:.1f}, {100 * row.high:.1f}] %"
    what = f"{row.metric.replace('_', ' ')} of {view.title(row)} on {data_title(row.dataset)}"
    words = f"{what}; {interval} {ends}; {row.convention or 'clean images'}"
    return KeyNumber(f"{100 * row.value:.1f} %", value=row.value, convention=words, n=row.n)


def networks_frame(results: Results) -> pd.DataFrame:
    """Return one row per network: error, mCE and relative mCE with their intervals, in percent."""
    heads = {"error": "clean error", "mce": "mCE", "relative_mce": "relative mCE"}
    return view.metrics_frame(results, heads)


def baseline_frame(results: Results) -> pd.DataFrame:
    """Return the first network's error in percent: one row per corruption, clean and by severity.

    The first network is the baseline, if the run has one.
    """
    clean = results.select(metric="error", corruption=None).rows[0]
    rows: dict[str, dict[str, float | str]] = {}
    for row in results.select(metric="error", model=clean.model).rows:
        if row.corruption is not None:
            name = corruption_label(row.corruption)
            found = rows.setdefault(name, {"Corruption": name, "clean": 100 * clean.value})
            found[f"severity {row.severity}"] = 100 * row.value
    return pd.DataFrame(list(rows.values()))
