"""What pages of Natural Adversarial Examples share: pairs of networks, and printed numbers."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from matplotlib.figure import Figure

from robust_book.chapters.view import Names, percents
from robust_book.figures import pairs
from robust_book.page import Page
from robust_lib.protocols.nae.networks import ATTENTION, SIZES, Pair
from robust_lib.results.interval import PercentInterval
from robust_lib.results.reported import printed as printed_rows
from robust_lib.results.table import Results
from robust_lib.run.network import network_title

Panels = Mapping[str, tuple[str, str]]
"""Title of a panel -> the metric that it shows, and on which data set."""

PAIRS: Mapping[str, tuple[Pair, ...]] = MappingProxyType(
    {
        "nae-fig9": ATTENTION,
        "nae-fig10": SIZES,
        "nae-fig11": (*SIZES, ATTENTION[1]),
        "nae-fig14": ATTENTION,
        "nae-fig15": SIZES,
    }
)
"""Ledger item -> the networks that it sets beside each other, by the paper's names."""


def pairs_figure(
    page: Page,
    results: Results,
    item: str,
    panels: Panels,
    *,
    words: tuple[str, str],
    better: Sequence[str] = ("higher", "higher"),
    paper: Panels = MappingProxyType({}),
) -> Figure:
    """Return the figure of an item's pairs; arguments as `figures.pairs.paired` has them.

    Args:
        paper: panels that have the printed numbers, too, with the paper's data sets.
    """
    ours = paired(results, item, panels, page.run.paper_names)
    return pairs.paired(ours, words=words, better=better, paper=printed(item, paper))


def paired(
    results: Results, item: str, panels: Panels, names: Names
) -> dict[str, dict[str, tuple[PercentInterval, PercentInterval]]]:
    """Return title of a panel -> pair -> both networks' (value, low, high), percent.

    >>> from robust_lib.results.row import Row
    >>> rows = Results.of(
    ...     Row(item="nae-fig10", dataset="toy", model=model, metric="accuracy", value=value, n=8,
    ...         n_full=8) for model, value in (("a", 0.25), ("b", 0.5)))
    >>> names = {"dpn68": "a", "dpn98": "b"}
    >>> paired(rows, "nae-fig10", {"hard": ("accuracy", "toy")}, names)
    {'hard': {'DPN-68 → DPN-98': ((25.0, 25.0, 25.0), (50.0, 50.0, 50.0))}}
    """
    found = {}
    for title, (metric, dataset) in panels.items():
        ours = percents(results.select(item=item, dataset=dataset, metric=metric, corruption=None))
        found[title] = {
            pair_title(pair): (ours[names[pair[0]]], ours[names[pair[1]]])
            for pair in PAIRS[item]
            if {names.get(one) for one in pair} <= ours.keys()
        }
    return found


def printed(item: str, panels: Panels) -> dict[str, dict[str, tuple[float, float]]]:
    """Return title of a panel -> pair -> both values as the paper prints them, percent.

    Both are of one place of the paper: one network's number may differ from place to place.

    >>> found = printed("nae-fig10", {"hard": ("accuracy", "imagenet_a")})
    >>> sorted(found["hard"])[0]
    'DPN-68 → DPN-98'
    """
    found = {}
    for title, (metric, dataset) in panels.items():
        places = list(_by_place(item, metric, dataset).values())
        found[title] = {
            pair_title((one, other)): (values[one], values[other])
            for one, other in PAIRS[item]
            for values in [values for values in places if {one, other} <= values.keys()][:1]
        }
    return found


def printed_by_network(item: str, metric: str, dataset: str) -> dict[str, float]:
    """Return network -> an item's number as the paper prints it, percent.

    Where the paper prints two values of a network, its first is taken.

    >>> printed_by_network("nae-fig8", "accuracy", "imagenet_a")["resnext50_32x4d_200"]
    1.31
    """
    found: dict[str, float] = {}
    for values in _by_place(item, metric, dataset).values():
        found = values | found
    return found


def _by_place(item: str, metric: str, dataset: str) -> dict[str, dict[str, float]]:
    """Return place in the paper -> network -> the number that stands there."""
    found: dict[str, dict[str, float]] = {}
    for row in printed_rows(item, metric=metric, dataset=dataset):
        if row.model is not None:
            found.setdefault(row.locator, {}).setdefault(row.model, row.percent)
    return found


def pair_title(pair: Pair) -> str:
    """Return what a pair is called: what its networks share, or both names.

    >>> pair_title(("resnet152", "resnet152_se"))
    'ResNet-152 + SE'
    """
    one, other = (network_title(name) for name in pair)
    return f"{one} + SE" if other.startswith(one) else f"{one} → {other}"
