"""Tables of the overlap chapters: what training gained, both halves, border and obstruction."""

from collections.abc import Mapping

import pandas as pd

from robust_lib.chapters.tables import Interval
from robust_lib.figures.style import corruption_label, label
from robust_lib.metrics.overlap import robustness_score
from robust_lib.protocols.overlap.accuracies import Accuracies
from robust_lib.protocols.overlap.groups import HALVES
from robust_lib.protocols.overlap.halves import STANDARD, published
from robust_lib.protocols.overlap.scores import means
from robust_lib.results.reported import reported_frame
from robust_lib.results.table import Results
from robust_lib.vocabulary import OCCLUSION

PARTS = (*HALVES, *OCCLUSION)


def gains(accuracies: Mapping[str, Accuracies]) -> pd.DataFrame:
    """Return how well each network learned: its clean accuracy and what its corruption gained it.

    A row a network, accuracies in percent, means over seeds. A network that is far less accurate
    than the standard one, or gains little against its own corruption, did not learn enough to
    speak of overlaps.
    """
    rows = []
    for name, table in accuracies.items():
        accuracy, clean = table.accuracy.mean(0), table.clean.mean(0)
        scores = robustness_score(accuracy, clean[:, None])
        rows.append({"Network": label(name), "Trained with": "nothing", "Clean": 100 * clean[0]})
        for place, corruption in enumerate(table.corruptions):
            rows.append(
                {
                    "Network": label(name),
                    "Trained with": corruption_label(corruption),
                    "Clean": 100 * clean[place + 1],
                    "Standard on it": 100 * accuracy[0, place],
                    "Itself on it": 100 * accuracy[place + 1, place],
                    "Gain in robustness": 100 * (scores[place + 1, place] - scores[0, place]),
                }
            )
    return pd.DataFrame(rows)


def halves(results: Results) -> pd.DataFrame:
    """Return the paper's table 1 for this run: CEs by network, in percent, gains beside them."""
    cells = {
        (str(row.model), str(row.metric), str(row.corruption)): 100 * row.value
        for row in results.rows
        if row.metric in ("mean_ce", "mean_ce_gain", "ce")
    }
    clean = {
        str(row.model): 100 * row.value
        for row in results.select(metric="error", corruption=None).rows
    }
    return _halves(cells, clean, list(clean))


def printed_halves() -> pd.DataFrame:
    """Return table 1 as the paper prints it, in percent; it prints no clean errors."""
    frame = reported_frame("overlap-tab1")
    frame = frame[frame["metric"].isin(["mean_ce", "mean_ce_gain", "ce"])]
    cells = {
        (str(row.model), str(row.metric), str(row.corruption)): 100 * float(str(row.number))
        for row in frame.itertuples()
    }
    return _halves(cells, {}, list(dict.fromkeys(model for model, _, _ in cells)))


def _halves(
    cells: Mapping[tuple[str, str, str], float], clean: Mapping[str, float], models: list[str]
) -> pd.DataFrame:
    rows = []
    for model in models:
        row: dict[str, object] = {"Network": label(model)}
        if clean:
            row["Clean error"] = clean[model]
        for half in HALVES:
            row[half] = cells.get((model, "mean_ce", half))
            row[f"gain on {half}"] = cells.get((model, "mean_ce_gain", half))
        for name in OCCLUSION:
            row[corruption_label(name)] = cells.get((model, "ce", name))
        rows.append(row)
    return pd.DataFrame(rows)


def by_part(results: Results) -> dict[str, dict[str, Interval]]:
    """Return set1, set2, border, obstruction -> network -> (CE, low, high), fractions."""
    found: dict[str, dict[str, Interval]] = {name: {} for name in PARTS}
    for row in results.rows:
        if row.metric in ("mean_ce", "ce") and row.corruption in PARTS:
            ends = (_or(row.low, row.value), _or(row.high, row.value))
            found[str(row.corruption)][str(row.model)] = (row.value, *ends)
    return {name: values for name, values in found.items() if values}


def printed_by_part() -> dict[str, dict[str, float]]:
    """Return the same as the paper prints it."""
    frame = reported_frame("overlap-tab1")
    frame = frame[frame["metric"].isin(["mean_ce", "ce"])]
    found: dict[str, dict[str, float]] = {name: {} for name in PARTS}
    for row in frame.itertuples():
        found[str(row.corruption)][str(row.model)] = float(str(row.number))
    return found


def occlusion_errors(results: Results) -> pd.DataFrame:
    """Return every network's error (%) on border and obstruction, mean of the severities."""
    rows = results.select(metric="mean_error", corruption=list(OCCLUSION)).rows
    frame = pd.DataFrame(
        {
            "Network": [label(str(row.model)) for row in rows],
            "corruption": [corruption_label(str(row.corruption)) for row in rows],
            "error": [100 * row.value for row in rows],
        }
    )
    wide = frame.pivot_table(index="Network", columns="corruption", values="error", sort=False)
    return wide.reset_index().rename_axis(columns=None)


def overlap_with(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table of `protocols.overlap.benchmark` with corruptions as readers know them."""
    shown = frame.copy()
    for column in ("Corruption", "Nearest"):
        shown[column] = [corruption_label(str(name)) for name in shown[column]]
    return shown


def _or(value: float | None, other: float) -> float:
    return other if value is None else value


def recomputed() -> pd.DataFrame:
    """Return the standard ResNet-50's mean CEs (%): as printed, and from both lists of its CEs."""
    printed = {name: values[STANDARD] for name, values in printed_by_part().items()}
    rounded, exact = published(), published("exact")
    return pd.DataFrame(
        {
            "Half": list(HALVES),
            "Printed": [100 * printed[half] for half in HALVES],
            "From the whole percents": [
                100 * rounded.row(corruption=half, metric="mean_ce").value for half in HALVES
            ],
            "From the exact errors": [
                100 * exact.row(corruption=half, metric="mean_ce").value for half in HALVES
            ],
        }
    )


def mean_overlaps(accuracies: Mapping[str, Accuracies]) -> pd.DataFrame:
    """Return each common corruption's mean overlap with the others, a column an architecture.

    Those of set1 come first; missing (NaN) where training hardly helped.
    """
    columns = {label(name): means(table) for name, table in accuracies.items()}
    order = [name for members in HALVES.values() for name in members]
    frame = pd.DataFrame(columns)
    return frame.loc[[name for name in order if name in frame.index]]
