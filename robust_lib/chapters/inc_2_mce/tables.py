"""Corruption errors in tables: networks by corruptions, this run's and the paper's, in percent."""

import math

import pandas as pd

from robust_lib.chapters.tables import printed_values
from robust_lib.figures.style import corruption_label
from robust_lib.results.reported import reported, reported_frame
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.network import network_title
from robust_lib.vocabulary import COMMON


def models_by_corruption(results: Results, metric: str) -> pd.DataFrame:
    """Return a metric's rows as models by corruptions, in percent.

    All models of the results and all fifteen corruptions are there, so that the table stands beside
    the paper's; what was not evaluated, or is not defined, is missing (NaN).

    >>> row = Row(item="inc-tab1", dataset="toy_c", model="vgg11", metric="ce", corruption="fog",
    ...           value=0.9, n=9, n_full=9)
    >>> frame = models_by_corruption(Results.of([row]), "ce")
    >>> frame.shape, float(frame.loc["vgg11", "fog"])
    ((1, 15), 90.0)
    """
    frame = results.select(metric=metric, severity=None).frame
    wide = _pivot(frame.assign(number=frame["value"]))
    models = list(dict.fromkeys(row.model for row in results.rows if row.model is not None))
    others = [name for name in wide.columns if name not in COMMON]
    return wide.reindex(index=models, columns=[*COMMON, *others])


def printed_by_corruption(item: str, metric: str) -> pd.DataFrame:
    """Return what a paper prints for an item as models by corruptions, in percent.

    >>> float(printed_by_corruption("inc-tab1", "ce").loc["resnet50", "gaussian_noise"])
    80.0
    """
    frame = reported_frame(item)
    return _pivot(frame[(frame["metric"] == metric) & frame["corruption"].notna()])


def _pivot(frame: pd.DataFrame) -> pd.DataFrame:
    frame = frame[frame["corruption"].notna()].assign(percent=100 * frame["number"])
    wide = frame.pivot_table(index="model", columns="corruption", values="percent", sort=False)
    order = [name for name in COMMON if name in wide.columns]
    return wide[order + [name for name in wide.columns if name not in order]]


def error_frame(results: Results, *, prefix: str = "") -> pd.DataFrame:
    """Return the paper's table for this run: error, mean, then a column a corruption, in percent.

    Args:
        results: rows of `protocols.corruption_error.results`.
        prefix: "" for corruption errors, "relative_" for relative ones.

    >>> row = Row(item="inc-tab1", dataset="toy_c", model="vgg11", metric="ce", corruption="fog",
    ...           value=0.8, n=9, n_full=9)
    >>> error_frame(Results.of([row]))[["Network", "Fog"]].to_dict("records")
    [{'Network': 'VGG-11', 'Fog': 80.0}]
    """
    clean = results.select(metric="error", corruption=None)
    mean = results.select(metric=f"{prefix}mce")
    columns = {
        "Error": {str(row.model): 100 * row.value for row in clean.rows},
        _mean_name(prefix): {str(row.model): 100 * row.value for row in mean.rows},
    }
    return _by_network(models_by_corruption(results, f"{prefix}ce"), columns)


def printed_error_frame(item: str) -> pd.DataFrame:
    """Return Table 1 or 2 as the paper prints it, in percent.

    >>> printed = printed_error_frame("inc-tab2").iloc[-1]
    >>> printed["Network"], float(printed["Rel. mCE"])
    ('ResNet-50', 105.0)
    """
    prefix = "relative_" if item == "inc-tab2" else ""
    columns = {
        column: {model: 100 * number for model, number in printed_values(item, metric).items()}
        for column, metric in (("Error", "error"), (_mean_name(prefix), f"{prefix}mce"))
    }
    return _by_network(printed_by_corruption(item, f"{prefix}ce"), columns)


def _mean_name(prefix: str) -> str:
    return "Rel. mCE" if prefix else "mCE"


def _by_network(wide: pd.DataFrame, columns: dict[str, dict[str, float]]) -> pd.DataFrame:
    frame = pd.DataFrame({"Network": [network_title(str(name)) for name in wide.index]})
    for column, values in columns.items():
        frame[column] = [values.get(str(name)) for name in wide.index]
    for name in wide.columns:
        frame[corruption_label(str(name))] = wide[name].to_numpy()
    return frame


def cells_frame(results: Results) -> pd.DataFrame:
    """Return every error in percent: a row a network and corruption, a column a severity.

    The last columns are half the width of the widest interval of a row, and the images.

    >>> row = Row(item="inc-tab1", dataset="toy_c", model="vgg11", metric="error",
    ...           corruption="fog", severity=3, value=0.5, low=0.25, high=0.75, n=9, n_full=9)
    >>> cells_frame(Results.of([row])).to_dict("records")
    [{'Network': 'VGG-11', 'Corruption': 'Fog', 'Severity 3': 50.0, '± at most': 25.0, 'n': 9}]
    """
    rows = [row for row in results.select(metric="error").rows if row.severity is not None]
    frame = pd.DataFrame(
        {
            "Network": [network_title(str(row.model)) for row in rows],
            "Corruption": [corruption_label(str(row.corruption)) for row in rows],
            "severity": [f"Severity {row.severity}" for row in rows],
            "error": [100 * row.value for row in rows],
            "± at most": [_half_width(row) for row in rows],
            "n": [row.n for row in rows],
        }
    )
    key = ["Network", "Corruption"]
    wide = frame.pivot_table(index=key, columns="severity", values="error", sort=False)
    last = frame.groupby(key, sort=False).agg({"± at most": "max", "n": "max"})
    return wide.join(last).reset_index()


def _half_width(row: Row) -> float:
    """Return half the width of a row's interval in percent, NaN without one."""
    return math.nan if row.low is None or row.high is None else 50 * (row.high - row.low)


def normaliser_frame(results: Results, model: str) -> pd.DataFrame:
    """Return one model's mean error by corruption beside AlexNet's printed ones, in percent.

    Of a model that was not evaluated, the numbers are missing (NaN).

    >>> normaliser_frame(Results(), "alexnet").loc["fog"].round(1).tolist()
    [81.9, nan]
    """
    printed = {
        str(row.corruption): 100 * row.number
        for row in reported("inc-alexnet")
        if row.metric == "mean_error" and row.number is not None
    }
    rows = results.select(metric="mean_error", model=model).rows
    ours = {str(row.corruption): 100 * row.value for row in rows}
    names = [name for name in printed if name in ours] or list(printed)
    return pd.DataFrame(
        {
            "The paper (AlexNet)": [printed[name] for name in names],
            f"This run ({network_title(model)})": [ours.get(name, math.nan) for name in names],
        },
        index=names,
    )
