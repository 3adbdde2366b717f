"""Tables of corruption errors, networks by corruptions: this run's and the paper's, in percent."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from robust_book.chapters.view import printed_by_network
from robust_lib.protocols.corruption_error.normaliser import Normaliser
from robust_lib.results.interval import PercentInterval, point
from robust_lib.results.reported import printed, reported_frame
from robust_lib.results.table import Results
from robust_lib.run.network import network_title
from robust_lib.vocabulary import COMMON, corruption_label

PRINTED = "The paper (AlexNet)"
LEAST_RISE = 0.05  # of the normaliser's error: less is no denominator


def models_by_corruption(results: Results, metric: str) -> pd.DataFrame:
    """Return a metric as models by corruptions, in percent.

    All models of the results and all fifteen corruptions are included, so that the table matches
    the paper's; values that were not evaluated, or are not defined, are missing (NaN).
    """
    frame = results.select(metric=metric, severity=None).frame
    wide = _pivot(frame.assign(number=frame["value"]))
    models = list(dict.fromkeys(row.model for row in results.rows if row.model is not None))
    others = [name for name in wide.columns if name not in COMMON]
    return wide.reindex(index=models, columns=[*COMMON, *others])


def printed_by_corruption(item: str, metric: str) -> pd.DataFrame:
    """Return the printed numbers of an item as models by corruptions, in percent."""
    frame = reported_frame(item)
    return _pivot(frame[frame["metric"] == metric])


def _pivot(frame: pd.DataFrame) -> pd.DataFrame:
    frame = frame[frame["corruption"].notna()].assign(percent=100 * frame["number"])
    wide = frame.pivot_table(index="model", columns="corruption", values="percent", sort=False)
    order = [name for name in COMMON if name in wide.columns]
    return wide[order + [name for name in wide.columns if name not in order]]


def error_frame(results: Results, *, prefix: str = "") -> pd.DataFrame:
    """Return the paper's table for this run, in percent: error, mean, one column per corruption.

    Args:
        prefix: "" for corruption errors, "relative_" for relative ones.
    """
    clean = results.select(metric="error", corruption=None)
    mean = results.select(metric=f"{prefix}mce")
    columns = {
        "Error": {str(row.model): 100 * row.value for row in clean.rows},
        _mean_name(prefix): {str(row.model): 100 * row.value for row in mean.rows},
    }
    return _by_network(models_by_corruption(results, f"{prefix}ce"), columns)


def printed_error_frame(item: str) -> pd.DataFrame:
    """Return Table 1 or 2 as the paper prints it, in percent."""
    prefix = "relative_" if item == "inc-tab2" else ""
    columns = {
        column: printed_by_network(item, metric=metric, corruption=None)
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
    """Return every error in percent: one row per network and corruption, a column per severity."""
    rows = [row for row in results.select(metric="error").rows if row.severity is not None]
    frame = pd.DataFrame(
        {
            "Network": [network_title(str(row.model)) for row in rows],
            "Corruption": [corruption_label(str(row.corruption)) for row in rows],
            "severity": [f"Severity {row.severity}" for row in rows],
            "error": [100 * row.value for row in rows],
            "n": [row.n for row in rows],
        }
    )
    key = ["Network", "Corruption"]
    wide = frame.pivot_table(index=key, columns="severity", values="error", sort=False)
    last = frame.groupby(key, sort=False).agg({"n": "max"})
    return wide.join(last).reset_index()


def widest(results: Results, metric: str) -> str:
    """Return a text on the width of a metric's widest interval; empty without intervals.

    >>> from robust_lib.results.row import Row
    >>> row = Row(item="inc-tab1", dataset="toy_c", model="vgg11", metric="error", value=0.5,
    ...           low=0.25, high=0.75, n=9, n_full=9)
    >>> widest(Results.of([row]), "error"), widest(Results(), "error")
    ('no interval is wider than ± 25.0 points', '')
    """
    halves = [
        50 * (row.high - row.low)
        for row in results.select(metric=metric).rows
        if row.low is not None and row.high is not None
    ]
    return f"no interval is wider than ± {max(halves):.1f} points" if halves else ""


def normaliser_dots(results: Results, model: str) -> dict[str, dict[str, PercentInterval]]:
    """Return source -> corruption -> mean error, for one model and for the paper's AlexNet.

    A model that was not evaluated has no errors.
    """
    paper = {
        str(row.corruption): row.percent for row in printed("inc-alexnet", metric="mean_error")
    }
    ours = {
        str(row.corruption): row.percent
        for row in results.select(metric="mean_error", model=model).rows
    }
    names = [name for name in paper if name in ours] or list(paper)
    return {
        f"This run ({network_title(model)})": {
            corruption_label(name): ours[name] for name in names if name in ours
        },
        PRINTED: {corruption_label(name): point(paper[name]) for name in names},
    }


def corruptions_of(dots: Mapping[str, Mapping[str, PercentInterval]]) -> list[str]:
    """Return the corruptions of `normaliser_dots`, those with the smallest error in this run first.

    >>> one, two = (1.0, 1.0, 1.0), (2.0, 2.0, 2.0)
    >>> corruptions_of({"This run": {"Fog": two, "Snow": one}, PRINTED: {"Fog": one, "Snow": two}})
    ['Snow', 'Fog']
    """
    values = next(values for values in dots.values() if values)
    return sorted(values, key=lambda name: values[name][0])


def from_to(results: Results, metric: str) -> str:
    """Return a text on the range of a metric over the networks.

    >>> from robust_lib.results.row import Row
    >>> row = Row(item="inc-fig2", dataset="toy_c", model="vgg11", metric="mce", value=0.9, n=9,
    ...           n_full=9)
    >>> from_to(Results.of([row]), "mce"), from_to(Results(), "mce")
    ('from 90.0 (VGG-11) to 90.0 (VGG-11)', 'unmeasured')
    """
    rows = sorted(results.select(metric=metric, corruption=None).rows, key=lambda row: row.value)
    if not rows:
        return "unmeasured"
    low, high = (
        f"{100 * row.value:.1f} ({network_title(str(row.model))})" for row in (rows[0], rows[-1])
    )
    return f"from {low} to {high}"


def seen(results: Results, item: str, metric: str) -> str:
    """Return a text on the ranges of both halves of a heat map.

    >>> seen(Results(), "inc-tab1", "ce")
    'the paper from 57 to 134 %'
    """
    halves = {
        "the paper": printed_by_corruption(item, metric),
        "this run": models_by_corruption(results, metric),
    }
    return "; ".join(
        f"{source} from {float(np.nanmin(values)):.0f} to {float(np.nanmax(values)):.0f} %"
        for source, frame in halves.items()
        for values in [frame.to_numpy(dtype=float)]
        if np.isfinite(values).any()
    )


def small_rises(normaliser: Normaliser) -> tuple[str, ...]:
    """Return the corruptions that raise the normaliser's error too little for meaningful ratios.

    >>> errors = {"fog": np.array([0.3, 0.4]), "snow": np.array([0.31, 0.35])}
    >>> small_rises(Normaliser(errors, 0.3, "a baseline"))
    ('snow',)
    >>> small_rises(Normaliser(errors, 0.2, "a baseline"))
    ()
    """
    return tuple(
        name
        for name, errors in normaliser.errors.items()
        if round(float(errors.mean()) - normaliser.clean, 9) < LEAST_RISE
    )


def small_rise_words(names: Sequence[str]) -> str:
    """Return a text that explains Table 2's grey cells, for the convention line; empty without any.

    >>> small_rise_words(["fog"])
    "grey: fog, where the baseline's error rises by less than 5 points, so the ratio is not ..."
    """
    if not names:
        return ""
    listed = ", ".join(corruption_label(name).lower() for name in names)
    return (
        f"grey: {listed}, where the baseline's error rises by less than "
        f"{100 * LEAST_RISE:.0f} points, so the ratio is not informative; "
    )
