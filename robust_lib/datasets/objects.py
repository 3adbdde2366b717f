"""Objects: boxes in an image, of the label set's classes or out of distribution.

COCO has 80 categories. Images also show objects outside them, which are out of distribution for a
detector trained on these categories [nao, sec. 3.5].
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float32, Float64, Int64

from robust_lib.errors import InputError
from robust_lib.metrics.boxes import Truth
from robust_lib.types import UNKNOWN

Corners = Float32[np.ndarray, "_ 4"]
Masks = Bool[np.ndarray, "_ _ _"]


@dataclass(frozen=True, eq=False)
class Foreign:
    """The objects of one image outside the label set.

    Attributes:
        boxes: xyxy pixels.
        masks: the visible pixels of each object; None without masks.
        related: which objects are wider than a class of the label set or part of one, such as a
            vehicle or a face; None if unknown.

    Raises:
        InputError: the number of names or flags differs from the number of boxes.
    """

    boxes: Corners
    names: tuple[str, ...]
    masks: Masks | None = None
    related: Bool[np.ndarray, " _"] | None = None

    def __post_init__(self) -> None:
        for what, part in (("name", self.names), ("flag", self.related)):
            if part is not None and len(part) != len(self.boxes):
                raise InputError(
                    f"Expected a {what} for each of {len(self.boxes)} out-of-distribution objects, "
                    f"but got {len(part)}."
                )

    def __len__(self) -> int:
        return len(self.boxes)


@dataclass(frozen=True, eq=False)
class Objects:
    """The objects of one image.

    Attributes:
        boxes: boxes of the label set's objects, xyxy pixels.
        classes: class of each box, from 0.
        crowd: which boxes contain many objects, as marked in COCO; None: none of them.
        masks: the visible pixels of each object; None without masks.
        foreign: out-of-distribution objects; None if the image was not searched for them.
        areas: area of each object's outline in pixels; None if unknown.

    Raises:
        InputError: the number of classes, flags, masks or areas differs from the number of boxes.

    >>> box = np.array([[10.0, 10.0, 50.0, 40.0]], np.float32)
    >>> cat = Objects(64, 48, box, np.array([2]))
    >>> len(cat), cat.label, cat.crowds.tolist()
    (1, 2, [False])
    """

    width: int
    height: int
    boxes: Corners
    classes: Int64[np.ndarray, " _"]
    crowd: Bool[np.ndarray, " _"] | None = None
    masks: Masks | None = None
    foreign: Foreign | None = None
    areas: Float64[np.ndarray, " _"] | None = None

    def __post_init__(self) -> None:
        parts = {"classes": self.classes, "crowd": self.crowd, "masks": self.masks}
        parts |= {"areas": self.areas}
        for name, part in parts.items():
            if part is not None and len(part) != len(self.boxes):
                raise InputError(
                    f"Expected {name} of each of {len(self.boxes)} objects, but got {len(part)}."
                )

    def __len__(self) -> int:
        return len(self.boxes)

    @property
    def label(self) -> int:
        """Return the class of the largest object (the first, if several); -1 if there is none."""
        if not len(self):
            return UNKNOWN
        sides = self.boxes[:, 2:] - self.boxes[:, :2]
        return int(self.classes[np.argmax(sides[:, 0] * sides[:, 1])])

    @property
    def crowds(self) -> Bool[np.ndarray, " _"]:
        """Return which boxes contain many objects, one flag per box."""
        return np.zeros(len(self), bool) if self.crowd is None else self.crowd


def truth_of(objects: Sequence[Objects]) -> Truth:
    """Return the label set's objects in all images, which are numbered by position.

    Areas are those of outlines if all objects have one, and those of boxes otherwise.

    >>> box = np.array([[10.0, 10.0, 50.0, 40.0]], np.float32)
    >>> truth_of([Objects(64, 48, box, np.array([2]))] * 2).images.tolist()
    [0, 1]
    """
    outlined = all(one.areas is not None for one in objects if len(one))
    areas = [one.areas for one in objects if one.areas is not None]
    return Truth(
        _places([len(one) for one in objects]),
        np.concatenate([np.zeros(0, np.int64), *(one.classes for one in objects)]),
        np.concatenate([np.zeros((0, 4), np.float32), *(one.boxes for one in objects)]),
        crowd=np.concatenate([np.zeros(0, bool), *(one.crowds for one in objects)]),
        areas=np.concatenate([np.zeros(0), *areas]) if outlined else None,
    )


def foreign_of(objects: Sequence[Objects], *, unrelated: bool = False) -> Truth | None:
    """Return the OOD objects in all images, all of class 0; None if not all were searched.

    Args:
        unrelated: whether to leave out objects that are wider than a class of the label set or part
            of one; the result is None if this is unknown.

    >>> box = np.array([[10.0, 10.0, 50.0, 40.0]], np.float32)
    >>> shark = Objects(64, 48, box[:0], np.array([], np.int64), foreign=Foreign(box, ("shark",)))
    >>> foreign_of([shark]).boxes.tolist()
    [[10.0, 10.0, 50.0, 40.0]]
    """
    found = [one.foreign for one in objects if one.foreign is not None]
    if len(found) < len(objects):
        return None
    places = _places([len(one) for one in found])
    boxes = np.concatenate([np.zeros((0, 4), np.float32), *(one.boxes for one in found)])
    if unrelated:
        flags = [one.related for one in found if one.related is not None]
        if len(flags) < len(found):
            return None
        apart = ~np.concatenate([np.zeros(0, bool), *flags])
        places, boxes = places[apart], boxes[apart]
    return Truth(places, np.zeros(len(places), np.int64), boxes)


def _places(counts: Sequence[int]) -> Int64[np.ndarray, " _"]:
    return np.repeat(np.arange(len(counts)), np.array(counts, np.int64))
