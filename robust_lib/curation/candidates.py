"""Candidates: a detector's confident mistakes, in images that people then review [nao, sec. 3.3].

A confident detection is a hard false positive if it overlaps no object, and an egregious
misclassification if it overlaps only objects of other classes. Missed objects are not considered,
as in the paper.

The choice of objects is a convention. By default they are those of the label set, as in Figure 2,
where confident boxes on out-of-distribution objects are false positives. With `foreign`, boxes of
objects outside the label set, of which OpenImages has many, also count as objects: then a confident
box on one is an egregious misclassification.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float, Int

from robust_lib.errors import InputError
from robust_lib.metrics.box_pairs import ranges
from robust_lib.metrics.boxes import Detections, Truth, intersection_over_union
from robust_lib.types import UNKNOWN

Kind = Literal["hard false positive", "egregious misclassification"]
Places = Int[np.ndarray, " _"]

HARD: Kind = "hard false positive"
EGREGIOUS: Kind = "egregious misclassification"

IOU = 0.5
"""A detection matches an object if their IoU is above this [nao, sec. 3.3]."""

SCORE = 0.8
"""A detection is confident if its score is above this [nao, sec. 3.3]."""


@dataclass(frozen=True)
class Candidate:
    """A confident detection that is a mistake according to the objects' boxes.

    Args:
        image: number of its image, from 0.
        box: xyxy pixels of the image.
        score: the detector's confidence, a fraction.
        truth: class of the object that it overlaps most; -1 if there is none, or if that object is
            out of distribution.
        overlap: its IoU with that object; 0 if there is none.
    """

    image: int
    detection: int
    kind: Kind
    box: tuple[float, float, float, float]
    predicted: int
    score: float
    truth: int = UNKNOWN
    overlap: float = 0.0


@dataclass(frozen=True, eq=False)
class _Judged:
    """The confident detections, and the best object under each."""

    sure: Places
    right: Bool[np.ndarray, " sure"]
    overlap: Float[np.ndarray, " sure"]
    object: Places
    classes: Places


def hard_false_positives(
    truth: Truth,
    detections: Detections,
    *,
    iou: float = IOU,
    score: float = SCORE,
    foreign: Truth | None = None,
) -> Places:
    """Return the indices of confident detections that match no object.

    Args:
        truth: objects of the label set; a crowd covers everything on it, as in COCO.
        iou: a detection must overlap an object by more than this.
        score: the score of a confident detection must be above this, a fraction.
        foreign: objects outside the label set that count as objects, whatever their classes.

    Raises:
        InputError: an invalid threshold; valid are 0 <= iou < 1 and 0 <= score < 1.

    >>> box = np.array([[10.0, 10.0, 50.0, 40.0]])
    >>> shark = Detections(np.array([0]), np.array([4]), box, np.array([0.9]))
    >>> nothing = Truth(np.zeros(0, int), np.zeros(0, int), np.zeros((0, 4)))
    >>> hard_false_positives(nothing, shark).tolist()
    [0]
    """
    found = _judged(truth, detections, iou, score, foreign)
    places: Places = found.sure[found.object < 0]
    return places


def egregious(
    truth: Truth,
    detections: Detections,
    *,
    iou: float = IOU,
    score: float = SCORE,
    foreign: Truth | None = None,
) -> Places:
    """Return the indices of confident detections that are only on objects of other classes.

    Arguments and errors are those of `hard_false_positives`.

    >>> box = np.array([[10.0, 10.0, 50.0, 40.0]])
    >>> tiger = Truth(np.array([0]), np.array([7]), box)
    >>> zebra = Detections(np.array([0]), np.array([3]), box, np.array([0.9]))
    >>> egregious(tiger, zebra).tolist(), hard_false_positives(tiger, zebra).tolist()
    ([0], [])
    """
    found = _judged(truth, detections, iou, score, foreign)
    places: Places = found.sure[(found.object >= 0) & ~found.right]
    return places


def candidates(
    truth: Truth,
    detections: Detections,
    *,
    iou: float = IOU,
    score: float = SCORE,
    foreign: Truth | None = None,
) -> Mapping[int, tuple[Candidate, ...]]:
    """Return, by image number, the candidates of each image with any, most confident first.

    Arguments and errors are those of `hard_false_positives`.

    >>> box = np.array([[10.0, 10.0, 50.0, 40.0]])
    >>> tiger = Truth(np.array([6]), np.array([7]), box)
    >>> zebra = Detections(np.array([6]), np.array([3]), box, np.array([0.9]))
    >>> (found,) = candidates(tiger, zebra)[6]
    >>> found.kind, found.truth, found.overlap
    ('egregious misclassification', 7, 1.0)
    """
    judged = _judged(truth, detections, iou, score, foreign)
    found: dict[int, list[Candidate]] = {}
    for at in np.flatnonzero(~judged.right):
        place = int(judged.sure[at])
        on = int(judged.object[at])
        one = Candidate(
            image=int(detections.images[place]),
            detection=place,
            kind=HARD if on < 0 else EGREGIOUS,
            box=_corners(detections.boxes[place]),
            predicted=int(detections.classes[place]),
            score=float(detections.scores[place]),
            truth=UNKNOWN if on < 0 else int(judged.classes[on]),
            overlap=float(judged.overlap[at]),
        )
        found.setdefault(one.image, []).append(one)
    ranked = {image: tuple(sorted(of, key=_surest)) for image, of in sorted(found.items())}
    return MappingProxyType(ranked)


def _judged(
    truth: Truth, detections: Detections, iou: float, score: float, foreign: Truth | None
) -> _Judged:
    if not 0 <= iou < 1 or not 0 <= score < 1:
        raise InputError(
            f"Expected an IoU and a score of at least 0 and below 1, but got {iou} and {score}. "
            "The paper uses 0.5 and 0.8."
        )
    images, classes, boxes, crowds = _together(truth, foreign)
    order = np.argsort(images, kind="stable")
    sure = np.flatnonzero(detections.scores > score)
    start = np.searchsorted(images[order], detections.images[sure], side="left")
    count = np.searchsorted(images[order], detections.images[sure], side="right") - start
    which, objects = np.repeat(np.arange(len(sure)), count), order[ranges(start, count)]
    overlap = intersection_over_union(
        detections.boxes[sure[which]], boxes[objects], crowds[objects]
    )
    enough = overlap > iou
    which, objects, overlap = which[enough], objects[enough], overlap[enough]
    own = classes[objects] == detections.classes[sure[which]]
    right = np.zeros(len(sure), bool)
    right[which[own]] = True
    # The last one written stays: the best covered, the first of equals.
    rising = np.lexsort((-objects, overlap))
    best, shared = np.full(len(sure), -1), np.zeros(len(sure))
    best[which[rising]], shared[which[rising]] = objects[rising], overlap[rising]
    return _Judged(sure, right, shared, best, classes)


def _together(
    truth: Truth, foreign: Truth | None
) -> tuple[Places, Places, Float[np.ndarray, "_ 4"], Bool[np.ndarray, " _"]]:
    """Return images, classes, boxes and crowds of all objects; OOD ones have class -1."""
    if foreign is None:
        return truth.images, truth.classes, truth.boxes, truth.crowds
    return (
        np.concatenate([truth.images, foreign.images]),
        np.concatenate([truth.classes, np.full(len(foreign.classes), UNKNOWN)]),
        np.concatenate([truth.boxes, foreign.boxes]),
        np.concatenate([truth.crowds, foreign.crowds]),
    )


def _corners(box: Float[np.ndarray, " 4"]) -> tuple[float, float, float, float]:
    left, top, right, bottom = map(float, box)
    return left, top, right, bottom


def _surest(one: Candidate) -> tuple[float, int]:
    return -one.score, one.detection
