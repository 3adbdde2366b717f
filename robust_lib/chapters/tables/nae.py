"""Tables of natural adversarial examples: data sets, accuracies, detection, calibration."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from robust_lib.chapters.tables import Interval
from robust_lib.figures.style import label
from robust_lib.results.reported import reference
from robust_lib.results.table import Results

Rates = tuple[float, float, float]  # AUPR, AUROC, FPR95: fractions


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


def by_network(results: Results, item: str, metric: str, dataset: str) -> dict[str, Interval]:
    """Return network -> (value, low, high) of an item's numbers, fractions.

    Args:
        results: any rows.
        item: ledger id.
        metric: which number.
        dataset: on which data.
    """
    rows = results.select(item=item, metric=metric, dataset=dataset).rows
    return {
        str(row.model): (
            row.value,
            row.value if row.low is None else row.low,
            row.value if row.high is None else row.high,
        )
        for row in rows
        if row.model is not None
    }


def hard_and_ordinary(
    results: Results, names: Mapping[str, str], datasets: Mapping[str, str]
) -> pd.DataFrame:
    """Return accuracy (%) by network: of public weights as others found it, and of this run.

    Args:
        results: of `protocols.nae.accuracy`.
        names: the paper's name of a network -> ours.
        datasets: title of a column -> data set.
    """
    paper = {ours: theirs for theirs, ours in names.items()}
    by_set = {
        title: by_network(results, "nae-fig2", "accuracy", name) for title, name in datasets.items()
    }
    models = list(next(iter(by_set.values())))
    found = reference("testbed_reference")
    found = found[(found["dataset"] == "imagenet_a") & (found["metric"] == "accuracy")]
    known = dict(zip(found["model"], found["value"], strict=True))
    frame = pd.DataFrame(
        {"Public weights, ImageNet-A": [known.get(paper.get(m, m), np.nan) for m in models]},
        index=[label(model) for model in models],
    )
    for title, values in by_set.items():
        frame[title] = [100 * values[model][0] for model in models]
    return frame


def response_table(results: Results) -> pd.DataFrame:
    """Return accuracy (%) by network and response rate."""
    rows = results.select(item="nae-fig13").rows
    models = list(dict.fromkeys(str(row.model) for row in rows))
    found = {(str(row.model), row.k): 100 * row.value for row in rows}
    frame = pd.DataFrame({"Network": [label(model) for model in models]})
    for percent in sorted({row.k for row in rows if row.k is not None}):
        frame[f"{percent} %"] = [found[model, percent] for model in models]
    return frame


def detected(results: Results) -> dict[str, Interval]:
    """Return network -> (AUPR, low, high), fractions."""
    rows = results.select(item="nae-fig3", metric="aupr").rows
    return {
        str(row.model): (row.value, end(row.low), end(row.high))
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
            "Pixels, AUROC": [100 * value for value in alone.values()],
            "Network, AUROC": [100 * detected[name][1] for name in alone],
            "Network, AUPR": [100 * detected[name][0] for name in alone],
        }
    )


def calibration_table(results: Results, item: str) -> pd.DataFrame:
    """Return both calibration errors and AURRA (%) by network; ± is half the widest interval."""
    rows = results.select(item=item).rows
    models = list(dict.fromkeys(str(row.model) for row in rows))
    frame = pd.DataFrame({"Network": [label(model) for model in models]})
    widest = np.zeros(len(models))
    for title, metric in _ERRORS:
        found = {str(row.model): row for row in rows if row.metric == metric}
        frame[title] = [100 * found[m].value if m in found else np.nan for m in models]
        half = [50 * (end(found[m].high) - end(found[m].low)) if m in found else 0 for m in models]
        widest = np.maximum(widest, half)
    frame["±"] = widest
    return frame


_ERRORS = (
    ("Authors'", "rms_calibration_error"),
    ("All bins", "rms_calibration_error_all_bins"),
    ("AURRA", "aurra"),
)


def difficulty_table(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of `protocols.nae.difficulty.curve` under short headings."""
    headings = ("Difficulty", "Pool", "Left", "Left (%)", "Right of all", "Right of left")
    return frame.set_axis(list(headings), axis=1)


def confusion_table(pairs: Sequence[tuple[str, str, int]]) -> pd.DataFrame:
    """Return the commonest mistakes: what was shown, what it was taken for, how often."""
    return pd.DataFrame(pairs, columns=["Shown", "Taken for", "Times"])


def end(value: float | None) -> float:
    """Return the end of an interval; missing (NaN) where there is none."""
    return float("nan") if value is None else value
