"""Every public reference number of the repository, as a gate."""

from collections.abc import Iterator, Mapping
from functools import partial
from types import MappingProxyType

import numpy as np
import pandas as pd

from robust_lib.config.manifests import load_dataset
from robust_lib.results.gates.gate import Gate
from robust_lib.results.reported import parse_number, reference, reported
from robust_lib.vocabulary import COMMON, SEVERITIES

CLEAN, HARD, ARCHIVE, FRAMES = "imagenet_val", "imagenet_a", "imagenet_c", "imagenet_vid_robust"
COCO, NAO = "coco_val", "nao"

TOLERANCE: Mapping[str, float] = MappingProxyType(
    {ARCHIVE: 0.001, HARD: 0.002, "imagenet_val_a": 0.001, FRAMES: 0.002, COCO: 0.001, NAO: 0.005}
)
"""How far a run may be from others' numbers, fractions: another library that decodes or resizes
pictures, or another device, moves some logits across a border. One picture in a thousand; of 1,109
sets of frames two. Of mAP 0.1 points on COCO, where the weights' publisher evaluated them alike,
and 0.5 on the release, as the paper does not say which of its pictures it took. Those of clean
pictures stand with their numbers: 0.05 points from the weights' own publisher, who resizes and
crops as is done here, and 0.2 from the ports."""

HARD_OF_PORTS = 0.004
"""On ImageNet-A, of networks whose weights were ported from elsewhere. Its images are at a border
by their making: two honest evaluations of the same weights, both at 256/224 and bilinear, differ by
up to 12 of 7,500 pictures where torchvision publishes them, and by up to 24 for ports; on the
10,000 ordinary pictures of the same classes by up to 5. timm's evaluation is the second witness, of
the networks that it shows the same crops."""

PORTED = 0.1
"""Tolerance of a clean accuracy, in points, above which its weights are a port."""

CLEAN_OF_OTHERS = 0.0005
"""Of clean images, as PyTorch's own weights of a ResNet-50: no port is between."""

MCE_TOLERANCE = 0.001
"""Of an mCE, such as ResNet-50's, which [inc, table 1] and whoever asks the public weights print as
76.7 %. The archive's pictures are of 224 x 224 pixels already. Who resizes them to 256 and crops
them again, as imagenet-testbed does, finds 78.2 %, so its corruptions are no gates."""

NORMALISED: Mapping[str, str] = MappingProxyType(
    {"dpn68": "dpn68_as_trained", "dpn98": "dpn98_as_trained"}
)
"""Networks whose images were normalised as they were trained where the references come from ->
the rows that are shown them so; the paper on ImageNet-A normalises those of all networks alike."""

OTHERWISE = "the images were normalised differently"

DETECTORS: Mapping[str, str] = MappingProxyType(
    {
        "faster_rcnn": "fasterrcnn_resnet50_fpn",
        "maskrcnn_resnet50_fpn": "maskrcnn_resnet50_fpn",
        "retinanet_r50": "retinanet_resnet50_fpn",
        "efficientdet_d2": "efficientdet_d2",
        "efficientdet_d4": "efficientdet_d4",
        "efficientdet_d7": "efficientdet_d7",
    }
)
"""The paper's name of a detector -> ours with public weights that may be the same."""

MIXED: Mapping[str, str] = MappingProxyType(
    {
        "faster_rcnn": "its row mixes two detectors, see erratum nao-faster-rcnn",
        "retinanet_r50": "its row may mix two networks, see erratum nao-retinanet",
    }
)
"""The paper's name of a detector -> why its row need not be that of the public weights: its mAP on
COCO is more than `SAME` away from theirs."""

SAME = 0.003
"""How far two evaluations of one detector's weights on COCO lie apart at most, a fraction."""

NOT_HERE = "its weights cannot be loaded here"
"""Of the paper's other detectors."""

OWN_ACCOUNT = ("torchvision, ", "effdet ")
"""How sources begin that say of the weights that are read here what they reach on COCO by the same
evaluation; others speak of the weights that these were converted from.

Mask R-CNN is the best check of a whole pipeline: its mAP on COCO is the paper's, so it is very
likely the paper's own network."""


def gates() -> tuple[Gate, ...]:
    """Return all gates: clean accuracies, ImageNet-C, ImageNet-A, Vid-Robust, COCO and NAO.

    >>> len({gate.dataset for gate in gates()})
    7
    """
    return (*_clean(), *_archive(), *_robust(), *_others(), *_detectors())


def _clean() -> Iterator[Gate]:
    """Yield the accuracies of public weights on ImageNet's validation images."""
    found = reference("clean_reference", as_printed=True)
    for model, value, tolerance, source in found[
        ["model", "value", "tolerance", "source"]
    ].itertuples(index=False):
        yield _gate(
            value,
            model=NORMALISED.get(model, model),
            dataset=CLEAN,
            metric="accuracy",
            tolerance=float(tolerance) / 100,
            pictures=load_dataset(CLEAN).images,
            source=source,
        )


def _archive() -> Iterator[Gate]:
    """Yield ResNet-50's accuracies on the archive's corruptions, and its mCE."""
    found = reference("resnet50_reference", as_printed=True)
    images = load_dataset(CLEAN).images or 0
    known = found[found["corruption"].isin(COMMON)]
    for corruption, value, source in known[["corruption", "accuracy", "source"]].itertuples(
        index=False
    ):
        yield _gate(
            value,
            model="resnet50",
            dataset=ARCHIVE,
            metric="accuracy",
            corruption=corruption,
            tolerance=TOLERANCE[ARCHIVE],
            pictures=images * len(SEVERITIES),
            source=source,
        )
    yield Gate(
        model="resnet50",
        dataset=ARCHIVE,
        metric="mce",
        value=round(float(np.mean(known["ce"].astype(float))) / 100, 3),
        step=MCE_TOLERANCE,
        tolerance=MCE_TOLERANCE,
        pictures=None,
        source="mean of the fifteen CEs; [inc, table 1]",
    )


def _robust() -> Iterator[Gate]:
    """Yield what is published of ResNet-50s that were trained to be robust [overlap, table 1]."""
    images = load_dataset(CLEAN).images or 0
    known: Mapping[str, tuple[float, int | None]] = {
        "accuracy": (CLEAN_OF_OTHERS, images),
        "mean_accuracy": (TOLERANCE[ARCHIVE], images * len(COMMON) * len(SEVERITIES)),
        "mce": (MCE_TOLERANCE, None),
    }
    found = reference("robust_reference", as_printed=True)
    for model, dataset, metric, value, source in found.itertuples(index=False):
        tolerance, pictures = known[metric]
        yield _gate(
            value,
            model=model,
            dataset=dataset,
            metric=metric,
            tolerance=tolerance,
            pictures=pictures,
            source=source,
        )


def _others() -> Iterator[Gate]:
    """Yield the accuracies on ImageNet-A and Vid-Robust of two independent evaluations."""
    clean = reference("clean_reference", as_printed=True)
    ports = set(clean["model"][clean["tolerance"] > PORTED])
    tables = [reference(f"{name}_reference", as_printed=True) for name in ("testbed", "timm")]
    columns = ["model", "dataset", "k", "metric", "value", "source"]
    for model, dataset, k, metric, value, source in pd.concat(tables)[columns].itertuples(
        index=False
    ):
        port = dataset == HARD and model in ports
        alike = dataset != FRAMES and model in NORMALISED
        yield _gate(
            value,
            model=model if alike else NORMALISED.get(model, model),
            dataset=dataset,
            metric=metric,
            k=None if k != k else int(k),
            tolerance=HARD_OF_PORTS if port else TOLERANCE[dataset],
            pictures=_sets() if dataset == FRAMES else load_dataset(dataset).images,
            source=source,
            unlike=OTHERWISE if alike else "",
        )


def _detectors() -> Iterator[Gate]:
    """Yield the mAP of public detectors on COCO and on natural adversarial objects."""
    score = partial(_gate, metric="map", pictures=None)
    published = reference("detector_reference", as_printed=True)
    on_coco = published[(published["dataset"] == COCO) & (published["metric"] == "map")]
    for model, value, source in on_coco[["model", "value", "source"]].itertuples(index=False):
        if str(source).startswith(OWN_ACCOUNT):
            yield score(value, model=model, dataset=COCO, tolerance=TOLERANCE[COCO], source=source)
    for row in reported("nao-tab2"):
        if row.metric == "map" and row.dataset == NAO and row.model is not None:
            yield score(
                row.value,
                model=DETECTORS.get(row.model, row.model),
                dataset=NAO,
                tolerance=TOLERANCE[NAO],
                source=f"[nao, {row.locator}]",
                unlike=MIXED.get(row.model, "" if row.model in DETECTORS else NOT_HERE),
            )


def _sets() -> int | None:
    """Return the number of frame sets in the release, if its manifest has it."""
    counts = load_dataset(FRAMES).options.get("counts")
    return None if counts is None else int(counts["anchors"])


def _gate(printed: str, **conditions: object) -> Gate:
    """Return the gate of a number as it is printed, in percent."""
    value, unit = parse_number(str(printed))
    return Gate(value=value / 100, step=unit / 100, **conditions)  # type: ignore[arg-type]
