"""Dots with intervals: CEs part by part, mean overlaps by half, gains on what lies outside."""

from collections.abc import Mapping

from robust_book.figures.dot_plots import Dots
from robust_lib.protocols.overlap import gains
from robust_lib.protocols.overlap.groups import HALVES
from robust_lib.protocols.overlap.scores import ArchitectureOverlaps
from robust_lib.results.interval import PercentInterval, ScoreInterval, in_percent
from robust_lib.results.reported import reported_frame
from robust_lib.results.table import Results
from robust_lib.run.network import network_title
from robust_lib.vocabulary import COMMON, OCCLUSION, corruption_label

PARTS = (*HALVES, *OCCLUSION)
OURS, PAPER = "this run", "the paper"


def by_part(results: Results, roles: Mapping[str, str]) -> dict[str, Dots]:
    """Return part -> source -> network -> (CE, low, high), in percent.

    The parts are both halves, border and obstruction. What the paper prints of a network stands in
    the row of ours that plays its part.

    Args:
        results: the rows of both halves and of the CEs.
        roles: the paper's name of a network -> ours.

    >>> rows = toys.rows("overlap-tab1", "mean_ce", {"resnet50": 0.8}, corruption="set1")
    >>> found = by_part(rows, {})["set1"]
    >>> found["this run"]["ResNet-50"], round(found["the paper"]["ResNet-50"][0])
    ((80.0, 80.0, 80.0), 81)
    """
    ours: dict[str, dict[str, PercentInterval]] = {name: {} for name in PARTS}
    for row in results.select(metric=["mean_ce", "ce"], corruption=PARTS).rows:
        ours[str(row.corruption)][network_title(str(row.model))] = row.percent
    printed: dict[str, dict[str, PercentInterval]] = {name: {} for name in PARTS}
    for part, values in printed_by_part().items():
        for model, value in values.items():
            title = network_title(roles.get(model, model))
            printed[part][title] = in_percent(value)
    return {
        corruption_label(part) if part in OCCLUSION else part: {
            OURS: ours[part],
            PAPER: printed[part],
        }
        for part in PARTS
    }


def printed_by_part() -> dict[str, dict[str, float]]:
    """Return part -> the paper's network -> its CE as printed, a fraction.

    >>> printed_by_part()["set2"]["resnet50_augmix"]
    0.65
    """
    found: dict[str, dict[str, float]] = {name: {} for name in PARTS}
    for row in reported_frame("overlap-tab1").itertuples():
        if row.metric in ("mean_ce", "ce"):
            found[str(row.corruption)][str(row.model)] = float(str(row.number))
    return found


def networks(parts: Mapping[str, Dots]) -> list[str]:
    """Return the networks of all parts in their order, those of this run first.

    >>> one = (1.0, 1.0, 1.0)
    >>> networks({"set1": {"this run": {"a": one}, "the paper": {"b": one}}})
    ['a', 'b']
    """
    sources = [
        source for name in (OURS, PAPER) for dots in parts.values() for source in [dots[name]]
    ]
    return list(dict.fromkeys(name for source in sources for name in source))


def spread(results: Results) -> Dots:
    """Return architecture -> corruption, or mean of a half -> its mean overlap with the others.

    >>> rows = toys.rows("overlap-fig2", "mean_overlap", {"resnet18": 0.5}, corruption="fog")
    >>> spread(rows)
    {'ResNet-18': {'Fog': (0.5, 0.5, 0.5)}}
    """
    found: dict[str, dict[str, ScoreInterval]] = {}
    for row in results.select(metric="mean_overlap", corruption=[*COMMON, *HALVES]).rows:
        dots = found.setdefault(network_title(str(row.model)), {})
        dots[_labelled(str(row.corruption))] = row.interval
    return found


def halves() -> dict[str, list[str]]:
    """Return half -> its corruptions and their mean, as figures call them.

    >>> halves()["set2"][0], halves()["set2"][-1]
    ('Snow', 'Mean of set2')
    """
    return {
        half: [_labelled(name) for name in (*members, half)] for half, members in HALVES.items()
    }


def raw_gains(architectures: Mapping[str, ArchitectureOverlaps]) -> dict[str, Dots]:
    """Return corruption outside of ImageNet-C -> architecture -> corruption trained with -> gain.

    Gains are in points of accuracy on the corruption outside; nothing is divided.

    >>> found = raw_gains(toys.judged("fog", "snow", "border"))
    >>> sorted(found["Border"]["ResNet-18"])
    ['Fog', 'Snow']
    """
    found: dict[str, dict[str, dict[str, PercentInterval]]] = {}
    for name, one in architectures.items():
        for outside in OCCLUSION:
            if outside not in one.table.corruptions:
                continue
            frame = gains.against(one, outside)
            found.setdefault(corruption_label(outside), {})[network_title(name)] = {
                corruption_label(str(trained)): in_percent(row["value"], row["low"], row["high"])
                for trained, row in frame.iterrows()
                if trained in COMMON
            }
    return {title: dict(dots) for title, dots in found.items()}


def _labelled(name: str) -> str:
    return f"Mean of {name}" if name in HALVES else corruption_label(name)
