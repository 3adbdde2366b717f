"""Tables of the balance chapter: both halves, border and obstruction, any benchmark."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import pandas as pd

from robust_book.chapters.overlap_2_balance_and_cover.dots import printed_by_part
from robust_lib.protocols.overlap.benchmark import balance, coverage
from robust_lib.protocols.overlap.groups import HALVES
from robust_lib.protocols.overlap.halves import STANDARD, published
from robust_lib.results.reported import reported_frame
from robust_lib.results.table import Results
from robust_lib.run.network import network_title
from robust_lib.vocabulary import OCCLUSION, corruption_label, is_user_function

HEADINGS = {
    "mean": "Mean overlap",
    "pairs": "Judged pairs",
    "nearest": "Nearest",
    "overlap": "Overlap with it",
}
NONE = "Not defined"


def recomputed_frame() -> pd.DataFrame:
    """Return the standard ResNet-50's mean CEs (%): as printed, and from both lists of its CEs.

    >>> recomputed_frame().round(1)["From the exact errors"].tolist()
    [80.3, 72.6]
    """
    printed, sources = printed_by_part(), (published(), published("exact"))
    rounded, exact = (
        {str(row.corruption): 100 * row.value for row in source.rows} for source in sources
    )
    return pd.DataFrame(
        {
            "Half": half,
            "Printed": 100 * printed[half][STANDARD],
            "From the whole percents": rounded[half],
            "From the exact errors": exact[half],
        }
        for half in HALVES
    )


def occlusion_errors_frame(results: Results) -> pd.DataFrame:
    """Return every network's error (%) on border and obstruction, mean of the severities.

    A corruption of the reader's stands beside them.

    >>> from robust_lib.results.row import Row
    >>> rows = Results.of([Row(item="inc-alexnet", dataset="toy_c", model="resnet50", value=0.25,
    ...     metric="mean_error", corruption="border", n=9, n_full=9)])
    >>> occlusion_errors_frame(rows).to_dict("records")
    [{'Network': 'ResNet-50', 'Border': 25.0}]
    """
    rows = [
        row
        for row in results.select(metric="mean_error").rows
        if row.corruption in OCCLUSION or is_user_function(str(row.corruption))
    ]
    frame = pd.DataFrame(
        {
            "Network": [network_title(str(row.model)) for row in rows],
            "corruption": [corruption_label(str(row.corruption)) for row in rows],
            "error": [100 * row.value for row in rows],
        }
    )
    wide = frame.pivot_table(index="Network", columns="corruption", values="error", sort=False)
    return wide.reset_index().rename_axis(columns=None)


def halves_frame(results: Results) -> pd.DataFrame:
    """Return the paper's table 1 for this run: CEs by network, in percent, and their changes.

    >>> from robust_lib.results.row import Row
    >>> row = Row(item="overlap-tab1", dataset="toys_c", model="resnet50", metric="mean_ce",
    ...           corruption="set1", value=0.8, n=9, n_full=9)
    >>> clean = Row(item="inc-tab1", dataset="toys", model="resnet50", metric="error", value=0.25,
    ...             n=9, n_full=9)
    >>> halves_frame(Results.of([clean, row]))[["Network", "Clean error", "set1"]].values.tolist()
    [['ResNet-50', 25.0, 80.0]]
    """
    cells = {
        (str(row.model), row.metric, str(row.corruption)): 100 * row.value
        for row in results.rows
        if row.metric in ("mean_ce", "mean_ce_gain", "ce")
    }
    errors = results.select(metric="error", corruption=None).rows
    clean = {str(row.model): 100 * row.value for row in errors}
    return _halves(cells, list(clean), clean)


def printed_halves_frame() -> pd.DataFrame:
    """Return table 1 as the paper prints it, in percent; it prints no clean errors.

    >>> frame = printed_halves_frame().set_index("Network")
    >>> round(frame.loc["AugMix", "change on set1"])
    -15
    """
    cells = {
        (str(row.model), str(row.metric), str(row.corruption)): 100 * float(str(row.number))
        for row in reported_frame("overlap-tab1").itertuples()
        if row.metric in ("mean_ce", "mean_ce_gain", "ce")
    }
    return _halves(cells, list(dict.fromkeys(model for model, _, _ in cells)))


def _halves(
    cells: Mapping[tuple[str, str, str], float],
    models: Sequence[str],
    clean: Mapping[str, float] = MappingProxyType({}),
) -> pd.DataFrame:
    rows = []
    for model in models:
        row: dict[str, object] = {"Network": network_title(model)}
        if clean:
            row["Clean error"] = clean[model]
        for half in HALVES:
            row[half] = cells.get((model, "mean_ce", half))
            row[f"change on {half}"] = cells.get((model, "mean_ce_gain", half))
        for name in OCCLUSION:
            row[corruption_label(name)] = cells.get((model, "ce", name))
        rows.append(row)
    return pd.DataFrame(rows)


def balance_frame(overlaps: pd.DataFrame, benchmark: Sequence[str]) -> pd.DataFrame:
    """Return how each corruption of a benchmark overlaps with its others, as readers know them.

    >>> names = ["fog", "snow"]
    >>> overlaps = pd.DataFrame([[1, 0.5], [0.5, 1]], names, names)
    >>> balance_frame(overlaps, names)[["Corruption", "Mean overlap"]].to_numpy().tolist()
    [['Fog', 0.5], ['Snow', 0.5]]
    """
    return _labelled(balance(overlaps, benchmark))


def coverage_frame(overlaps: pd.DataFrame, benchmark: Sequence[str]) -> pd.DataFrame:
    """Return which corruption of a benchmark is nearest to each one that it lacks.

    >>> names = ["fog", "snow", "frost"]
    >>> overlaps = pd.DataFrame([[1, 0, 0.2], [0, 1, 0.4], [0.2, 0.4, 1]], names, names)
    >>> coverage_frame(overlaps, ["fog", "snow"])["Nearest"].tolist()
    ['Snow']
    """
    return _labelled(coverage(overlaps, benchmark))


def _labelled(found: pd.DataFrame) -> pd.DataFrame:
    """Return a table of corruptions as readers know them."""
    nearest = [NONE if pd.isna(name) else corruption_label(name) for name in found["nearest"]]
    frame = found.assign(nearest=nearest).rename(columns=HEADINGS)
    frame.insert(0, "Corruption", [corruption_label(str(name)) for name in found.index])
    return frame
