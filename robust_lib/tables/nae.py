"""Tables of natural adversarial examples: data sets, accuracies, detection, calibration."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
import pandas as pd

from robust_lib.figures.style import label
from robust_lib.printed import reference, reported_frame
from robust_lib.protocols.nae.networks import ATTENTION, ROBUST, SIZES, Pair
from robust_lib.results import Results
from robust_lib.tables import Interval

Rates = tuple[float, float, float]  # AUPR, AUROC, FPR95: fractions

PAIRS: Mapping[str, tuple[Pair, ...]] = MappingProxyType(
    {
        "nae-fig9": ATTENTION,
        "nae-fig10": SIZES,
        "nae-fig11": (*SIZES, ATTENTION[1]),
        "nae-fig14": ATTENTION,
        "nae-fig15": SIZES,
    }
)
"""Ledger item -> the networks that it sets beside each other."""


def size_table(results: Results, tasks: Mapping[str, tuple[str, str]]) -> pd.DataFrame:
    """Return the data sets with task, images, classes and source.

    Args:
        results: with their counts.
        tasks: data set -> task and source.
    """
    counted = {(row.dataset, row.metric): row.value for row in results.select(item="nae-tab1").rows}
    return pd.DataFrame(
        {
            "Data set": list(tasks),
            "Task": [task for task, _ in tasks.values()],
            "Images": [counted[name, "images"] for name in tasks],
            "Classes": [counted[name, "classes"] for name in tasks],
            "Source": [source for _, source in tasks.values()],
        }
    )


def accuracies(results: Results, item: str, datasets: Mapping[str, str]) -> pd.DataFrame:
    """Return accuracy (%) by network and data set, with half the width of the widest interval.

    Args:
        results: of `protocols.nae.accuracy`.
        item: which item's.
        datasets: title of a column -> data set.
    """
    by_set = {
        title: by_network(results, item, "accuracy", name) for title, name in datasets.items()
    }
    models = list(next(iter(by_set.values())))
    frame = pd.DataFrame({"Network": [label(name) for name in models]})
    for title, found in by_set.items():
        frame[title] = [100 * found[model][0] for model in models]
    frame["±"] = [
        max(50 * (found[model][2] - found[model][1]) for found in by_set.values())
        for model in models
    ]
    return frame


def by_network(
    results: Results, item: str, metric: str, dataset: str, convention: str | None = None
) -> dict[str, Interval]:
    """Return network -> (value, low, high) of an item's numbers, fractions.

    Args:
        results: any rows.
        item: ledger id.
        metric: which number.
        dataset: on which data.
        convention: words that the convention begins with; None: any.
    """
    rows = results.select(item=item, metric=metric, dataset=dataset).rows
    return {
        str(row.model): (
            row.value,
            row.value if row.low is None else row.low,
            row.value if row.high is None else row.high,
        )
        for row in rows
        if row.model is not None and str(row.convention or "").startswith(convention or "")
    }


def independent() -> dict[str, dict[str, float]]:
    """Return what others found for public weights on ImageNet-A: network -> fraction."""
    found = reference("testbed_reference")
    chosen = found[found["metric"] == "accuracy"]
    return {
        words: {
            str(model): float(value) / 100
            for model, value in zip(part["model"], part["value"], strict=True)
        }
        for words, name in (("hard", "imagenet_a"), ("ordinary", "imagenet_val_a"))
        if len(part := chosen[chosen["dataset"] == name])
    }


def robust(
    results: Results, names: Mapping[str, str], datasets: Mapping[str, str]
) -> dict[str, dict[str, Interval]]:
    """Return kind of pictures -> training in words -> (accuracy, low, high), fractions.

    Args:
        results: of `protocols.nae.accuracy`.
        names: the paper's name of a network -> ours.
        datasets: kind of pictures -> data set.
    """
    found = {
        kind: by_network(results, "nae-fig8", "accuracy", name) for kind, name in datasets.items()
    }
    return {
        kind: {
            words: by_model[names[paper]]
            for paper, words in ROBUST.items()
            if names.get(paper) in by_model
        }
        for kind, by_model in found.items()
    }


def printed_robust() -> dict[str, dict[str, float]]:
    """Return the same as the paper prints it, without intervals."""
    found = _printed("nae-fig8", "accuracy", {"hard": "imagenet_a", "ordinary": "imagenet_val_a"})
    return {
        kind: {words: values[paper] for paper, words in ROBUST.items() if paper in values}
        for kind, values in found.items()
    }


def paired(
    results: Results,
    item: str,
    metric: str,
    datasets: Mapping[str, str],
    names: Mapping[str, str],
) -> dict[str, dict[str, tuple[Interval, Interval]]]:
    """Return title of a panel -> pair -> both networks' (value, low, high), fractions.

    Args:
        results: any rows.
        item: ledger id, which says which pairs.
        metric: which number.
        datasets: title -> data set.
        names: the paper's name of a network -> ours.
    """
    shown = {}
    for title, dataset in datasets.items():
        found = by_network(results, item, metric, dataset)
        shown[title] = {
            _pair(pair): (found[names[pair[0]]], found[names[pair[1]]])
            for pair in PAIRS[item]
            if {names.get(one) for one in pair} <= found.keys()
        }
    return shown


def printed_pairs(
    item: str, metric: str, datasets: Mapping[str, str]
) -> dict[str, dict[str, tuple[float, float]]]:
    """Return the same as the paper prints it: title -> pair -> both values, fractions.

    Where the paper prints two values of a network, its first is taken.
    """
    return {
        title: {
            _pair(pair): (values[pair[0]], values[pair[1]])
            for pair in PAIRS[item]
            if set(pair) <= values.keys()
        }
        for title, values in _printed(item, metric, datasets).items()
    }


def calibrated(
    results: Results, item: str, names: Mapping[str, str]
) -> dict[str, dict[str, tuple[Interval, Interval]]]:
    """Return calibration error (the authors' variant) and AURRA by pair, fractions."""
    rows = results.select(item=item).rows
    shown: dict[str, dict[str, tuple[Interval, Interval]]] = {}
    for title, metric, words in (
        ("calibration error", "rms_calibration_error", "left out"),
        ("AURRA", "aurra", ""),
    ):
        found = {
            str(row.model): (row.value, _end(row.low), _end(row.high))
            for row in rows
            if row.metric == metric and words in str(row.convention)
        }
        shown[title] = {
            _pair(pair): (found[names[pair[0]]], found[names[pair[1]]])
            for pair in PAIRS[item]
            if {names.get(one) for one in pair} <= found.keys()
        }
    return shown


def response_table(results: Results) -> pd.DataFrame:
    """Return accuracy (%) by network and response rate."""
    rows = results.select(item="nae-fig13").rows
    models = list(dict.fromkeys(str(row.model) for row in rows))
    found = {(str(row.model), row.k): 100 * row.value for row in rows}
    frame = pd.DataFrame({"Network": [label(model) for model in models]})
    for percent in sorted({row.k for row in rows if row.k is not None}):
        frame[f"{percent} % answered"] = [found[model, percent] for model in models]
    return frame


def detected(results: Results) -> dict[str, Interval]:
    """Return network -> (AUPR, low, high), fractions."""
    rows = results.select(item="nae-fig3", metric="aupr").rows
    return {
        str(row.model): (row.value, _end(row.low), _end(row.high))
        for row in rows
        if row.low is not None
    }


def mask_table(effect: Mapping[str, tuple[float, float]]) -> pd.DataFrame:
    """Return accuracy (%) with the other classes masked and with nothing masked, by network."""
    return pd.DataFrame(
        {
            "Network": [label(name) for name in effect],
            "Masked": [100 * masked for masked, _ in effect.values()],
            "Nothing masked": [100 * whole for _, whole in effect.values()],
            "Difference": [100 * (masked - whole) for masked, whole in effect.values()],
        }
    )


def score_table(scored: Mapping[str, Rates]) -> pd.DataFrame:
    """Return AUPR, AUROC and FPR95 (%) by score."""
    return pd.DataFrame(
        {
            "Score": list(scored),
            "AUPR": [100 * one[0] for one in scored.values()],
            "AUROC": [100 * one[1] for one in scored.values()],
            "FPR95": [100 * one[2] for one in scored.values()],
        }
    )


def detection_table(results: Results) -> pd.DataFrame:
    """Return AUPR with its interval, AUROC and FPR95 (%) by network."""
    rows = {
        (str(row.model), row.metric): row
        for row in results.select(item="nae-fig3").rows
        if row.metric in _DETECTION
    }
    models = [model for model, metric in rows if metric == "auroc"]
    found = {metric: [rows[model, metric] for model in models] for metric in _DETECTION}
    frame = pd.DataFrame({"Network": [label(model) for model in models]})
    frame["AUPR"] = [100 * row.value for row in found["aupr"]]
    frame["From"] = [100 * (row.low or 0.0) for row in found["aupr"]]
    frame["To"] = [100 * (row.high or 0.0) for row in found["aupr"]]
    frame["AUROC"] = [100 * row.value for row in found["auroc"]]
    frame["FPR95"] = [100 * row.value for row in found["fpr_at_recall"]]
    return frame


_DETECTION = ("aupr", "auroc", "fpr_at_recall")


def set_table(
    low_level: Results, detected: Mapping[str, tuple[float, float]], titles: Mapping[str, str]
) -> pd.DataFrame:
    """Return how well pixel statistics, and how well a network, tell each set from ordinary ones.

    Args:
        low_level: of `protocols.nae.low_level`.
        detected: data set -> AUPR and AUROC of the network's own score.
        titles: data set -> its title.
    """
    alone = {row.dataset: row.value for row in low_level.select(metric="low_level_auroc").rows}
    return pd.DataFrame(
        {
            "Set": [titles[name] for name in alone],
            "AUROC of pixel statistics": [100 * value for value in alone.values()],
            "AUROC of the network": [100 * detected[name][1] for name in alone],
            "AUPR of the network": [100 * detected[name][0] for name in alone],
        }
    )


def calibration_table(results: Results, item: str) -> pd.DataFrame:
    """Return both calibration errors and AURRA (%) with the ends of their intervals, by network."""
    rows = results.select(item=item).rows
    models = list(dict.fromkeys(str(row.model) for row in rows))
    frame = pd.DataFrame({"Network": [label(model) for model in models]})
    for title, metric, words in _ERRORS:
        found = {
            str(row.model): row
            for row in rows
            if row.metric == metric and words in str(row.convention)
        }
        for column, value in (("", "value"), (", from", "low"), (", to", "high")):
            frame[f"{title}{column}"] = [
                100 * float(getattr(found[model], value)) if model in found else np.nan
                for model in models
            ]
    return frame


_ERRORS = (
    ("Error, last bin left out", "rms_calibration_error", "left out"),
    ("Error, all bins", "rms_calibration_error", "all counted"),
    ("AURRA", "aurra", ""),
)


def confusion_table(pairs: Sequence[tuple[str, str, int]]) -> pd.DataFrame:
    """Return the commonest mistakes: what was shown, what it was taken for, how often."""
    return pd.DataFrame(pairs, columns=["Shown", "Taken for", "Times"])


def _pair(pair: Pair) -> str:
    """Return what a pair is called: what its networks share, or both names."""
    one, other = (label(name) for name in pair)
    return f"{one} + SE" if other.startswith(one) else f"{one} → {other}"


def _printed(item: str, metric: str, datasets: Mapping[str, str]) -> dict[str, dict[str, float]]:
    frame = reported_frame(item)
    frame = frame[(frame["metric"] == metric) & frame["model"].notna()]
    return {
        title: {
            str(row.model): float(row.number)  # type: ignore[arg-type]
            for row in frame[frame["dataset"] == name].iloc[::-1].itertuples()
        }
        for title, name in datasets.items()
    }


def _end(value: float | None) -> float:
    return float("nan") if value is None else value
