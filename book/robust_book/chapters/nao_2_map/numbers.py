"""mAP in the chapter's form, next to the paper's, and the numbers in the prose."""

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import pandas as pd

from robust_book.chapters import view
from robust_book.chapters.view import Names
from robust_book.html.table import NONE
from robust_lib import paths
from robust_lib.metrics.detection_errors import KINDS
from robust_lib.protocols.objects.at_random import WRONG_AT_RANDOM
from robust_lib.protocols.objects.coco_map import ITEM
from robust_lib.protocols.objects.confusions import Confusion
from robust_lib.protocols.objects.error_kinds import ErrorKinds
from robust_lib.protocols.objects.scored_boxes import RULES, Scored
from robust_lib.results.interval import PercentInterval, point
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber, count, percent, points
from robust_lib.results.reported import printed
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.network import network_title
from robust_lib.run.papers.nao import FILTER

OnBoth = Mapping[str, tuple[Scored, Scored]]
"""Detector -> its boxes in the ordinary and in the adversarial images."""

TITLES: Mapping[str, str] = MappingProxyType(
    {
        "faster_rcnn": "Faster R-CNN",
        "retinanet_r50": "RetinaNet-R50",
        "yolov3": "YOLOv3",
        "maskrcnn_resnet50_fpn": "Mask R-CNN (ResNet-50)",
        "efficientdet_d2": "EfficientDet-D2",
        "efficientdet_d4": "EfficientDet-D4",
        "efficientdet_d7": "EfficientDet-D7",
        "yolov4_p7": "YOLOv4-P7",
        "cbnetv2_htc": "CBNetV2-HTC",
    }
)
"""The paper's name of a detector -> what its Table 2 calls it, in the order of the table."""

ORDINARY, ADVERSARIAL = "ordinary", "adversarial"
CHOSE = " (selected the images)"
PAPER, RUN, DROP = "the paper", "this run", "Drop"


def places(on_both: OnBoth, names: Names) -> dict[str, str]:
    """Return the paper's name -> ours, for each evaluated detector of its table.

    Args:
        names: the paper's name -> ours; a file of boxes may use the paper's name itself.
    """
    found = {theirs: names.get(theirs, theirs) for theirs in TITLES}
    return {theirs: ours for theirs, ours in found.items() if ours in on_both}


def title(network: str, names: Names) -> str:
    """Return a detector's title, marked if it selected the images."""
    return network_title(network) + (CHOSE if names.get(FILTER) == network else "")


def short_titles(networks: Sequence[str]) -> dict[str, str]:
    """Return detector -> its title up to the bracket, for panels; in full if two would match."""
    whole = {name: network_title(name) for name in networks}
    short = {name: one.partition(" (")[0] for name, one in whole.items()}
    return short if len(set(short.values())) == len(short) else whole


def map_frame(results: Results, on_both: OnBoth, names: Names) -> pd.DataFrame:
    """Return Table 2: all detectors of the paper and of this run, numbers side by side."""
    here = places(on_both, names)
    lines = [
        {"Detector": _title(theirs)}
        | view.beside(_ours(results, on_both, here.get(theirs)), _printed(theirs))
        for theirs in TITLES
    ]
    lines += [
        {"Detector": network_title(ours)}
        | view.beside(_ours(results, on_both, ours), dict.fromkeys(_printed(FILTER), NONE))
        for ours in on_both
        if ours not in here.values()
    ]
    return pd.DataFrame(lines).astype(object)


def _title(theirs: str) -> str:
    return TITLES[theirs] + (CHOSE if theirs == FILTER else "")


def _ours(results: Results, on_both: OnBoth, ours: str | None) -> dict[str, object]:
    if ours is None:
        columns = ("Network", "Weights (M)", "Ordinary", "NAO", "mAR", "Without OOD")
        return dict.fromkeys(columns, NONE)
    ordinary, adversarial = on_both[ours]
    rows = results.select(item=ITEM, model=ours)
    size, on_nao = rows.first(metric="parameters"), rows.select(dataset=adversarial.dataset)
    return {
        "Network": network_title(ours),
        "Weights (M)": f"{size.value / 1e6:.1f}" if size else NONE,
        "Ordinary": view.cell(rows.row(metric="map", dataset=ordinary.dataset)),
        "NAO": view.cell(on_nao.row(metric="map")),
        "mAR": view.cell(on_nao.row(metric="mar")),
        "Without OOD": _without(on_nao.row(metric="map_without_ood"), adversarial),
    }


def _printed(theirs: str) -> dict[str, object]:
    """Return column -> the text printed in the paper's table."""
    texts = {(row.metric, row.dataset): row.value for row in printed(ITEM, model=theirs)}
    return {
        "Weights (M)": texts.get(("parameters", None), NONE).removesuffix("M"),
        "COCO val": texts.get(("map", "coco_val"), NONE),
        "COCO test-dev": texts.get(("map", "coco_test_dev"), NONE),
        "NAO": texts.get(("map", "nao"), NONE),
        "mAR": texts.get(("mar", "nao"), NONE),
        "Without OOD": texts.get(("map_without_ood", "nao"), NONE),
    }


def _without(row: Row, one: Scored) -> object:
    """Return the cell of the mAP without OOD objects; its bounds are not an interval."""
    if not one.is_bounded or row.low is None or row.high is None:
        return view.cell(row)
    return f"{100 * row.low:.1f} to {100 * row.high:.1f}"


def drop_frame(results: Results, on_both: OnBoth, names: Names) -> pd.DataFrame:
    """Return each detector's drop in mAP, in points and relative to ordinary images."""
    theirs_of = {ours: theirs for theirs, ours in places(on_both, names).items()}
    lines = []
    for ours in on_both:
        relative = results.first(item=ITEM, model=ours, metric="relative_drop")
        paper = {
            row.dataset: row.percent
            for row in printed(ITEM, model=theirs_of.get(ours, NONE), metric="map")
        }
        lines.append(
            {
                "Detector": title(ours, names),
                "This run|Points": view.cell(_drop(results, ours)),
                "This run|Relative": None if relative is None else view.cell(relative),
                "The paper, relative|From val": _relative(paper, "coco_val"),
                "The paper, relative|From test-dev": _relative(paper, "coco_test_dev"),
            }
        )
    return pd.DataFrame(lines).astype(object)


def _relative(paper: Mapping[str | None, float], base: str) -> str:
    before, after = paper.get(base), paper.get("nao")
    return NONE if before is None or after is None else f"{100 * (1 - after / before):.1f}"


def rule_frame(results: Results, on_both: OnBoth, names: Names) -> pd.DataFrame:
    """Return the mAP on adversarial images by the rule for ignored boxes."""
    lines = []
    told_apart = any("unrelated" in one.by_rule for _, one in on_both.values())
    for network, (_, one) in on_both.items():
        rows = results.select(item=ITEM, model=network)
        line: dict[str, object] = {"Detector": title(network, names)}
        for rule, words in RULES.items():
            if rule == "unrelated" and not told_apart:
                continue
            found = rows.first(dataset=f"{one.dataset}/{rule}")
            line[words[0].upper() + words[1:]] = view.cell(found) if found else "not marked"
        random = rows.first(dataset=f"{one.dataset}/{WRONG_AT_RANDOM}")
        if random is not None:
            line["Equally many at random"] = view.cell(random)
        known = "overlap" in one.by_rule
        line["Boxes left out"] = f"{one.dropped('overlap'):,}" if known else "?"
        lines.append(line)
    return pd.DataFrame(lines).astype(object)


def dots(
    results: Results, on_both: OnBoth, names: Names
) -> dict[str, dict[str, dict[str, PercentInterval]]]:
    """Return panel -> kind of images -> detector -> mAP (%), the paper's and this run's.

    The last panel contains both drops from ordinary to adversarial images, in points.

    Detectors follow the order of the paper's table; this run's others come below.
    """
    called = {ours: _title(theirs) for theirs, ours in places(on_both, names).items()}
    paper: dict[str, dict[str, PercentInterval]] = {
        kind: {
            _title(str(row.model)): point(row.percent)
            for row in printed(ITEM, metric="map", dataset=dataset)
            if row.model in TITLES
        }
        for kind, dataset in ((ORDINARY, "coco_val"), (ADVERSARIAL, "nao"))
    }
    ours: dict[str, dict[str, PercentInterval]] = {ORDINARY: {}, ADVERSARIAL: {}}
    for network, both in on_both.items():
        for kind, scored in zip(ours, both, strict=True):
            row = results.row(item=ITEM, model=network, metric="map", dataset=scored.dataset)
            ours[kind][called.get(network, network_title(network))] = row.percent
    lost = {
        called.get(network, network_title(network)): _drop(results, network).percent
        for network in on_both
    }
    printed_loss = {
        name: point(before[0] - paper[ADVERSARIAL][name][0])
        for name, before in paper[ORDINARY].items()
        if name in paper[ADVERSARIAL]
    }
    return {
        "The paper": paper,
        "This run": ours,
        DROP: {RUN: lost, PAPER: printed_loss},
    }


Panels = Mapping[str, Mapping[str, Mapping[str, PercentInterval]]]
"""Title -> source or kind of images -> detector -> (value, low, high)."""


def rows(panels: Panels) -> list[str]:
    """Return the detectors of `dots` in the order of the paper's table; this run's others below."""
    of_nao = [panel.get(ADVERSARIAL, {}) for panel in panels.values()]
    return list(dict.fromkeys(name for by_name in of_nao for name in by_name))


def ends(panels: Panels) -> tuple[float, float]:
    """Return the ends of an axis, from 0 to the next multiple of ten above all numbers.

    >>> ends({"This run": {"ordinary": {"mine": (41.0, 38.0, 44.0)}}})
    (0.0, 50.0)
    """
    every = [
        one for panel in panels.values() for by_name in panel.values() for one in by_name.values()
    ]
    return 0.0, 10.0 * math.ceil(max((high for _, _, high in every), default=1.0) / 10)


def kind_frame(kinds: Mapping[str, tuple[ErrorKinds, ErrorKinds]], names: Names) -> pd.DataFrame:
    """Return the cost of each kind of error in points, with the number of errors in brackets.

    Args:
        kinds: detector -> its errors on the ordinary and on the adversarial images.
    """
    return pd.DataFrame(
        [
            {"Detector": title(network, names), "Images": word}
            | {
                kind.capitalize(): f"{100 * one.costs[kind]:.1f} ({one.counts[kind]:,.0f})"
                for kind in KINDS
            }
            for network, both in kinds.items()
            for word, one in zip((ORDINARY, ADVERSARIAL), both, strict=True)
        ]
    )


def committed_frame(results: Results) -> pd.DataFrame:
    """Return the table to commit: each detector's mAP, mAR, mAP without OOD objects, and drop."""
    rows = results.select(item=ITEM, metric=["map", "mar", "map_without_ood", "map_drop"]).rows
    columns = {
        "Network": view.title,
        "Images": lambda row: row.dataset,
        "Metric": lambda row: row.metric.replace("_", " "),
    }
    return view.values_frame([row for row in rows if "/" not in row.dataset], columns)


def key_numbers(
    results: Results,
    on_both: OnBoth,
    kinds: Mapping[str, tuple[ErrorKinds, ErrorKinds]],
    confusions: Sequence[Confusion],
    names: Names,
) -> dict[str, KeyNumber]:
    """Return the prose's numbers on the detector that selected the images, and on the others.

    If the run lacks that detector, the first one replaces it.

    Args:
        kinds: detector -> its errors on the ordinary and on the adversarial images.
    """
    chose = names.get(FILTER, "")
    chose = chose if chose in on_both else next(iter(on_both))
    others = [name for name in on_both if name != chose]
    ordinary, adversarial = on_both[chose]
    found = {
        "detectors": count(len(on_both)),
        "others": count(len(others)),
        "ordinary": count(ordinary.images),
        "pictures": count(adversarial.images),
        "filter": KeyNumber(network_title(chose)),
    }
    rows = results.select(item=ITEM, model=chose)
    found["filter_ordinary"] = percent(rows.row(metric="map", dataset=ordinary.dataset))
    found["filter_nao"] = percent(rows.row(metric="map", dataset=adversarial.dataset))
    found["filter_drop"] = points(_drop(results, chose))
    found["filter_relative"] = percent(rows.first(metric="relative_drop"))
    without = rows.row(metric="map_without_ood", dataset=adversarial.dataset)
    found["filter_without"] = percent(without)
    lower = [name for name in others if _drop(results, name).value > 0]
    found["others_lower"] = KeyNumber(f"{len(lower)} of {len(others)}", len(lower))
    ranked = sorted(others, key=lambda name: _drop(results, name).value)
    for word, place in (("least", 0), ("most", -1)):
        found[f"{word}_drop"] = points(_drop(results, ranked[place]) if ranked else None)
        found[f"{word}_detector"] = (
            KeyNumber(network_title(ranked[place])) if ranked else NOT_MEASURED
        )
    return found | _of_kinds(kinds[chose]) | _of_confusions(confusions) | {"held": held()}


def held() -> KeyNumber:
    """Return how often simulated intervals of mAP contain the true value, by number of images."""
    frame = pd.read_csv(paths.manifests() / "measured" / "simulated_intervals.csv")
    texts = [
        f"{row['holds the truth']:g} ({row['over'].partition(',')[0]})"
        for row in frame[frame["interval of"] == "an mAP"].to_dict("records")
    ]
    return KeyNumber(" and ".join(texts), convention="of 100 simulated intervals; nominal: 95")


def _drop(results: Results, network: str) -> Row:
    rows = results.select(item=ITEM, model=network, metric="map_drop").rows
    return next(row for row in rows if "/" not in row.dataset)


def _of_kinds(both: tuple[ErrorKinds, ErrorKinds]) -> dict[str, KeyNumber]:
    """Return the costliest kind of error on either set, and the kind whose cost grows most."""
    ordinary, adversarial = both
    grown = {kind: adversarial.costs[kind] - ordinary.costs[kind] for kind in adversarial.costs}
    most = max(grown, key=lambda kind: grown[kind])
    return {
        "grown_kind": KeyNumber(most),
        "grown_ordinary": KeyNumber(f"{100 * ordinary.costs[most]:.1f}", ordinary.costs[most]),
        "grown_nao": KeyNumber(f"{100 * adversarial.costs[most]:.1f}", adversarial.costs[most]),
        "costliest": KeyNumber(max(ordinary.costs, key=lambda kind: ordinary.costs[kind])),
        "costliest_nao": KeyNumber(
            max(adversarial.costs, key=lambda kind: adversarial.costs[kind])
        ),
    }


def _of_confusions(confusions: Sequence[Confusion]) -> dict[str, KeyNumber]:
    """Return the most frequent confusion, and the numbers of mistakes by kind of covered object."""
    every = sum(len(one.mistakes) for one in confusions)
    foreign = sum(len(one.mistakes) for one in confusions if one.is_foreign)
    own = sum(len(one.mistakes) for one in confusions if one.truth and not one.is_foreign)
    first = next((one for one in confusions if one.truth), None)
    words = "none" if first is None else f"{first.truth}, predicted as {first.predicted}"
    return {
        "mistakes": count(every),
        "on_foreign": count(foreign),
        "on_own": count(own),
        "on_nothing": count(every - foreign - own),
        "commonest": KeyNumber(words),
        "commonest_pictures": KeyNumber(
            "no" if first is None else str(first.pictures), 0 if first is None else first.pictures
        ),
    }
