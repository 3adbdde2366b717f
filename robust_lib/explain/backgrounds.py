"""Replaced backgrounds: an object is cut out of its image and put on a different background.

If a detector depends on the surroundings of an object, its confidence then falls or rises [nao,
sec. 4.4]. Objects are cut out by masks: exact ones if available, else those that a detector
predicts.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import torch
from jaxtyping import Bool, Float, UInt8

from robust_lib.datasets import ImageSet
from robust_lib.datasets.objects import Objects
from robust_lib.errors import InputError
from robust_lib.explain.interventions import Versions
from robust_lib.metrics.boxes import intersection_over_union
from robust_lib.models.detectors.contract import Detector, Image
from robust_lib.models.detectors.torch_detector import TorchDetector
from robust_lib.types import Picture

Mask = Bool[np.ndarray, "height width"]
Box = Float[np.ndarray, "4"]
Ground = UInt8[np.ndarray, "_ _ 3"]

FORMAT = 1
"""Raise it when the same object before the same ground would look other than before."""

SURE = 0.5
"""Probability from which a pixel belongs to an object, by a mask network."""


@dataclass(frozen=True, eq=False)
class Cutout:
    """The mask of an object: the pixels that are kept when it is cut out of its image.

    Attributes:
        place: index of the image in its set.
        bits: the mask, eight pixels per byte, since thousands are kept in memory.
        shape: height and width of the image.
    """

    place: int
    bits: UInt8[np.ndarray, " bytes"]
    shape: tuple[int, int]

    @classmethod
    def of(cls, place: int, mask: Mask) -> "Cutout":
        """Return the cut-out that a mask defines."""
        return cls(place, np.packbits(mask), (mask.shape[0], mask.shape[1]))

    @property
    def mask(self) -> Mask:
        """Return which pixels are kept."""
        height, width = self.shape
        return np.unpackbits(self.bits, count=height * width).astype(bool).reshape(self.shape)


def replaced(picture: Picture, mask: Mask, ground: Ground) -> Picture:
    """Return an image with its masked part kept, on a different background.

    Args:
        ground: background of any size; it is scaled to the image's size and cropped at the centre.

    >>> white, black = np.full((2, 2, 3), 255, np.uint8), np.zeros((4, 8, 3), np.uint8)
    >>> replaced(white, np.array([[True, False], [False, False]]), black)[..., 0].tolist()
    [[255, 0], [0, 0]]
    """
    return np.where(mask[..., None], picture, fitted(ground, *picture.shape[:2]))


def fitted(ground: Ground, height: int, width: int) -> Picture:
    """Return an image scaled to fill a different size and cropped at the centre."""
    high, wide = ground.shape[:2]
    if (high, wide) == (height, width):
        return ground
    scale = max(height / high, width / wide)
    size = max(width, round(wide * scale)), max(height, round(high * scale))
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    large = cv2.resize(ground, size, interpolation=way)
    top, left = (large.shape[0] - height) // 2, (large.shape[1] - width) // 2
    return np.asarray(large[top : top + height, left : left + width], np.uint8)


def on_grounds(
    base: ImageSet, cutouts: Sequence[Cutout], grounds: Mapping[str, Ground]
) -> Versions:
    """Return objects on new backgrounds: each object on all of them in turn.

    Raises:
        InputError: no background.
    """
    if not grounds:
        raise InputError("Expected at least one background, but got none.")
    names = tuple(grounds)

    def change(picture: Picture, index: int) -> Picture:
        cutout, name = cutouts[index // len(names)], names[index % len(names)]
        return replaced(picture, cutout.mask, grounds[name])

    about = {
        "format": FORMAT,
        "masks": [_digest(one.bits) for one in cutouts],
        "grounds": {name: [one.shape, _digest(one)] for name, one in grounds.items()},
    }
    return Versions(
        base,
        "backgrounds",
        [one.place for one in cutouts for _ in names],
        [name for _ in cutouts for name in names],
        change,
        about,
    )


def exact_mask(objects: Objects, box: Box, *, iou: float = 0.5) -> Mask | None:
    """Return the annotated mask of the object in a box, in or outside the label set.

    Args:
        box: box of a detection, xyxy pixels.
        iou: minimum overlap.

    Returns:
        None if the box is on no object, or if the object has no mask.
    """
    known = [(objects.boxes, objects.masks)]
    if objects.foreign is not None:
        known.append((objects.foreign.boxes, objects.foreign.masks))
    best, found = iou, None
    for boxes, masks in known:
        if masks is not None and len(boxes):
            overlaps = _overlaps(boxes, box)
            place = int(overlaps.argmax())
            if overlaps[place] >= best:
                best, found = float(overlaps[place]), masks[place]
    return found


def own_mask(detector: Detector, image: Image, box: Box) -> Mask | None:
    """Return the mask that a detector itself predicts for a box.

    Args:
        detector: a `TorchDetector` whose module predicts masks, such as Mask R-CNN.
        image: (3, h, w) in [0, 1] RGB.
        box: box of the detection, xyxy pixels.

    Returns:
        None if the detector found nothing.

    Raises:
        InputError: the detector predicts no masks.
    """
    found = {}
    if isinstance(detector, TorchDetector):
        with torch.inference_mode():
            (found,) = detector.module([image.to(detector.device)])
    if "masks" not in found:
        raise InputError(
            f"Expected a detector that draws masks, but {detector.name} draws none, and the "
            "images have none. Use a Mask R-CNN for the study of backgrounds."
        )
    boxes = found["boxes"].cpu().numpy()
    if not len(boxes):
        return None
    place = int(_overlaps(boxes, box).argmax())
    drawn: np.ndarray = found["masks"][place, 0].cpu().numpy() >= SURE
    return drawn


def _overlaps(boxes: np.ndarray, box: Box) -> np.ndarray:
    pairs = np.broadcast_to(box, boxes.shape).astype(np.float64)
    return intersection_over_union(pairs, boxes.astype(np.float64), np.zeros(len(boxes), bool))


def _digest(array: np.ndarray) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()
