"""Functions shared by the pages on Natural Adversarial Examples: network pairs, printed numbers."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import pandas as pd
from matplotlib.figure import Figure

from robust_book.chapters.view import Names, by_network, cell, percents
from robust_book.figures import pairs
from robust_book.page import Page
from robust_lib.protocols.nae.networks import ATTENTION, SIZES, Pair
from robust_lib.results.interval import PercentInterval
from robust_lib.results.reported import printed as printed_rows
from robust_lib.results.table import Results
from robust_lib.run.network import network_title

Panels = Mapping[str, tuple[str, str]]
"""Title of a panel -> the metric that it shows, and its data set."""

PAIRS: Mapping[str, tuple[Pair, ...]] = MappingProxyType(
    {
        "nae-fig9": ATTENTION,
        "nae-fig10": SIZES,
        "nae-fig11": (*SIZES, ATTENTION[1]),
        "nae-fig14": ATTENTION,
        "nae-fig15": SIZES,
    }
)
"""Ledger item -> the networks that it sets next to each other, by the paper's names."""


def pairs_figure(
    page: Page,
    results: Results,
    item: str,
    panels: Panels,
    *,
    xlabel: str,
    better: Sequence[str] = ("higher", "higher"),
    paper: Panels = MappingProxyType({}),
) -> Figure | None:
    """Return the figure of an item's pairs; None if neither this run nor the paper has one.

    Args:
        panels: title -> metric of the difference, and its data set.
        xlabel: see `figures.pairs.differences`; likewise `better`.
        paper: panels that also show printed numbers, with the paper's data sets.
    """
    ours = gains(results, item, panels, page.run.paper_names)
    theirs = printed(item, paper)
    if not any(ours.values()) and not any(theirs.values()):
        return None
    return pairs.differences(ours, xlabel=xlabel, better=better, paper=theirs)


NO_PAIR = "This run has no pair of these networks."


def absent(results: Results, item: str, panels: Panels, names: Names) -> str:
    """Return a sentence if a run has none of an item's pairs, else an empty text.

    >>> absent(Results.of([]), "nae-fig10", {"hard": ("gain", "toy")}, {})
    'This run has no pair of these networks. '
    """
    return "" if any(gains(results, item, panels, names).values()) else f"{NO_PAIR} "


def gains(
    results: Results, item: str, panels: Panels, names: Names
) -> dict[str, dict[str, PercentInterval]]:
    """Return panel title -> pair -> the second network's number minus the first one's, points.

    >>> from robust_lib.results.row import Row
    >>> rows = Results.of([Row(item="nae-fig10", dataset="toy", model="b", metric="gain",
    ...     value=0.25, n=8, n_full=8)])
    >>> gains(rows, "nae-fig10", {"hard": ("gain", "toy")}, {"dpn68": "a", "dpn98": "b"})
    {'hard': {'DPN-68 → DPN-98': (25.0, 25.0, 25.0)}}
    """
    found = {}
    for title, (metric, dataset) in panels.items():
        ours = percents(results.select(item=item, dataset=dataset, metric=metric))
        found[title] = {
            pair_title(pair): ours[names[pair[1]]]
            for pair in PAIRS[item]
            if names.get(pair[1]) in ours and pair[0] in names
        }
    return found


def pairs_frame(
    results: Results, item: str, metric: str, datasets: Mapping[str, str], names: Names
) -> pd.DataFrame:
    """Return one row per pair and set of images: both networks' numbers and the difference.

    Args:
        metric: metric of the numbers; their difference is the metric "gain".
        datasets: title of a set of images -> data set.

    >>> from robust_lib.results.row import Row
    >>> rows = Results.of(
    ...     Row(item="nae-fig10", dataset="toy", model=model, metric=metric, value=value, n=8,
    ...         n_full=8) for model, metric, value in
    ...     (("a", "accuracy", 0.25), ("b", "accuracy", 0.5), ("b", "gain", 0.25)))
    >>> names = {"dpn68": "a", "dpn98": "b"}
    >>> pairs_frame(rows, "nae-fig10", "accuracy", {"hard": "toy"}, names)["Difference"][0].value
    25.0
    """
    lines = []
    for title, dataset in datasets.items():
        rows = results.select(item=item, dataset=dataset, corruption=None)
        of_metric, apart = by_network(rows.select(metric=metric)), rows.select(metric="gain")
        gained = by_network(apart)
        for pair in PAIRS[item]:
            one, other = (names.get(network) for network in pair)
            if one in of_metric and other in gained:
                lines.append(
                    {
                        "Pair": pair_title(pair),
                        "Images": title,
                        "First": cell(of_metric[str(one)]),
                        "Second": cell(of_metric[str(other)]),
                        "Difference": cell(gained[str(other)]),
                    }
                )
    return pd.DataFrame(lines).astype(object)


def printed(item: str, panels: Panels) -> dict[str, dict[str, float]]:
    """Return title of a panel -> pair -> the difference of the two numbers that the paper prints.

    Both come from the same place in the paper: a network's number may differ between places.

    >>> found = printed("nae-fig10", {"hard": ("accuracy", "imagenet_a")})
    >>> round(found["hard"]["DPN-68 → DPN-98"], 1)
    5.8
    """
    found = {}
    for title, (metric, dataset) in panels.items():
        places = list(_by_place(item, metric, dataset).values())
        found[title] = {
            pair_title((one, other)): values[other] - values[one]
            for one, other in PAIRS[item]
            for values in [values for values in places if {one, other} <= values.keys()][:1]
        }
    return found


def printed_by_network(item: str, metric: str, dataset: str) -> dict[str, float]:
    """Return network -> its number in an item as the paper prints it, percent.

    If the paper prints two values for a network, the first is used.

    >>> printed_by_network("nae-fig8", "accuracy", "imagenet_a")["resnext50_32x4d_200"]
    1.31
    """
    found: dict[str, float] = {}
    for values in _by_place(item, metric, dataset).values():
        found = values | found
    return found


def _by_place(item: str, metric: str, dataset: str) -> dict[str, dict[str, float]]:
    """Return place in the paper -> network -> the number printed there."""
    found: dict[str, dict[str, float]] = {}
    for row in printed_rows(item, metric=metric, dataset=dataset):
        if row.model is not None:
            found.setdefault(row.locator, {}).setdefault(row.model, row.percent)
    return found


def pair_title(pair: Pair) -> str:
    """Return the title of a pair: the common part of the names, or both names.

    >>> pair_title(("resnet152", "resnet152_se"))
    'ResNet-152 + SE'
    """
    one, other = (network_title(name) for name in pair)
    return f"{one} + SE" if other.startswith(one) else f"{one} → {other}"
