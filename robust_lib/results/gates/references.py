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
"""The allowed deviation of a run from published numbers, fractions: with another device, or another
library for decoding or resizing, some predictions change. It is one image in a thousand, and two of
1,109 sets of frames. For mAP it is 0.1 points on COCO, where the weights' publisher uses the same
evaluation, and 0.5 on NAO's release, since the paper does not state which of its images it used.
Tolerances of clean accuracies are stored with them: 0.05 points if the weights' publisher resizes
and crops as here, and 0.2 for ports."""

HARD_OF_PORTS = 0.004
"""The tolerance on ImageNet-A for networks whose weights were ported from elsewhere. By
construction, its images are near a decision boundary: two evaluations of the same weights, both at
256/224 and bilinear, differ by up to 12 of 7,500 images for weights that torchvision publishes, and
by up to 24 for ports; on the 10,000 ordinary images of the same classes, by up to 5. The second
evaluation is timm's, for networks with the same crops."""

PORTED = 0.1
"""Tolerance of a clean accuracy, in points, above which its weights are a port."""

CLEAN_OF_OTHERS = 0.0005
"""The tolerance on clean images for weights that are not a port, such as PyTorch's ResNet-50."""

MCE_TOLERANCE = 0.001
"""The tolerance of an mCE. That of ResNet-50 is 76.7 % in [inc, table 1] and with its public
weights. The archive's images already have 224 x 224 pixels. If they are resized to 256 and cropped
again, as in imagenet-testbed, it is 78.2 %, so that project's numbers on corruptions are not gates.
"""

NORMALISED: Mapping[str, str] = MappingProxyType(
    {"dpn68": "dpn68_as_trained", "dpn98": "dpn98_as_trained"}
)
"""Networks for which the references normalise images as in training -> our rows that do the same;
the paper on ImageNet-A normalises the images of all networks in one way."""

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
"""The paper's name of a detector -> our detector whose public weights may be the same."""

MIXED: Mapping[str, str] = MappingProxyType(
    {
        "faster_rcnn": "its row mixes two detectors (see erratum nao-faster-rcnn)",
        "retinanet_r50": "its row may mix two networks (see erratum nao-retinanet)",
    }
)
"""The paper's name of a detector -> the reason why its row may not be that of the public weights:
its mAP on COCO differs from theirs by more than `SAME`."""

SAME = 0.003
"""The largest difference between two evaluations of one detector's weights on COCO, a fraction."""

NOT_HERE = "its weights cannot be loaded here"
"""The reason why the paper's other detectors have no gate."""

OWN_ACCOUNT = ("torchvision, ", "effdet ")
"""Beginnings of sources that state the mAP on COCO of the very weights that are read here, by the
same evaluation; other sources are about the weights from which these were converted.

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
    """Yield the published numbers of ResNet-50s with robust training [overlap, table 1]."""
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
