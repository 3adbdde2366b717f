"""Checks of the errata of the paper on detectors (NAO): its table of mAPs against its words."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import pandas as pd

from robust_lib.results.errata.lines import Line, percent, row, rows, value
from robust_lib.results.reported import number, reference, reported


def seven_models() -> tuple[Line, ...]:
    """Count the detectors of Table 2."""
    table = reported("nao-tab2")
    count = len(rows(table, "map", dataset="nao"))
    return (Line("rows of Table 2", row(table, "models").value, f"{count}"),)


def faster_rcnn() -> tuple[Line, ...]:
    """Compare the row of Faster R-CNN with the two detectors to which its numbers belong."""
    table, known = reported("nao-tab2"), reference("detector_reference")
    lines = []
    for model, metric, dataset in (
        ("faster_rcnn_vgg16", "map", "coco_val"),
        ("faster_rcnn_vgg16", "map", "coco_test_dev"),
        ("fasterrcnn_resnet50_fpn", "map", "coco_val"),
        ("fasterrcnn_resnet50_fpn", "parameters", None),
    ):
        text = row(table, metric, model="faster_rcnn", dataset=dataset).value
        found = _known(known, model, metric, dataset)
        spelled = f"{found / 1e6:.0f}M" if metric == "parameters" else f"{found:.1f}"
        lines.append(Line(f"{metric} of {model} on {dataset or 'any data'}", text, spelled))
    on_nao = 100 * value(table, "map", model="faster_rcnn", dataset="nao")
    base = _known(known, "fasterrcnn_resnet50_fpn", "map", "coco_val")
    text = row(table, "relative_drop", model="faster_rcnn").value
    drop = Line(f"relative drop from {base:.1f}", f"{text} %", percent(1 - on_nao / base))
    return (*lines, drop)


def retinanet() -> tuple[Line, ...]:
    """Compare the row of RetinaNet with the two networks to which its numbers may belong."""
    table, known = reported("nao-tab2"), reference("detector_reference")
    lines = []
    for model, dataset in (
        ("retinanet_r50_640", "coco_val"),
        ("retinanet_r50_640", "coco_test_dev"),
        ("retinanet_resnet50_fpn", "coco_val"),
    ):
        text = row(table, "map", model="retinanet_r50", dataset=dataset).value
        found = _known(known, model, "map", dataset)
        lines.append(Line(f"map of {model} on {dataset}", text, f"{found:.1f}"))
    on_nao = 100 * value(table, "map", model="retinanet_r50", dataset="nao")
    as_printed = 1 - on_nao / (100 * value(table, "map", model="retinanet_r50", dataset="coco_val"))
    drop = percent(1 - on_nao / found)
    return (*lines, Line(f"relative drop from {found:.1f}", percent(as_printed), drop))


def _known(table: pd.DataFrame, model: str, metric: str, dataset: str | None) -> float:
    same = (table["model"] == model) & (table["metric"] == metric)
    same &= table["dataset"].isna() if dataset is None else table["dataset"] == dataset
    return float(table.loc[same, "value"].iloc[0])


def openimages_parts() -> tuple[Line, ...]:
    """Count the images with boxes in the training part of Open Images, and in all three parts."""
    table = reported("nao-tab1")
    text = row(table, "images", dataset="openimages").value
    boxes = row(table, "objects", dataset="openimages").value
    training, every = OPEN_IMAGES["train"], sum(OPEN_IMAGES.values())
    return (
        Line("images with boxes, training part", text, f"{training / 1e6:.1f} million"),
        Line("the same, all three parts", text, f"{every / 1e6:.1f} million"),
        Line("boxes, training part", boxes, f"{TRAINING_BOXES / 1e6:.1f} million"),
    )


OPEN_IMAGES: Mapping[str, int] = MappingProxyType(
    {"train": 1_743_042, "validation": 41_620, "test": 125_436}
)
"""Images of each part of Open Images, as the catalogue of TensorFlow Datasets counts them."""

TRAINING_BOXES = 14_600_000
"""Boxes of its training part, by the same catalogue, which prints 14.6M."""


def best_on_coco() -> tuple[Line, ...]:
    """Compare the COCO mAP that the text calls the best with Table 2's values and their source."""
    table, known = reported("nao-tab2"), reference("detector_reference")
    text = row(table, "map", model="efficientdet_d7x").value
    lines = [
        Line(f"map of {model} on coco_val, by its authors", text, f"{found:.1f}")
        for model in ("efficientdet_d7", "efficientdet_d7x")
        for found in (_known(known, model, "map", "coco_val"),)
    ]
    printed = [line for line in rows(table, "map", dataset="coco_val") if line.locator == "Table 2"]
    better = [line for line in printed if number(line) > float(text) / 100]
    lines += [
        Line(f"map of {line.model} in Table 2", f"at most {text}", line.value) for line in better
    ]
    return tuple(lines)


def similar_reduction() -> tuple[Line, ...]:
    """Compute each detector's relative drop, from the mAP on COCO's val part if it is printed."""
    table = reported("nao-tab2")
    drops = {
        str(line.model): 1
        - number(line) / number(next(r for r in rows(table, "map", model=line.model) if r != line))
        for line in rows(table, "map", dataset="nao")
    }
    chooser = drops["efficientdet_d7"]
    return tuple(
        Line(f"relative drop of {model}", f"similar to {percent(chooser)}", percent(drop))
        for model, drop in sorted(drops.items(), key=lambda one: one[1])
    )


def drop_base() -> tuple[Line, ...]:
    """Compute the two relative drops from either of the COCO columns."""
    table = reported("nao-tab2")
    lines = []
    for line in rows(table, "relative_drop"):
        ours = value(table, "map", model=line.model, dataset="nao")
        for base in ("coco_val", "coco_test_dev"):
            drop = 1 - ours / value(table, "map", model=line.model, dataset=base)
            lines.append(Line(f"{line.model} from {base}", f"{line.value} %", percent(drop)))
    return tuple(lines)


def latest_models() -> tuple[Line, ...]:
    """Correlate the detectors' ranks on COCO with those on NAO, and name the best of both."""
    table = reported("nao-tab2")
    nine = [str(line.model) for line in rows(table, "map", dataset="nao")]
    # Where val is not printed, test-dev is; both stand before NAO in the table.
    from scipy.stats import spearmanr  # half a second, which chapters need not wait for

    on_coco = {model: number(rows(table, "map", model=model)[0]) for model in nine}
    lines = []
    for metric, models in (
        ("map", nine),
        ("map", [model for model in nine if model != "faster_rcnn"]),
        ("map_without_ood", nine),
    ):
        on_nao = [value(table, metric, model=model, dataset="nao") for model in models]
        found = spearmanr([on_coco[model] for model in models], on_nao).statistic
        what = f"rank correlation of COCO's map and NAO's {metric}, {len(models)} detectors"
        lines.append(Line(what, "none", f"{found:.2f}"))
    best = {
        name: sorted(nine, key=key)[-2:]
        for name, key in (
            ("COCO", on_coco.__getitem__),
            ("NAO", lambda model: value(table, "map", model=model, dataset="nao")),
        )
    }
    same = "the same" if set(best["COCO"]) == set(best["NAO"]) else "others"
    return (*lines, Line("the two best on NAO and the two best on COCO", "others", same))


def slight_increase() -> tuple[Line, ...]:
    """Compute how much each detector gains when out-of-distribution objects are left out."""
    table = reported("nao-tab2")
    lines = []
    for line in rows(table, "map_without_ood"):
        before = value(table, "map", model=line.model, dataset="nao")
        gain = number(line) - before
        text = f"{100 * gain:+.1f} points, {100 * gain / before:+.0f} %"
        lines.append(Line(f"gain of {line.model}", "slight", text))
    return tuple(lines)


def still_worse() -> tuple[Line, ...]:
    """Compute each detector's mAP on NAO without out-of-distribution objects minus that on COCO."""
    table = reported("nao-tab2")
    lines = []
    for line in rows(table, "map_without_ood"):
        # Where val is not printed, test-dev is; both stand before NAO in the table.
        on_coco = rows(table, "map", model=line.model)[0]
        gap = number(line) - number(on_coco)
        what = f"{line.model} against {on_coco.dataset}"
        lines.append(Line(what, "worse", f"{100 * gap:+.1f} points"))
    return tuple(lines)


CHECKS: Mapping[str, Callable[[], tuple[Line, ...]]] = MappingProxyType(
    {
        "seven_models": seven_models,
        "faster_rcnn": faster_rcnn,
        "retinanet": retinanet,
        "openimages_parts": openimages_parts,
        "best_on_coco": best_on_coco,
        "drop_base": drop_base,
        "similar_reduction": similar_reduction,
        "latest_models": latest_models,
        "slight_increase": slight_increase,
        "still_worse": still_worse,
    }
)
