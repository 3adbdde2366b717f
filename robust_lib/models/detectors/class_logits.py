"""Class logits at a fixed place: a detector's differentiable outputs for one anchor or region.

An attribution follows a detector's prediction along a path of images. The most confident box moves
along the path, so the place that gave the prediction is found once and kept fixed [nao, sec. 4.5].
It is an anchor of a one-stage detector, or a proposed region of a two-stage one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Float32, Int

from robust_lib.errors import InputError, ModelError
from robust_lib.models.detectors.contract import Detector, Image
from robust_lib.models.detectors.torch_detector import TorchDetector

Corners = Float[np.ndarray, "places 4"]
Classes = Int[np.ndarray, " places"]
Pictures = Float32[torch.Tensor, "n 3 h w"]
Logits = Float[torch.Tensor, "n places classes"]

NEAR = 1.0
"""The allowed distance, in pixels, of a box's edges from those of its place, due to rounding."""

_SAME = 0.01  # pixels within which places say the same box, such as the whole picture, clipped


@dataclass(frozen=True, eq=False)
class Place:
    """One anchor or region, with its logits.

    Attributes:
        anchor: index of an anchor, in the detector's own order; None for a region.
        region: xyxy in pixels of the image as the detector resizes it; None for an anchor.
    """

    anchor: int | None = None
    region: Float[torch.Tensor, "4"] | None = None


@dataclass(frozen=True, eq=False)
class _Answers:
    """All answers of a detector to an image before boxes are suppressed.

    `logits` are (places, columns), `boxes` (places, columns or 1, 4), in the image's pixels;
    `regions` are those asked, if there are regions.
    """

    logits: torch.Tensor
    boxes: torch.Tensor
    regions: torch.Tensor | None = None


def fixed_places(
    detector: Detector, image: Image, boxes: Corners, classes: Classes
) -> tuple[Place, ...]:
    """Return the anchors or regions that produced some detections.

    Among the places that predict a box, the one with the highest score for its class is chosen,
    which suppression also keeps.

    Args:
        detector: a `TorchDetector` of a supported family.
        image: (3, h, w) in [0, 1] RGB.
        boxes: boxes of the detections, xyxy in the image's pixels.
        classes: their classes, from 0.

    Raises:
        InputError: a detector whose places cannot be fixed.
        ModelError: no place in the image predicts one of the boxes.
    """
    family, known = _family(detector)
    with torch.no_grad():
        said = family.answers(known.module, image.to(known.device))
    columns = _columns(known)
    return tuple(
        _place(known.name, said, box, columns[label])
        for box, label in zip(boxes, classes, strict=True)
    )


def logits_at(detector: Detector, images: Pictures, places: Sequence[Place]) -> Logits:
    """Return the class logits at fixed places of some images, with gradients to the images.

    Args:
        images: (n, 3, h, w) in [0, 1] RGB, of the same size as the image for which the places were
            found.
        places: results of `fixed_places`.

    Returns:
        (n, places, classes), without the background.

    Raises:
        InputError: a detector whose places cannot be fixed, or no places.
    """
    family, known = _family(detector)
    if not places:
        raise InputError("Expected at least one position to evaluate, but got none.")
    logits = family.logits(known.module, images.to(known.device), places)
    return logits[..., _columns(known)]


@dataclass(frozen=True)
class _Family:
    """How detectors of one family are read: all answers to an image, and those of some places."""

    parts: tuple[str, ...]
    answers: Callable[[Any, torch.Tensor], _Answers]
    logits: Callable[[Any, torch.Tensor, Sequence[Place]], torch.Tensor]


def _family(detector: Detector) -> tuple[_Family, TorchDetector]:
    """Return the family of a detector, recognised by the parts of its module."""
    if isinstance(detector, TorchDetector):
        for family in _FAMILIES:
            if all(hasattr(detector.module, part) for part in family.parts):
                return family, detector
    kind = type(getattr(detector, "module", detector)).__name__
    raise InputError(
        "Expected a detector whose class logits can be computed at a fixed position "
        "(EfficientDet, RetinaNet, FCOS, an R-CNN or R-FCN with torchvision's parts), but "
        f"{detector.name} is a {kind}. Use another detector for integrated gradients."
    )


def _place(name: str, said: _Answers, box: np.ndarray, column: int) -> Place:
    boxes = said.boxes[:, column] if said.regions is not None else said.boxes[:, 0]
    off = (boxes - torch.as_tensor(box).to(boxes)).abs().amax(1)
    nearest = float(off.min())
    if nearest > NEAR:
        raise ModelError(
            f"Expected {name} to output the box ({', '.join(f'{edge:g}' for edge in box)}) in this "
            f"image, but the nearest one is {nearest:.1f} pixels away. Use a detection of this "
            "detector in this image."
        )
    number = int(said.logits[:, column].masked_fill(off > nearest + _SAME, -torch.inf).argmax())
    if said.regions is None:
        return Place(anchor=number)
    return Place(region=said.regions[number].clone())


def _columns(detector: TorchDetector) -> list[int]:
    """Return the column of the logits of each class; EfficientDet's have none for background."""
    first = 1 if hasattr(detector.module, "bench") else 0
    if detector.labels is None:
        return [place + 1 - first for place in range(detector.outputs)]
    return [detector.labels.index(place) - first for place in range(detector.outputs)]


def _of_anchors(module: Any, image: torch.Tensor) -> _Answers:
    """Return the answers of torchvision's RetinaNet or FCOS."""
    resized, _ = module.transform([image])
    features = list(module.backbone(resized.tensors).values())
    said = module.head(features)
    (anchors,) = module.anchor_generator(resized, features)
    coder = module.box_coder
    decode = getattr(coder, "decode_single", coder.decode)  # FCOS has but one way
    boxes = decode(said["bbox_regression"][0], anchors)
    boxes = _in_picture(boxes, resized.image_sizes[0], image)
    return _Answers(said["cls_logits"][0], boxes[:, None])


def _at_anchors(module: Any, images: torch.Tensor, places: Sequence[Place]) -> torch.Tensor:
    resized, _ = module.transform(list(images))
    features = list(module.backbone(resized.tensors).values())
    logits: torch.Tensor = module.head.classification_head(features)
    return logits[:, [place.anchor for place in places]]


def _of_efficientdet(module: Any, image: torch.Tensor) -> _Answers:
    squares, scales = module.prepare([image])
    levels, shifts = module.model(squares)
    y, x, height, width = _flat(shifts, 4)[0].unbind(1)
    top, left, bottom, right = module.anchors.boxes.unbind(1)
    y, x = y * (bottom - top) + (top + bottom) / 2, x * (right - left) + (left + right) / 2
    height, width = height.exp() * (bottom - top) / 2, width.exp() * (right - left) / 2
    boxes = torch.stack([x - width, y - height, x + width, y + height], 1) * scales[0]
    return _Answers(_flat(levels, _classes(module))[0], _clipped(boxes, image.shape[1:])[:, None])


def _at_cells(module: Any, images: torch.Tensor, places: Sequence[Place]) -> torch.Tensor:
    squares, _ = module.prepare(list(images))
    network = module.model
    logits = network.class_net(network.fpn(network.backbone(squares)))  # boxes are not asked for
    return _flat(logits, _classes(module))[:, [place.anchor for place in places]]


def _of_regions(module: Any, image: torch.Tensor) -> _Answers:
    """Return the answers of torchvision's R-CNNs to all regions that they propose."""
    resized, _ = module.transform([image])
    features = module.backbone(resized.tensors)
    regions, _ = module.rpn(resized, features)
    logits, shifts = _heads(module, features, regions, resized.image_sizes)
    boxes = module.roi_heads.box_coder.decode(shifts, regions)
    boxes = _in_picture(boxes, resized.image_sizes[0], image)
    return _Answers(logits, boxes, regions[0])


def _at_regions(module: Any, images: torch.Tensor, places: Sequence[Place]) -> torch.Tensor:
    resized, _ = module.transform(list(images))
    features = module.backbone(resized.tensors)
    asked = torch.stack([place.region for place in places if place.region is not None])
    regions = [asked.to(images)] * len(images)
    logits, _ = _heads(module, features, regions, resized.image_sizes)
    return logits.view(len(images), len(places), -1)


def _heads(
    module: Any, features: Any, regions: list[torch.Tensor], sizes: list[tuple[int, int]]
) -> tuple[torch.Tensor, torch.Tensor]:
    heads = module.roi_heads
    logits, shifts = heads.box_predictor(
        heads.box_head(heads.box_roi_pool(features, regions, sizes))
    )
    return logits, shifts


def _classes(module: Any) -> int:
    return int(module.bench.num_classes)


def _flat(levels: Sequence[torch.Tensor], numbers: int) -> torch.Tensor:
    """Return (n, anchors, numbers) of maps of all levels, in the order of the anchors."""
    return torch.cat(
        [one.permute(0, 2, 3, 1).reshape(len(one), -1, numbers) for one in levels], dim=1
    )


def _in_picture(boxes: torch.Tensor, resized: tuple[int, int], image: torch.Tensor) -> torch.Tensor:
    """Return boxes of the resized image in pixels of the image itself, clipped to it."""
    height, width = image.shape[1:]
    scale = torch.tensor([width / resized[1], height / resized[0]] * 2).to(boxes)
    return _clipped(boxes * scale, (height, width))


def _clipped(boxes: torch.Tensor, size: Sequence[int]) -> torch.Tensor:
    height, width = size
    edge = torch.tensor([width, height] * 2).to(boxes)
    return torch.minimum(boxes.clamp(min=0), edge)


_FAMILIES = (
    _Family(("bench", "prepare", "anchors"), _of_efficientdet, _at_cells),
    _Family(("head", "anchor_generator", "box_coder"), _of_anchors, _at_anchors),
    _Family(("rpn", "roi_heads", "transform"), _of_regions, _at_regions),
)
