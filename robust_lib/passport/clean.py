"""The published clean number of a network, and whether a run reproduces it.

Wrongly loaded weights or a different preprocessing affect every benchmark. A network with a
published number is therefore trusted only once it reproduces that number: the accuracy of a
classifier on ImageNet, or the mAP of a detector on COCO.
"""

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from robust_lib.config.manifests import load_dataset
from robust_lib.passport.record import Clean, Number
from robust_lib.preprocessing import Preprocessing
from robust_lib.results.gates.gate import Gate, Judged, judged
from robust_lib.results.gates.references import CLEAN, CLEAN_OF_OTHERS, COCO, gates
from robust_lib.results.reported import parse_number, reference
from robust_lib.results.row import Row

OF_TIMM = 0.001
"""The allowed deviation from timm's table, a fraction: it was computed with half precision."""

OF_OPEN_CLIP = 0.002
"""The allowed deviation from open_clip's table of two decimals: it was computed with half
precision, and with names of classes that later releases may have changed."""


def checked(name: str, model: Any, numbers: Iterable[Number]) -> Clean | None:
    """Return how a network's clean number compares with its published one.

    Args:
        name: the requested name, such as "timm/resnet50.a1_in1k".
        model: the loaded model, for its preprocessing.
        numbers: numbers of its passport.

    Returns:
        None if no number was published.
    """
    seen = getattr(model, "preprocessing", None)
    gate = published(name, seen)
    if gate is None:
        return None
    rows = [_row(gate.model, one) for one in numbers if one.metric in ("accuracy", "error", "map")]
    (one,) = judged([gate], rows)
    return Clean(
        published=gate.value,
        source=gate.source,
        found=one.ours,
        outcome=one.outcome,
        words=_words(one),
    )


def published(name: str, seen: Preprocessing | None = None) -> Gate | None:
    """Return the gate for the clean accuracy of a name, or for a detector's mAP on COCO.

    Args:
        seen: the network's preprocessing here; if the published one differs, the gate states this
            and gives no verdict. None: not compared.

    >>> published("resnet50").value, published("open_clip/RN50@openai").value
    (0.7613, 0.5982)
    >>> published("fasterrcnn_resnet50_fpn").metric
    'map'
    >>> published("mine.py:net") is None
    True
    """
    library, _, inside = name.partition("/")
    if library == "torchvision" and inside:
        return _of_torchvision(name, inside)
    if library == "timm" and inside:
        return _of_timm(name, inside, seen)
    if library == "open_clip" and inside:
        return _of_open_clip(name, inside)
    wanted = (CLEAN, name, "accuracy"), (COCO, name, "map")
    known = (one for one in gates() if (one.dataset, one.model, one.metric) in wanted)
    return next(known, None)


def _of_torchvision(name: str, inside: str) -> Gate | None:
    from robust_lib.models.torchvision_alone import import_torchvision

    import_torchvision()
    from torchvision import models

    weights = next(iter(models.get_model_weights(inside)), None)
    told = {} if weights is None else weights.meta.get("_metrics", {}).get("ImageNet-1K", {})
    if "acc@1" not in told:
        return None
    return _gate(name, f"{told['acc@1']:.3f}", CLEAN_OF_OTHERS, f"torchvision, {weights}")


def _of_timm(name: str, inside: str, seen: Preprocessing | None) -> Gate | None:
    if "." not in inside:  # its default weights
        import timm

        settings = timm.get_pretrained_cfg(inside, allow_unregistered=False)
        inside = f"{inside}.{settings.tag}" if settings is not None else inside
    table = reference("timm_clean", as_printed=True)
    rows = table[table["model"] == inside]
    if rows.empty:
        return None
    known = {
        (math.floor(int(side) / float(share)), int(side), str(how)): value
        for side, share, how, value in rows[
            ["img_size", "crop_pct", "interpolation", "value"]
        ].itertuples(index=False)
    }
    ours = None if seen is None else (seen.frame, seen.crop, seen.interpolation)
    there = ours if ours in known else next(iter(known))
    gate = _gate(name, known[there], OF_TIMM, f"results-imagenet.csv of timm, {inside}")
    if ours in (None, there):
        return gate
    return replace(gate, unlike=f"images were resized and cropped to {there} there, {ours} here")


def _of_open_clip(name: str, inside: str) -> Gate | None:
    table = reference("open_clip_clean", as_printed=True)
    rows = table[table["model"] == inside]
    if rows.empty:
        return None
    source = "openclip_results.csv of open_clip, ImageNet 1k"
    return _gate(name, rows.iloc[0]["value"], OF_OPEN_CLIP, source)


def _gate(name: str, printed: str, tolerance: float, source: str) -> Gate:
    value, unit = parse_number(str(printed))
    return Gate(
        model=name,
        dataset=CLEAN,
        metric="accuracy",
        value=value / 100,
        step=unit / 100,
        tolerance=tolerance,
        pictures=load_dataset(CLEAN).images,
        source=source,
    )


def _row(model: str, number: Number) -> Row:
    kept = {name: getattr(number, name) for name in Number.model_fields}
    return Row(model=model, **kept)


def _words(one: Judged) -> str:
    gate = one.gate
    told = f"{100 * gate.value:.3f} % ({gate.source})"
    if one.ours is None:
        return f"Not checked: {one.why}; published is {told}"
    what = "mAP on COCO" if gate.metric == "map" else "clean accuracy"
    ours = f"{what} {100 * one.ours:.3f} %, published {told}: {one.words}"
    if one.outcome != "FAILED":
        return ours
    return (
        f"Not reproduced: {ours}. Weights, classes or preprocessing differ from those behind the "
        "published number, so no number on this page describes that network"
    )
