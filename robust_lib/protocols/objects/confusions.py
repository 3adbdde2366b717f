"""A detector's confusions: its confident mistakes, and the objects below them [nao, sec. 4.2]."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from robust_lib.datasets.objects import Objects, truth_of
from robust_lib.metrics.box_matching import match
from robust_lib.metrics.boxes import intersection_over_union
from robust_lib.predict.found_boxes import FoundBoxes
from robust_lib.protocols.objects.scored_boxes import seen

SURE = 0.5
"""Boxes with a higher confidence are examined."""

IOU = 0.5
"""The smallest overlap of a mistake with the object that it is said to be on."""

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Mistake:
    """A confident detection that finds no object.

    Attributes:
        image: number of its image in the set.
        place: its index among the detector's boxes.
        truth: class of the object there, in or outside the label set; empty if nothing is known.
        box: the object's box, xyxy in pixels; None if nothing is known.
    """

    image: int
    place: int
    score: float
    predicted: str
    truth: str = ""
    box: Box | None = None
    is_foreign: bool = False


@dataclass(frozen=True)
class Confusion:
    """One class mistaken for another, with its mistakes, the most confident first."""

    predicted: str
    truth: str
    is_foreign: bool
    mistakes: tuple[Mistake, ...]

    @property
    def pictures(self) -> int:
        """Return the number of images in which it happens."""
        return len({one.image for one in self.mistakes})


def mistakes(
    found: FoundBoxes,
    ids: Sequence[str],
    objects: Sequence[Objects],
    classes: Sequence[str],
    *,
    sure: float = SURE,
    iou: float = IOU,
) -> tuple[Mistake, ...]:
    """Return a detector's confident mistakes, each with the object that it overlaps most.

    A second box on an object that is already found is not a confusion and is left out.

    Args:
        sure: score above which a detection is confident.
        iou: IoU that a detection needs with its object, and a mistake with the object there.

    Raises:
        InputError: boxes in different images.

    >>> images = toys.Shapes()
    >>> (found,) = toys.object_boxes({"mine": 12}, images)["mine"]
    >>> one = mistakes(found, images.ids, images.annotations, images.class_names)[0]
    >>> one.predicted, one.truth, one.is_foreign
    ('disc', 'ring', True)
    """
    shown = seen(found, ids, objects)
    said = found.detections
    matches = match(truth_of(shown), said, (iou,))
    wrong = matches.places[~matches.found[0] & ~matches.ignored[0] & (matches.scores > sure)]
    found_here = []
    for place in wrong:
        image = int(said.images[place])
        truth, box, is_foreign = _lies_there(said.boxes[place], shown[image], classes, iou)
        predicted = classes[said.classes[place]]
        if predicted != truth or is_foreign:
            score = float(said.scores[place])
            found_here.append(Mistake(image, int(place), score, predicted, truth, box, is_foreign))
    return tuple(found_here)


def confusions(mistakes: Iterable[Mistake]) -> tuple[Confusion, ...]:
    """Return the confusions; those in the most images first, then by name.

    Those without a known object come last.

    >>> images = toys.Shapes()
    >>> (found,) = toys.object_boxes({"mine": 12}, images)["mine"]
    >>> told = confusions(mistakes(found, images.ids, images.annotations, images.class_names))
    >>> [(one.predicted, one.truth, one.pictures) for one in told]
    [('box', 'wedge', 3), ('disc', 'ring', 3)]
    """
    groups: dict[tuple[str, str, bool], list[Mistake]] = {}
    for one in sorted(mistakes, key=lambda mistake: -mistake.score):
        groups.setdefault((one.predicted, one.truth, one.is_foreign), []).append(one)
    every = [Confusion(*key, tuple(group)) for key, group in groups.items()]
    ranked = sorted(every, key=lambda one: (not one.truth, -one.pictures, one.predicted, one.truth))
    return tuple(ranked)


def planted(
    confusions: Sequence[Confusion], pairs: Iterable[tuple[str, str]]
) -> tuple[int, int, int]:
    """Return how the look-alike pairs planted by a world compare with the confusions found.

    Args:
        pairs: pairs of a class and the class that looks like it, in either order.

    Returns:
        How many of the pairs were found; how many of the mistakes with a known truth are of these
        pairs; and how many mistakes with a known truth there are.

    >>> images = toys.Shapes()
    >>> (found,) = toys.object_boxes({"mine": 12}, images)["mine"]
    >>> told = confusions(mistakes(found, images.ids, images.annotations, images.class_names))
    >>> planted(told, [("disc", "ring"), ("cross", "star")])
    (1, 3, 6)
    """
    wanted = {frozenset(pair) for pair in pairs}
    known = [one for one in confusions if one.truth]
    hit = [one for one in known if frozenset((one.predicted, one.truth)) in wanted]
    return (
        len({frozenset((one.predicted, one.truth)) for one in hit}),
        sum(len(one.mistakes) for one in hit),
        sum(len(one.mistakes) for one in known),
    )


def _lies_there(
    box: np.ndarray, objects: Objects, classes: Sequence[str], iou: float
) -> tuple[str, Box | None, bool]:
    """Return the object that a box overlaps most; of equal ones, one of the label set."""
    foreign = objects.foreign
    boxes = [*objects.boxes, *([] if foreign is None else foreign.boxes)]
    names = [classes[label] for label in objects.classes]
    names += [] if foreign is None else list(foreign.names)
    if not boxes:
        return "", None, False
    every = np.array(boxes, np.float64)
    overlap = intersection_over_union(
        np.repeat(box[None].astype(np.float64), len(every), 0), every, np.zeros(len(every), bool)
    )
    best = int(np.argmax(overlap))
    if overlap[best] < iou:
        return "", None, False
    left, top, right, bottom = map(float, every[best])
    return names[best], (left, top, right, bottom), best >= len(objects.boxes)
