"""Tables of surface variation: accuracies by protocol, vendor and class; what was held out."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from robust_lib.chapters import tables
from robust_lib.chapters.tables import Interval, printed_values
from robust_lib.datasets.hold_outs import SideEffect
from robust_lib.datasets.icons50 import Icon, Icons50
from robust_lib.figures.style import label
from robust_lib.predict.predictions import Predictions
from robust_lib.results.row import Row
from robust_lib.results.table import Results


def surface_intervals(results: Results) -> dict[str, dict[str, Interval]]:
    """Return protocol -> network -> (accuracy, low, high), fractions, of ICONS-50's protocols."""
    found: dict[str, dict[str, Interval]] = {}
    for row in results.select(metric="accuracy").rows:
        protocol = row.dataset.rpartition("_")[2]
        ends = (_end(row.low), _end(row.high))
        found.setdefault(protocol, {})[str(row.model)] = (row.value, *ends)
    return found


def printed_surface() -> dict[str, dict[str, float]]:
    """Return the same as the paper prints it, without intervals."""
    return {
        name: printed_values(f"inc-icons-{name}", "accuracy")
        for name in ("style", "version", "subtype")
    }


def surface_table(results: Results) -> pd.DataFrame:
    """Return accuracy (%) by network and protocol, with the ends of its interval and the icons."""
    rows = results.select(metric="accuracy").rows
    frame = _accuracies(rows)
    frame.insert(0, "Held out", [row.dataset.rpartition("_")[2] for row in rows])
    frame.insert(0, "Network", [label(str(row.model)) for row in rows])
    return frame


def left_out_table(results: Results) -> pd.DataFrame:
    """Return accuracy (%) on each vendor's icons after training on the others', lowest first."""
    rows = sorted(results.rows, key=lambda row: row.value)
    frame = _accuracies(rows)
    frame.insert(0, "Vendor held out", [row.dataset.rpartition("/")[2] for row in rows])
    return frame


def _accuracies(rows: Sequence[Row]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Accuracy": [100 * row.value for row in rows],
            "From": [100 * _end(row.low) for row in rows],
            "To": [100 * _end(row.high) for row in rows],
            "Icons": [row.n for row in rows],
        }
    )


def icon_classes(icons: Icons50) -> pd.DataFrame:
    """Return each class with its icons, vendors and subtypes, counted."""
    names = icons.class_names
    by_class: dict[str, list[Icon]] = {name: [] for name in names}
    for icon in icons.icons:
        by_class[names[icon.label]].append(icon)
    return pd.DataFrame(
        {
            "Class": list(by_class),
            "Icons": [len(members) for members in by_class.values()],
            "Vendors": [len({icon.style for icon in members}) for members in by_class.values()],
            "Subtypes": [len({icon.motif for icon in members}) for members in by_class.values()],
        }
    )


def icon_accuracies(
    answers: Mapping[str, Sequence[Predictions]], class_names: Sequence[str]
) -> pd.DataFrame:
    """Return a network's accuracy (%) by class and protocol, and what a class was taken most for.

    Args:
        answers: protocol -> predictions of one network, one a seed; the first seed's mistakes are
            those of the first protocol.
        class_names: names of the classes.
    """
    rows: list[dict[str, Any]] = []
    for label_, name in enumerate(class_names):
        row: dict[str, Any] = {"Class": name}
        for protocol, runs in answers.items():
            right = [run.correct[run.labels == label_] for run in runs]
            row[protocol] = 100 * float(np.mean(right)) if right[0].size else float("nan")
        first = next(iter(answers.values()))[0]
        mistaken = first.predicted[(first.labels == label_) & ~first.correct]
        counts = np.bincount(mistaken, minlength=len(class_names))
        row["Taken for"] = class_names[int(counts.argmax())] if mistaken.size else "-"
        rows.append(row)
    return pd.DataFrame(rows)


def side_effect_table(effects: Sequence[SideEffect]) -> pd.DataFrame:
    """Return what the authors' rule takes besides what was meant, the most first."""
    shown = sorted((one for one in effects if one.besides), key=lambda one: -one.besides)
    return pd.DataFrame(
        {
            "Looked for": [one.word for one in shown],
            "Icons meant": [one.meant for one in shown],
            "Taken besides": [one.besides for one in shown],
            "Classes that vanish from training": [", ".join(one.emptied) or "-" for one in shown],
        }
    )


def _end(value: float | None) -> float:
    return float("nan") if value is None else value


def accuracies_frame(results: Results) -> pd.DataFrame:
    """Return a row a network and protocol: accuracy with its ends, in percent.

    >>> row = Row(item="inc-icons-style", dataset="icons50_open_style", model="resnet20",
    ...           metric="accuracy", value=0.5, n=30, n_full=30)
    >>> accuracies_frame(Results.of([row])).to_dict("records")
    [{'Network': 'ResNet-20', 'Held out': 'style', 'accuracy': 50.0, 'icons': 30}]
    """
    return pd.DataFrame(
        {
            "Network": label(str(row.model)),
            "Held out": row.dataset.rpartition("_")[2],
            "accuracy": 100 * row.value,
            **tables.ends(row, "accuracy"),
            "icons": row.n,
        }
        for row in results.select(metric="accuracy").rows
    )
