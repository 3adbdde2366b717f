"""Simulated annotators: what people would say of boxes in photographs of the miniature.

NAO's candidates were shown to five annotators [nao, sec. 3.4]. Here each of them is made up of
thresholds of perception, drawn by lot, and looks at what the generator knows of a thing. They name
what they can make out, disagree where a thing is nearly covered or a box nearly fits, and sometimes
overlook that it is blurred or only a picture. Nobody looks at pixels, so agreement says nothing of
people; it is there to be computed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol, runtime_checkable

import numpy as np

from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.metrics.boxes import intersection_over_union
from robust_lib.miniworld.layout_set import Layouts, Truth
from robust_lib.miniworld.review import CONTRAST

Box = tuple[float, float, float, float]

NOTHING = 0.1  # a box with less of an overlap than this shows no thing at all
FIT = (0.6, 0.05)  # least overlap of a box that fits its thing: mean and spread over annotators
VISIBLE = (0.8, 0.05)  # least visible share of a thing that is not called occluded
BLIND = (0.0, 0.2)  # share of blurred things and of depictions that one overlooks: from, to
ALARMS = (0.0, 0.04)  # share of others that one takes for such


@runtime_checkable
class Marked(Protocol):
    """What annotators are asked of: a box, and the classes that it may be of."""

    @property
    def image(self) -> int:
        """Number of the picture."""

    @property
    def box(self) -> Box:
        """Corners, xyxy pixels."""

    @property
    def predicted(self) -> int:
        """The class that it is said to be."""

    @property
    def truth(self) -> int:
        """The class of the object that it lies on; -1: none."""


@dataclass(frozen=True)
class Eyes:
    """How one annotator sees.

    Args:
        number: which one it is; it keys what is left to chance.
        fit: least IoU of a box that has the right size and place.
        visible: least visible share of a thing that is not occluded; what the frame cuts off is
            not visible, either.
        contrast: least contrast of a thing that can be named; below it the answer is a guess.
        blind: share of blurred things and of depictions that are overlooked.
        alarms: share of others that are taken for such.
    """

    number: int
    fit: float
    visible: float
    contrast: float
    blind: float
    alarms: float


def eyes(number: int, seed: int = 0) -> Eyes:
    """Return how the annotator of a number sees, drawn by lot.

    >>> eyes(3) == eyes(3), eyes(3) == eyes(4)
    (True, False)
    """
    rng = seeds.generator(seed, number, "annotator")
    return Eyes(
        number,
        fit=float(rng.normal(*FIT)),
        visible=float(rng.normal(*VISIBLE)),
        contrast=float(rng.normal(CONTRAST, CONTRAST / 8)),
        blind=float(rng.uniform(*BLIND)),
        alarms=float(rng.uniform(*ALARMS)),
    )


def annotators(
    images: Layouts, number: int, seed: int = 0
) -> tuple[Callable[[Marked], dict[str, bool]], ...]:
    """Return simulated annotators, who answer the questions of `curation.questions`.

    Args:
        images: the photographs that boxes are in.
        number: how many annotators.
        seed: other seeds are other people.

    Raises:
        InputError: fewer than one, or an even number, of whom there may be no majority.
    """
    if number < 1 or number % 2 == 0:
        raise InputError(
            f"Expected an odd number of annotators, so that there is a majority, but got {number}. "
            "The paper asks five."
        )
    return tuple(partial(_of_picture, images, eyes(one, seed), seed) for one in range(number))


def answers(
    truth: Truth, box: Box, asked: str, of: Eyes, *, item: str, seed: int = 0
) -> dict[str, bool]:
    """Return what one annotator says of a box.

    Args:
        truth: of the picture.
        box: xyxy pixels.
        asked: the class that annotators are asked of.
        of: how the annotator sees.
        item: id of the picture; it keys what is left to chance.
        seed: likewise.

    >>> nothing = Truth("sky", ())
    >>> answers(nothing, (0.0, 0.0, 9.0, 9.0), "bird", eyes(0), item="pool/000004")["class"]
    False
    """
    overlaps = [_overlap(box, thing.box) for thing in truth.things]
    place = int(np.argmax(overlaps)) if overlaps else -1
    if place < 0 or overlaps[place] < NOTHING:
        return dict.fromkeys(("class", "box", "blurry", "occluded", "depiction"), False)
    thing = truth.things[place]

    def chance(*purpose: str) -> float:
        rng = seeds.generator(seed, item, "annotator", of.number, place, *purpose)
        return float(rng.random())

    def noticed(what: str, *, there: bool) -> bool:
        return chance(what) >= of.blind if there else chance(what) < of.alarms

    seen = thing.contrast >= of.contrast
    return {
        "class": thing.name == asked if seen else chance("class", asked) < 0.5,
        "box": overlaps[place] >= of.fit,
        "blurry": noticed("blurry", there=thing.blurred),
        "occluded": thing.visible < of.visible,
        "depiction": noticed("depiction", there=thing.depiction),
    }


def _of_picture(images: Layouts, of: Eyes, seed: int, one: Marked) -> dict[str, bool]:
    asked = images.class_names[one.truth if one.truth >= 0 else one.predicted]
    return answers(
        images.truth(one.image), one.box, asked, of, item=images.ids[one.image], seed=seed
    )


def _overlap(one: Box, other: Box) -> float:
    (shared,) = intersection_over_union(np.array([one]), np.array([other]), np.array([False]))
    return float(shared)
