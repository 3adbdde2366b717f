"""The assignment of detections to objects: COCO's rule, for all images, classes and thresholds.

Within an image and a class, the most confident detection chooses first: among the objects that are
not taken yet and that it overlaps enough, it takes the one with the highest overlap. Only if none
of these counts may it take an ignored object or lie on a crowd.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float, Int

from robust_lib.errors import InputError
from robust_lib.metrics.boxes import Detections, Truth, areas, intersection_over_union

Places = Int[np.ndarray, " _"]

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
    order = np.lexsort((-detections.scores.astype(np.float64), keys))
    order = order[_ordinals(keys[order]) < most]
    true_keys = truth.images.astype(np.int64) * classes + truth.classes
    true_order = np.argsort(true_keys, kind="stable")
    counted, crowd = truth.counted[true_order], truth.crowds[true_order]

    which, objects = pairs(keys[order], true_keys[true_order])
    overlap = intersection_over_union(
        detections.boxes[order[which]], truth.boxes[true_order[objects]], crowd[objects]
    )
    partner = np.full((len(levels), len(order)), -1)
    for row, level in zip(partner, levels, strict=True):
        enough = np.flatnonzero(overlap >= min(level, ALMOST_ONE))
        _choose(row, keys[order], which[enough], objects[enough], overlap[enough], counted, crowd)

    taken = partner >= 0
    counts = taken & np.append(counted, False)[partner]
    ignored = taken & ~counts
    if size is not None:
        ignored |= ~taken & _of_other_size(areas(detections.boxes[order]), size)
    return Matches(
        levels,
        detections.images[order].astype(np.int64),
        detections.classes[order].astype(np.int64),
        detections.scores[order].astype(np.float64),
        counts,
        ignored,
        truth.images[true_order][counted].astype(np.int64),
        truth.classes[true_order][counted].astype(np.int64),
        order,
        true_order[counted],
        np.where(counts, np.append(np.cumsum(counted) - 1, -1)[partner], -1),
    )


def _of_other_size(area: Scores, size: Size) -> Bool[np.ndarray, " boxes"]:
    low, high = SIZES[size]
    return (area < low) | (area > high)


def _choose(
    partner: Int[np.ndarray, " detections"],
    keys: Int[np.ndarray, " detections"],
    which: Int[np.ndarray, " pairs"],
    objects: Int[np.ndarray, " pairs"],
    overlap: Float[np.ndarray, " pairs"],
    counted: Bool[np.ndarray, " objects"],
    crowd: Bool[np.ndarray, " objects"],
) -> None:
    """Write each detection's object into `partner`; pairs are ordered by detection.

    The first detections of all images and classes choose together, then the second ones, and so on:
    those of different images or classes cannot want the same object.
    """
    if not len(which):
        return
    # Within a detection: objects that count first, then the best covered, the later of equal ones.
    alone = np.diff(which, prepend=-1, append=len(partner)) > 0
    several = np.flatnonzero(~(alone[:-1] & alone[1:]))
    best = np.lexsort(
        (-objects[several], -overlap[several], ~counted[objects[several]], which[several])
    )
    objects = objects.copy()
    objects[several] = objects[several[best]]
    starts = np.flatnonzero(alone[:-1])
    turns = np.repeat(_ordinals(keys[which[starts]]), np.diff(starts, append=len(which)))
    order = np.argsort(turns, kind="stable")
    which, objects = which[order], objects[order]
    ends = np.cumsum(np.bincount(turns))
    taken = np.zeros(len(counted), bool)
    for start, end in zip(np.append(0, ends[:-1]), ends, strict=True):
        chooser, wanted = which[start:end], objects[start:end]
        free = ~taken[wanted] | crowd[wanted]
        chooser, wanted = chooser[free], wanted[free]
        first = np.diff(chooser, prepend=-1) > 0
        partner[chooser[first]] = wanted[first]
        taken[wanted[first]] = True


def pairs(keys: Places, true_keys: Places) -> tuple[Places, Places]:
    """Return all pairs of a detection and an object that have the same key, as indices.

    Args:
        keys: keys of the detections, such as their image numbers.
        true_keys: keys of the objects, sorted.

    >>> [part.tolist() for part in pairs(np.array([4, 2, 2]), np.array([2, 3, 4, 4]))]
    [[0, 0, 1, 2], [2, 3, 0, 0]]
    """
    start = np.searchsorted(true_keys, keys, side="left")
    count = np.searchsorted(true_keys, keys, side="right") - start
    return np.repeat(np.arange(len(keys)), count), ranges(start, count)


def ranges(starts: Places, counts: Places) -> Places:
    """Return the indices contained in several ranges, one range after another.

    >>> ranges(np.array([5, 0, 9]), np.array([2, 0, 3])).tolist()
    [5, 6, 9, 10, 11]
    """
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    places: Places = np.arange(total) + np.repeat(starts - ends + counts, counts)
    return places


def _ordinals(keys: Places) -> Places:
    """Return how many equal keys come before each, in a list where equal ones are neighbours."""
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    lengths = np.diff(starts, append=len(keys))
    return np.arange(len(keys)) - np.repeat(starts, lengths)


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
