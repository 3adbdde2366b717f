"""Objects: boxes in an image, of the label set's classes and of none of them.

COCO calls its 80 categories; a picture also shows things of no category, which are out of
distribution for a detector that learned these [nao, sec. 3.5].
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float32, Int64

from robust_lib.errors import InputError
from robust_lib.metrics.boxes import Truth
from robust_lib.types import UNKNOWN

Corners = Float32[np.ndarray, "_ 4"]
Masks = Bool[np.ndarray, "_ _ _"]


@dataclass(frozen=True, eq=False)
class Foreign:
    """The objects of one image that are of no class of the label set.

    Attributes:
        boxes: xyxy pixels.
        masks: the visible pixels of each; None without masks.

    Raises:
        InputError: not one name a box.
    """

    boxes: Corners
    names: tuple[str, ...]
    masks: Masks | None = None

    def __post_init__(self) -> None:
        if len(self.names) != len(self.boxes):
            raise InputError(
                f"Expected a name for each of {len(self.boxes)} foreign objects, but got "
                f"{len(self.names)}."
            )

    def __len__(self) -> int:
        return len(self.boxes)


@dataclass(frozen=True, eq=False)
class Objects:
    """The objects of one image.

    Attributes:
        boxes: xyxy pixels, of the objects of the label set.
        classes: class of each of these, from 0.
        crowd: which boxes hold many objects, as COCO marks them; None: none does.
        masks: the visible pixels of each object; None without masks.
        foreign: out-of-distribution objects; None if the image was not searched for them.

    Raises:
        InputError: not one class, one flag or one mask a box.

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

    def __post_init__(self) -> None:
        parts = {"classes": self.classes, "crowd": self.crowd, "masks": self.masks}
        for name, part in parts.items():
            if part is not None and len(part) != len(self.boxes):
                raise InputError(
                    f"Expected {name} of each of {len(self.boxes)} objects, but got {len(part)}."
                )

    def __len__(self) -> int:
        return len(self.boxes)

    @property
    def label(self) -> int:
        """Return the class of the largest object, the first of equals; -1 if there is none."""
        if not len(self):
            return UNKNOWN
        sides = self.boxes[:, 2:] - self.boxes[:, :2]
        return int(self.classes[np.argmax(sides[:, 0] * sides[:, 1])])

    @property
    def crowds(self) -> Bool[np.ndarray, " _"]:
        """Return which boxes hold many objects: one flag per box."""
        return np.zeros(len(self), bool) if self.crowd is None else self.crowd


def truth_of(objects: Sequence[Objects]) -> Truth:
    """Return the objects of the label set in all images, numbered by their places.

    >>> box = np.array([[10.0, 10.0, 50.0, 40.0]], np.float32)
    >>> truth_of([Objects(64, 48, box, np.array([2]))] * 2).images.tolist()
    [0, 1]
    """
    return Truth(
        _places([len(one) for one in objects]),
        np.concatenate([np.zeros(0, np.int64), *(one.classes for one in objects)]),
        np.concatenate([np.zeros((0, 4), np.float32), *(one.boxes for one in objects)]),
        crowd=np.concatenate([np.zeros(0, bool), *(one.crowds for one in objects)]),
    )


def foreign_of(objects: Sequence[Objects]) -> Truth | None:
    """Return the OOD objects in all images, all of class 0; None if not all were searched.

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
    return Truth(places, np.zeros(len(places), np.int64), boxes)


def _places(counts: Sequence[int]) -> Int64[np.ndarray, " _"]:
    return np.repeat(np.arange(len(counts)), np.array(counts, np.int64))
