"""mAP as the tables and figures of the chapter show it, beside the paper's."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import pandas as pd

from robust_book.chapters.view import cell, ends
from robust_lib.metrics.detection_errors import KINDS
from robust_lib.protocols.objects.coco_map import ITEM
from robust_lib.protocols.objects.error_kinds import ErrorKinds
from robust_lib.protocols.objects.scored_boxes import RULES, Scored
from robust_lib.results.interval import PercentInterval, point
from robust_lib.results.reported import reported
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.network import network_title
from robust_lib.run.papers.nao import FILTER

OnBoth = Mapping[str, tuple[Scored, Scored]]
"""Detector -> its boxes in the ordinary and in the adversarial pictures."""

TITLES: Mapping[str, str] = MappingProxyType(
    {
        "faster_rcnn": "Faster R-CNN",
        "retinanet_r50": "RetinaNet, ResNet-50",
        "yolov3": "YOLOv3",
        "maskrcnn_resnet50_fpn": "Mask R-CNN, ResNet-50",
        "efficientdet_d2": "EfficientDet-D2",
        "efficientdet_d4": "EfficientDet-D4",
        "efficientdet_d7": "EfficientDet-D7",
        "yolov4_p7": "YOLOv4-P7",
        "cbnetv2_htc": "CBNetV2-HTC",
    }
)
"""The paper's name of a detector -> what its Table 2 calls it, in the order of the table."""

ORDINARY, ADVERSARIAL = "ordinary", "adversarial"
CHOSE = " (chose the pictures)"
NONE = "–"  # in cells of numbers that there are not


def places(on_both: OnBoth, names: Mapping[str, str]) -> dict[str, str]:
    """Return the paper's name of each detector of its table that was asked -> ours.

    Args:
        on_both: of all detectors.
        names: the paper's name -> ours; a file of boxes may have the paper's name itself.

    >>> places(toys.coco_maps({"mine": (12, 6), "yolov3": (12, 6)}), {"efficientdet_d7": "mine"})
    {'yolov3': 'yolov3', 'efficientdet_d7': 'mine'}
    """
    found = {theirs: names.get(theirs, theirs) for theirs in TITLES}
    return {theirs: ours for theirs, ours in found.items() if ours in on_both}


def title(network: str, names: Mapping[str, str]) -> str:
    """Return how a detector is called; the one that chose the pictures says so.

    >>> title("mine", {"efficientdet_d7": "mine"})
    'mine (chose the pictures)'
    """
    return network_title(network) + (CHOSE if names.get(FILTER) == network else "")


def short_titles(networks: Sequence[str]) -> dict[str, str]:
    """Return detector -> its title up to the comma, for panels; whole where two would be alike.

    >>> list(short_titles(["fasterrcnn_resnet50_fpn", "retinanet_resnet50_fpn"]).values())
    ['Faster R-CNN', 'RetinaNet']
    """
    whole = {name: network_title(name) for name in networks}
    short = {name: one.partition(",")[0] for name, one in whole.items()}
    return short if len(set(short.values())) == len(short) else whole


def map_frame(results: Results, on_both: OnBoth, names: Mapping[str, str]) -> pd.DataFrame:
    """Return Table 2: all detectors of the paper and of this run, numbers side by side.

    Args:
        results: of `protocols.objects.coco_map`.
        on_both: of all detectors.
        names: the paper's name of a detector -> ours.

    >>> on_both = toys.coco_maps({"mine": (12, 6)})
    >>> from robust_lib.protocols.objects.coco_map import results
    >>> frame = map_frame(results(on_both), on_both, {"efficientdet_d7": "mine"})
    >>> len(frame), frame.iloc[6]["The paper|NAO"], frame.iloc[6]["This run|Network"]
    (9, '17.0', 'mine')
    """
    here = places(on_both, names)
    every = {theirs: here.get(theirs) for theirs in TITLES}
    lines = [_line(results, on_both, theirs, ours) for theirs, ours in every.items()]
    others = [one for one in on_both if one not in here.values()]
    lines += [_line(results, on_both, None, ours) for ours in others]
    return pd.DataFrame(lines).astype(object)


def _line(
    results: Results, on_both: OnBoth, theirs: str | None, ours: str | None
) -> dict[str, object]:
    called = TITLES[theirs] if theirs else network_title(str(ours))
    line: dict[str, object] = {"Detector": called + (CHOSE if theirs == FILTER else "")}
    line["This run|Network"] = network_title(ours) if ours else NONE
    keys = ("Weights (M)", "Ordinary", "NAO", "mAR", "Without foreign")
    line |= dict.fromkeys((f"This run|{key}" for key in keys), NONE)
    if ours is not None:
        ordinary, adversarial = on_both[ours]
        rows = results.select(item=ITEM, model=ours)
        size = rows.select(metric="parameters").rows
        line["This run|Weights (M)"] = f"{size[0].value / 1e6:.3g}" if size else NONE
        line["This run|Ordinary"] = cell(rows.row(metric="map", dataset=ordinary.dataset))
        on_nao = rows.select(dataset=adversarial.dataset)
        line["This run|NAO"] = cell(on_nao.row(metric="map"))
        line["This run|mAR"] = cell(on_nao.row(metric="mar"))
        line["This run|Without foreign"] = _without(
            on_nao.row(metric="map_without_ood"), adversarial
        )
    printed = {(row.metric, row.dataset): row for row in reported(ITEM) if row.model == theirs}
    for name, key in (
        ("Weights (M)", ("parameters", None)),
        ("COCO val", ("map", "coco_val")),
        ("COCO test-dev", ("map", "coco_test_dev")),
        ("NAO", ("map", "nao")),
        ("mAR", ("mar", "nao")),
        ("Without foreign", ("map_without_ood", "nao")),
    ):
        text = str(printed[key].value).removesuffix("M") if theirs and key in printed else NONE
        line[f"The paper|{name}"] = text
    return line


def _without(row: Row, one: Scored) -> object:
    """Return the cell of the mAP without foreign objects: bounds are no interval."""
    if not one.is_bounded or row.low is None or row.high is None:
        return cell(row)
    return f"{100 * row.low:.1f} to {100 * row.high:.1f}"


def drop_frame(results: Results, on_both: OnBoth, names: Mapping[str, str]) -> pd.DataFrame:
    """Return how much each detector loses, in points and relative to ordinary pictures.

    Args:
        results: of `protocols.objects.coco_map`.
        on_both: of all detectors.
        names: the paper's name of a detector -> ours.

    >>> on_both = toys.coco_maps({"mine": (12, 6)})
    >>> from robust_lib.protocols.objects.coco_map import results
    >>> frame = drop_frame(results(on_both), on_both, {"efficientdet_d7": "mine"})
    >>> frame[["The paper, relative|From val", "The paper, relative|From test-dev"]].values.tolist()
    [['68.2', '68.3']]
    """
    theirs_of = {ours: theirs for theirs, ours in places(on_both, names).items()}
    lines = []
    for ours in on_both:
        rows = results.select(item=ITEM, model=ours)
        theirs = theirs_of.get(ours)
        printed = {
            row.dataset: row.number
            for row in reported(ITEM)
            if theirs and (row.model, row.metric) == (theirs, "map")
        }
        lines.append(
            {
                "Detector": title(ours, names),
                "This run|Points": cell(rows.row(metric="map_drop")),
                "This run|Relative": cell(rows.row(metric="relative_drop")),
                "The paper, relative|From val": _relative(printed, "coco_val"),
                "The paper, relative|From test-dev": _relative(printed, "coco_test_dev"),
            }
        )
    return pd.DataFrame(lines).astype(object)


def _relative(printed: Mapping[str | None, float | None], base: str) -> str:
    before, after = printed.get(base), printed.get("nao")
    return NONE if before is None or after is None else f"{100 * (1 - after / before):.1f}"


def rule_frame(results: Results, on_both: OnBoth, names: Mapping[str, str]) -> pd.DataFrame:
    """Return the mAP on the adversarial pictures by what does not count; Table 2 has that of all.

    Args:
        results: of `protocols.objects.coco_map`.
        on_both: of all detectors.
        names: the paper's name of a detector -> ours.

    >>> on_both = toys.coco_maps({"mine": (12, 6)})
    >>> from robust_lib.protocols.objects.coco_map import results
    >>> rule_frame(results(on_both), on_both, {}).iloc[0]["Boxes left out"]
    '6 of 16'
    """
    lines = []
    for network, (_, one) in on_both.items():
        rows = results.select(item=ITEM, model=network)
        line: dict[str, object] = {"Detector": title(network, names)}
        for rule, words in RULES.items():
            found = rows.select(dataset=f"{one.dataset}/{rule}").rows
            line[words[0].upper() + words[1:]] = cell(found[0]) if found else "not marked"
        first = one.matches[0]
        left_out = f"{one.dropped('overlap'):,}" if "overlap" in one.by_rule else "?"
        line["Boxes left out"] = f"{left_out} of {len(first.scores):,}"
        lines.append(line)
    return pd.DataFrame(lines).astype(object)


def dots(
    results: Results, on_both: OnBoth, names: Mapping[str, str]
) -> dict[str, dict[str, dict[str, PercentInterval]]]:
    """Return panel -> kind of pictures -> detector -> mAP (%): the paper's beside this run's.

    Detectors stand where the paper's table has them, this run's others below.

    Args:
        results: of `protocols.objects.coco_map`.
        on_both: of all detectors.
        names: the paper's name of a detector -> ours.

    >>> on_both = toys.coco_maps({"mine": (12, 6)})
    >>> from robust_lib.protocols.objects.coco_map import results
    >>> panels = dots(results(on_both), on_both, {"efficientdet_d7": "mine"})
    >>> panels["the paper"]["adversarial"]["EfficientDet-D7 (chose the pictures)"]
    (17.0, 17.0, 17.0)
    """
    here = places(on_both, names)
    called = {ours: TITLES[theirs] + (CHOSE if theirs == FILTER else "")
              for theirs, ours in here.items()}  # fmt: skip
    paper: dict[str, dict[str, PercentInterval]] = {ORDINARY: {}, ADVERSARIAL: {}}
    for row in reported(ITEM):
        kind = {"coco_val": ORDINARY, "nao": ADVERSARIAL}.get(row.dataset or "")
        called_there = TITLES.get(row.model or "")
        if row.metric == "map" and called_there and kind and row.number is not None:
            name = called_there + (CHOSE if row.model == FILTER else "")
            paper[kind][name] = point(row.percent)
    ours: dict[str, dict[str, PercentInterval]] = {ORDINARY: {}, ADVERSARIAL: {}}
    for network, both in on_both.items():
        for kind, one in zip(ours, both, strict=True):
            found = results.row(item=ITEM, model=network, metric="map", dataset=one.dataset)
            name = called.get(network, network_title(network))
            ours[kind][name] = found.percent
    return {"the paper": paper, "this run": ours}


def kind_frame(
    kinds: Mapping[str, tuple[ErrorKinds, ErrorKinds]], names: Mapping[str, str]
) -> pd.DataFrame:
    """Return what each kind of error costs, in points, and in brackets how many there are.

    Args:
        kinds: detector -> its errors in the ordinary and in the adversarial pictures.
        names: the paper's name of a detector -> ours.

    >>> frame = kind_frame(toys.kinds_of_error({"mine": (12, 0)}), {})
    >>> frame["Pictures"].tolist(), frame["Duplicate"].tolist()
    (['ordinary', 'adversarial'], ['0.0 (0)', '0.0 (0)'])
    """
    return pd.DataFrame(
        [
            {"Detector": title(network, names), "Pictures": word}
            | {
                kind.capitalize(): f"{100 * one.costs[kind]:.1f} ({one.counts[kind]:,.0f})"
                for kind in KINDS
            }
            for network, both in kinds.items()
            for word, one in zip((ORDINARY, ADVERSARIAL), both, strict=True)
        ]
    )


def committed_frame(results: Results) -> pd.DataFrame:
    """Return mAP, mAR, mAP without foreign objects and the drop of all detectors, for committing.

    >>> from robust_lib.protocols.objects.coco_map import results
    >>> frame = committed_frame(results(toys.coco_maps({"mine": (12, 6)})))
    >>> frame["Metric"].tolist()
    ['map', 'mar', 'map', 'mar', 'map without ood', 'map drop']
    """
    kept = [
        row
        for row in results.select(item=ITEM).rows
        if row.metric in ("map", "mar", "map_without_ood", "map_drop") and "/" not in row.dataset
    ]
    return pd.DataFrame(
        {
            "Network": network_title(str(row.model)),
            "Pictures": row.dataset,
            "Metric": row.metric.replace("_", " "),
            "Value": 100 * row.value,
            **{end.capitalize(): value for end, value in ends(row).items()},
        }
        for row in kept
    )
