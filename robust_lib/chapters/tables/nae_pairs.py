"""Numbers of networks that the paper sets beside each other, ours and the printed ones."""

from collections.abc import Mapping
from types import MappingProxyType

from robust_lib.chapters.tables import Interval
from robust_lib.chapters.tables.nae import by_network, end
from robust_lib.figures.style import label
from robust_lib.protocols.nae.networks import ATTENTION, ROBUST, SIZES, Pair
from robust_lib.results.reported import reported_frame
from robust_lib.results.table import Results

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
    for title, metric in (("calibration error", "rms_calibration_error"), ("AURRA", "aurra")):
        found = {
            str(row.model): (row.value, end(row.low), end(row.high))
            for row in rows
            if row.metric == metric
        }
        shown[title] = {
            _pair(pair): (found[names[pair[0]]], found[names[pair[1]]])
            for pair in PAIRS[item]
            if {names.get(one) for one in pair} <= found.keys()
        }
    return shown


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
