"""The assignment of detections to objects: COCO's rule, for all images, classes and thresholds.

Within an image and a class, the most confident detection chooses first: among the objects that are
not taken yet and that it overlaps enough, it takes the one with the highest overlap. Only if none
of these counts may it take an ignored object or lie on a crowd.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float, Int

from robust_lib.errors import InputError
from robust_lib.metrics.box_pairs import Places, ordinals, overlapping, ranking
from robust_lib.metrics.boxes import Detections, Truth, areas, intersection_over_union

MOST_DETECTIONS = 100
"""The number of detections per image and class that COCO evaluates, the most confident ones."""

Size = Literal["small", "medium", "large"]

SIZES: Mapping[Size, tuple[float, float]] = MappingProxyType(
    {"small": (0.0, 32.0**2), "medium": (32.0**2, 96.0**2), "large": (96.0**2, 1e10)}
)
"""COCO's sizes of objects: the smallest and the largest area of each, in pixels, both included."""

ALMOST_ONE = 1 - 1e-10
"""COCO's highest IoU threshold: the IoU of identical boxes may miss 1 by a rounding error."""

Scores = Float[np.ndarray, " boxes"]


@dataclass(frozen=True, eq=False)
class Matches:
    """Detections after matching, ordered by image, class and descending score.

    Equal scores keep the order of the input. Detections beyond the maximum number are removed.

    Attributes:
        thresholds: the minimum IoU of a detection.
        images: the image number of each detection.
        classes: the predicted class of each detection.
        scores: higher for more confident ones.
        found: which detections are matched to a counted object.
        ignored: which detections are ignored.
        object_images: image numbers of the counted objects, in order.
        places: each detection's index in the input.
        objects: each object's index in the ground truth.
        partners: the index of the object that each detection found, or -1 for none.
    """

    thresholds: Float[np.ndarray, " thresholds"]
    images: Int[np.ndarray, " detections"]
    classes: Int[np.ndarray, " detections"]
    scores: Float[np.ndarray, " detections"]
    found: Bool[np.ndarray, "thresholds detections"]
    ignored: Bool[np.ndarray, "thresholds detections"]
    object_images: Int[np.ndarray, " objects"]
    object_classes: Int[np.ndarray, " objects"]
    places: Int[np.ndarray, " detections"]
    objects: Int[np.ndarray, " objects"]
    partners: Int[np.ndarray, "thresholds detections"]


def match(
    truth: Truth,
    detections: Detections,
    thresholds: Sequence[float] = (0.5,),
    *,
    most: int = MOST_DETECTIONS,
    size: Size | None = None,
) -> Matches:
    """Return which detections find an object, by COCO's own matching rule.

    Args:
        thresholds: minimum IoU of a detection, one or several values in (0, 1].
        most: maximum number of detections per image and class; the most confident are used.
        size: count only objects of this size; others need not be found, and an unmatched detection
            of another size is ignored. None counts all sizes.

    Raises:
        InputError: no threshold, one outside (0, 1], or a maximum below one detection.

    >>> box = np.array([[10.0, 10.0, 50.0, 40.0]])
    >>> cat = Truth(np.array([0]), np.array([2]), box)
    >>> twice = Detections(np.array([0, 0]), np.array([2, 2]), np.repeat(box, 2, 0),
    ...     np.array([0.4, 0.9]))
    >>> match(cat, twice).found.tolist()
    [[True, False]]
    """
    if size is not None:
        truth = replace(truth, ignored=~truth.counted | _of_other_size(truth.sizes, size))
    levels = np.array(thresholds, np.float64)
    if levels.ndim != 1 or not len(levels) or not ((levels > 0) & (levels <= 1)).all():
        raise InputError(
            f"Expected IoU thresholds above 0 and up to 1, such as 0.5, but got {thresholds}."
        )
    if most < 1:
        raise InputError(f"Expected a limit of at least one detection, but got {most}.")
    classes = 1 + max((int(of.classes.max()) for of in (truth, detections) if len(of.classes)),
                      default=0)  # fmt: skip
    keys = detections.images.astype(np.int64) * classes + detections.classes
    order = ranking(detections.scores, keys)
    order = order[ordinals(keys[order]) < most]
    true_keys = truth.images.astype(np.int64) * classes + truth.classes
    true_order = np.argsort(true_keys, kind="stable")
    counted, crowd = truth.counted[true_order], truth.crowds[true_order]

    least = np.minimum(levels, ALMOST_ONE)
    wishes = _wishes(
        keys[order],
        counted,
        *overlapping(
            keys[order], detections.boxes[order], true_keys[true_order], truth.boxes[true_order],
            crowd, float(least.min()),
        ),
    )  # fmt: skip
    found, ignored = np.zeros((2, len(levels), len(order)), bool)
    partners = np.full(found.shape, -1, np.int32)
    numbers = np.where(counted, np.cumsum(counted) - 1, -1)
    for row, enough in enumerate(least):
        chooser, chosen = _choose(wishes, float(enough), crowd)
        found[row, chooser], ignored[row, chooser] = counted[chosen], ~counted[chosen]
        partners[row, chooser] = numbers[chosen]
    if size is not None:
        other = _of_other_size(areas(detections.boxes[order]), size)
        ignored |= ~found & other
    return Matches(
        levels,
        detections.images[order].astype(np.int64),
        detections.classes[order].astype(np.int64),
        detections.scores[order].astype(np.float64),
        found,
        ignored,
        truth.images[true_order][counted].astype(np.int64),
        truth.classes[true_order][counted].astype(np.int64),
        order,
        true_order[counted],
        partners,
    )


def _of_other_size(area: Scores, size: Size) -> Bool[np.ndarray, " boxes"]:
    low, high = SIZES[size]
    return (area < low) | (area > high)


@dataclass(frozen=True, eq=False)
class _Wishes:
    """The objects that each detection may take, in the order in which it would.

    Turn by turn: the first detections of all images and classes choose together, then the second
    ones, and so on, since those of different images or classes cannot want the same object.
    """

    turns: Int[np.ndarray, " pairs"]
    which: Int[np.ndarray, " pairs"]
    objects: Int[np.ndarray, " pairs"]
    overlap: Float[np.ndarray, " pairs"]


def _wishes(
    keys: Int[np.ndarray, " detections"],
    counted: Bool[np.ndarray, " objects"],
    which: Int[np.ndarray, " pairs"],
    objects: Int[np.ndarray, " pairs"],
    overlap: Float[np.ndarray, " pairs"],
) -> _Wishes:
    # Within a detection: objects that count first, then the best covered, the later of equal ones.
    alone = np.diff(which, prepend=-1, append=len(keys)) > 0
    several = np.flatnonzero(~(alone[:-1] & alone[1:]))
    best = np.lexsort(
        (-objects[several], -overlap[several], ~counted[objects[several]], which[several])
    )
    order = np.arange(len(which))
    order[several] = several[best]
    starts = np.flatnonzero(alone[:-1])
    turns = np.repeat(ordinals(keys[which[starts]]), np.diff(starts, append=len(which)))
    order = order[np.argsort(turns, kind="stable")]
    return _Wishes(np.sort(turns), which[order], objects[order], overlap[order])


def _choose(
    wishes: _Wishes, least: float, crowd: Bool[np.ndarray, " objects"]
) -> tuple[Places, Places]:
    """Return the detections that take an object, and these objects."""
    enough = np.flatnonzero(wishes.overlap >= least)
    which, objects, turns = wishes.which[enough], wishes.objects[enough], wishes.turns[enough]
    ends = np.cumsum(np.bincount(turns))
    taken = np.zeros(len(crowd), bool)
    takes = np.zeros(len(which), bool)
    for start, end in pairwise((0, *ends)):
        free = start + np.flatnonzero(~taken[objects[start:end]] | crowd[objects[start:end]])
        first = free[np.diff(which[free], prepend=-1) > 0]
        takes[first], taken[objects[first]] = True, True
    return which[takes], objects[takes]


def matched_scores(asked: Detections, found: Detections, iou: float = 0.5) -> Scores:
    """Return, for each box of the unchanged image, the score of the closest box after a change.

    That box must be in the same image, have the same class, and overlap enough; if there are
    several, the one with the highest overlap counts [nao, sec. 4.6]. If there is none, the score is
    0: the detector no longer finds the object, or assigns it a different class.

    Args:
        asked: boxes in the unchanged images, with `images` numbered like the changed ones.

    Raises:
        InputError: an overlap outside (0, 1].

    >>> box = np.array([[0.0, 0.0, 10.0, 10.0]])
    >>> cat = Detections(np.array([0]), np.array([2]), box, np.array([0.9]))
    >>> moved = Detections(np.array([0]), np.array([2]), box + 1, np.array([0.6]))
    >>> matched_scores(cat, moved).tolist(), matched_scores(cat, moved, iou=0.9).tolist()
    ([0.6], [0.0])
    """
    if not 0 < iou <= 1:
        raise InputError(f"Expected an overlap above 0 and up to 1, such as 0.5, but got {iou:g}.")
    again = np.zeros(len(asked.images), np.float64)
    if not len(found.images):
        return again
    classes = 1 + int(max(found.classes.max(), asked.classes.max(initial=0)))
    keys = found.images.astype(np.int64) * classes + found.classes
    order = np.argsort(keys, kind="stable")
    wanted = asked.images.astype(np.int64) * classes + asked.classes
    starts, ends = (np.searchsorted(keys[order], wanted, side) for side in ("left", "right"))
    for place in np.flatnonzero(ends > starts):
        near = order[starts[place] : ends[place]]
        own = np.repeat(asked.boxes[place][None], len(near), 0)
        overlaps = intersection_over_union(found.boxes[near], own, np.zeros(len(near), bool))
        best = int(overlaps.argmax())
        if overlaps[best] >= iou:
            again[place] = found.scores[near[best]]
    return again
