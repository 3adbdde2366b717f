"""Boxes of objects and of detections, in flat arrays; a box is (x1, y1, x2, y2) in pixels."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int, Int64

from robust_lib.errors import InputError
from robust_lib.types import UNKNOWN

Numbers = Int[np.ndarray, " boxes"]
Flags = Bool[np.ndarray, " boxes"]
Corners = Float[np.ndarray, "boxes 4"]
Overlaps = Float[np.ndarray, " boxes"]
OfImage = tuple[Float[np.ndarray, "_ 4"], Int[np.ndarray, " _"], Float[np.ndarray, " _"]]


@dataclass(frozen=True, eq=False)
class Truth:
    """The objects of a data set, one after another.

    Attributes:
        images: (boxes,), the image number of each box, from 0.
        classes: (boxes,), the class of each box, from 0.
        boxes: (boxes, 4), xyxy in pixels, with x1 <= x2 and y1 <= y2.
        crowd: (boxes,), which boxes contain many objects, as marked in COCO; detections on them are
            ignored. None if there are no crowds.
        ignored: (boxes,), which objects need not be found: one detection on each is ignored,
            further ones count as wrong. None if all need to be found.
        areas: (boxes,), the area of each object's outline in pixels, used as its size. None if the
            areas of the boxes are used.

    Raises:
        InputError: arrays of different lengths, negative numbers, or malformed boxes.

    >>> cat = Truth(np.array([0]), np.array([2]), np.array([[10.0, 10.0, 50.0, 40.0]]))
    >>> cat.counted.tolist()
    [True]
    """

    images: Numbers
    classes: Numbers
    boxes: Corners
    crowd: Flags | None = None
    ignored: Flags | None = None
    areas: Overlaps | None = None

    def __post_init__(self) -> None:
        others = {"crowd": self.crowd, "ignored": self.ignored, "areas": self.areas}
        _check(self.images, self.classes, self.boxes, others)

    @property
    def crowds(self) -> Flags:
        """Return which boxes contain many objects, one flag per box."""
        return np.zeros(len(self.images), bool) if self.crowd is None else self.crowd

    @property
    def counted(self) -> Flags:
        """Return which objects need to be found: neither crowds nor ignored."""
        return ~self.crowds if self.ignored is None else ~(self.crowds | self.ignored)

    @property
    def sizes(self) -> Overlaps:
        """Return the size of each object: the area of its outline or, without one, of its box."""
        return areas(self.boxes) if self.areas is None else self.areas

    def without_classes(self) -> "Truth":
        """Return the same objects, all of class 0, so that only positions matter."""
        return replace(self, classes=np.zeros_like(self.classes))


@dataclass(frozen=True, eq=False)
class Detections:
    """A detector's boxes in the images of a data set, one after another.

    Attributes:
        images: (boxes,), the image number of each box, from 0.
        classes: (boxes,), the predicted class, from 0.
        boxes: (boxes, 4), xyxy in pixels, with x1 <= x2 and y1 <= y2.
        scores: (boxes,), higher for more confident ones.

    Raises:
        InputError: arrays of different lengths, negative numbers, malformed boxes, or scores that
            are not finite.

    >>> box = np.array([[10.0, 10.0, 50.0, 40.0]])
    >>> Detections(np.array([0]), np.array([2]), box, np.array([0.9])).without_classes().classes
    array([0])
    """

    images: Numbers
    classes: Numbers
    boxes: Corners
    scores: Overlaps

    def __post_init__(self) -> None:
        _check(self.images, self.classes, self.boxes, {"scores": self.scores})
        if not np.isfinite(self.scores).all():
            raise InputError(
                "Expected a finite score for every detection, but got NaN or infinity for "
                f"{int((~np.isfinite(self.scores)).sum())} of {len(self.scores)}. Check the "
                "detector that produced them."
            )

    def without_classes(self) -> "Detections":
        """Return the same boxes, all of class 0, so that only positions matter."""
        return Detections(self.images, np.zeros_like(self.classes), self.boxes, self.scores)


def areas(boxes: Corners) -> Overlaps:
    """Return the area of each box in pixels.

    >>> areas(np.array([[10.0, 10.0, 50.0, 40.0]])).tolist()
    [1200.0]
    """
    left, top, right, bottom = boxes.astype(np.float64, copy=False).T
    found: Overlaps = (right - left) * (bottom - top)
    return found


def intersection_over_union(found: Corners, true: Corners, crowd: Flags) -> Overlaps:
    """Return the intersection over union (IoU) of each pair of boxes.

    For a crowd it is the share of the detection's own area that is inside the crowd, as in COCO.

    Args:
        found: (boxes, 4), detections, xyxy in pixels.
        true: (boxes, 4), objects, xyxy in pixels.

    >>> left, right = np.array([[0.0, 0.0, 2.0, 2.0]]), np.array([[1.0, 0.0, 3.0, 2.0]])
    >>> intersection_over_union(left, right, np.array([False])).round(3).tolist()
    [0.333]
    """
    found, true = (of.astype(np.float64, copy=False) for of in (found, true))
    width = np.minimum(found[:, 2], true[:, 2]) - np.maximum(found[:, 0], true[:, 0])
    height = np.minimum(found[:, 3], true[:, 3]) - np.maximum(found[:, 1], true[:, 1])
    shared = np.where((width > 0) & (height > 0), width * height, 0.0)
    own, other = areas(found), areas(true)
    together = np.where(crowd, own, own + other - shared)
    # Boxes without area share nothing with any other; they are no reason to divide by zero.
    return shared / np.where(shared > 0, together, 1.0)


ONE_THING = 0.5
"""Boxes with a larger overlap are of one object, as in the detectors' own suppression by class."""


def one_box_a_thing(detections: Detections, iou: float = ONE_THING) -> Detections:
    """Return the boxes that remain if only the most confident of overlapping boxes is kept.

    Detectors suppress boxes class by class, so an object that is detected as two classes keeps two
    boxes; here classes do not matter. Two objects that overlap as much also share one box. If
    scores are equal, the first box is kept.

    Args:
        iou: maximum IoU of two boxes that are kept.

    >>> box = np.array([[10.0, 10.0, 50.0, 40.0]])
    >>> hedged = Detections(np.array([0, 0]), np.array([3, 7]), np.repeat(box, 2, 0),
    ...     np.array([0.85, 0.9]))
    >>> one_box_a_thing(hedged).classes.tolist()
    [7]
    """
    images, boxes = detections.images, detections.boxes
    left = np.lexsort((-detections.scores, images))
    kept = []
    while len(left):  # in all images at once: the surest box stays, and what lies on it goes
        _, first, of = np.unique(images[left], return_index=True, return_inverse=True)
        surest = left[first]
        kept.append(surest)
        shared = intersection_over_union(boxes[surest][of], boxes[left], np.zeros(len(left), bool))
        stays = shared <= iou
        stays[first] = False
        left = left[stays]
    chosen = np.sort(np.concatenate(kept)) if kept else left
    return Detections(
        images[chosen], detections.classes[chosen], boxes[chosen], detections.scores[chosen]
    )


def _check(
    images: Numbers,
    classes: Numbers,
    boxes: Corners,
    others: Mapping[str, Flags | Overlaps | None],
) -> None:
    count = len(images)
    shapes = {"images": images.shape, "classes": classes.shape, "boxes": boxes.shape}
    shapes |= {name: array.shape for name, array in others.items() if array is not None}
    if any(
        shape != ((count, 4) if name == "boxes" else (count,)) for name, shape in shapes.items()
    ):
        listed = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise InputError(f"Expected one entry per box and boxes of shape (n, 4), but got {listed}.")
    for name, numbers in (("images", images), ("classes", classes)):
        if numbers.dtype.kind not in "iu" or (numbers < 0).any():
            least = numbers.min() if count else "none"
            raise InputError(
                f"Expected whole numbers from 0 as {name}, but got {numbers.dtype} from {least}. "
                "Number images and classes from 0, and omit boxes of unknown class."
            )
    wrong = ~np.isfinite(boxes).all(1) | (boxes[:, 2:] < boxes[:, :2]).any(1)
    if wrong.any():
        first = int(np.flatnonzero(wrong)[0])
        raise InputError(
            "Expected boxes (x1, y1, x2, y2) in pixels with x1 <= x2 and y1 <= y2, but got "
            f"{boxes[first].tolist()} as box {first}; {int(wrong.sum())} of {count} are wrong. "
            "COCO's (x, y, width, height) must be converted: add width and height to x and y."
        )


def most_confident(detections: Detections, images: int) -> Int64[np.ndarray, " images"]:
    """Return the class of the most confident box of each image; -1 for images without a box.

    An image without a box has no prediction: -1 is not a class, so it never counts as correct. If
    scores are equal, the first box counts.

    Raises:
        InputError: a box whose image number is not below `images`.

    >>> scores = np.array([0.3, 0.9, 0.1])
    >>> found = Detections(np.array([0, 0, 2]), np.array([4, 5, 6]), np.zeros((3, 4)), scores)
    >>> most_confident(found, 3).tolist()
    [5, -1, 6]
    """
    if len(detections.images) and detections.images.max() >= images:
        raise InputError(
            f"Expected boxes in images 0 to {images - 1}, but got one in image "
            f"{detections.images.max()}. Use the same numbers for images everywhere."
        )
    said = np.full(images, UNKNOWN, np.int64)
    # Written from the least sure to the surest, and of equals from the last: the last one stays.
    last_first = np.arange(len(detections.scores))[::-1]
    order = last_first[np.argsort(detections.scores[last_first], kind="stable")]
    said[detections.images[order]] = detections.classes[order]
    return said
