"""Why detections are wrong: six kinds of error, and the cost of each.

TIDE (Bolya et al., ECCV 2020) determines, for every detection that finds no object, what is wrong:
its class, its position, both, a more confident detection of the same object, or that there is no
object at all. Objects that no detection comes near are missed. The cost of a kind is the rise of
mean average precision if an oracle corrects all errors of that kind and no others. Costs do not add
up to the total loss, because errors hide each other.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int

from robust_lib.errors import InputError
from robust_lib.metrics.box_matching import Matches
from robust_lib.metrics.box_pairs import overlapping
from robust_lib.metrics.boxes import Detections, Truth
from robust_lib.metrics.detection import map_of, matched

KINDS = ("localisation", "classification", "duplicate", "background", "both", "missed")
"""The kinds of error, in order: a detection is of the first kind that fits."""

FOREGROUND, BACKGROUND = 0.5, 0.1
"""The IoU that a correct detection needs, and the IoU up to which it is on the background."""

RIGHT = -1
_LOCALISATION, _CLASSIFICATION, _DUPLICATE, _BACKGROUND, _BOTH = range(5)


@dataclass(frozen=True, eq=False)
class Errors:
    """The kind of error of every detection, and the missed objects.

    Attributes:
        kinds: (detections,), an index into `KINDS`; -1 for a correct detection.
        objects: (detections,), index of the object that a detection with a wrong position or class
            would have found; -1 for other errors.
        missed: (objects,), which objects no detection finds, even if errors were corrected.
    """

    matches: Matches
    kinds: Int[np.ndarray, " detections"]
    objects: Int[np.ndarray, " detections"]
    missed: Bool[np.ndarray, " objects"]

    @property
    def counts(self) -> Mapping[str, int]:
        """Return the number of errors of each kind."""
        number = np.bincount(self.kinds[self.kinds != RIGHT], minlength=len(KINDS))
        number[KINDS.index("missed")] = self.missed.sum()
        return {kind: int(count) for kind, count in zip(KINDS, number, strict=True)}


def errors_of(
    truth: Truth,
    detections: Detections,
    *,
    foreground: float = FOREGROUND,
    background: float = BACKGROUND,
) -> Errors:
    """Return the kind of each of a detector's errors.

    As in TIDE's own code, detections on crowds are included: such a detection does not count as an
    error, but it can find an object once it is corrected.

    Args:
        foreground: minimum IoU of a correct detection.
        background: IoU up to which it counts as background.

    Raises:
        InputError: thresholds that are not 0 < background < foreground <= 1.

    >>> box = np.array([[10.0, 10.0, 50.0, 40.0]])
    >>> cat = Truth(np.array([0]), np.array([2]), box)
    >>> dog = Detections(np.array([0]), np.array([7]), box, np.array([0.9]))
    >>> {kind: number for kind, number in errors_of(cat, dog).counts.items() if number}
    {'classification': 1}
    """
    if not 0 < background < foreground <= 1:
        raise InputError(
            "Expected an IoU of the background above 0 and below that of the foreground, which is "
            f"1 at most, but got {background} and {foreground}."
        )
    matches = matched(truth, detections, foreground)
    which, near, overlap = overlapping(
        matches.images,
        detections.boxes[matches.places],
        matches.object_images,
        truth.boxes[matches.objects],
        np.zeros(len(matches.objects), bool),
        background,  # less is as good as nothing
    )
    same = matches.classes[which] == matches.object_classes[near]
    taken = np.zeros(len(matches.objects), bool)
    taken[matches.partners[0][matches.found[0]]] = True

    number = len(matches.images)
    asked = (same, ~same, same & taken[near])
    (own, own_object), (other, other_object), (used, _) = (
        _best(overlap[some], which[some], near[some], number) for some in asked
    )
    fits = [
        (background <= own) & (own <= foreground),
        other >= foreground,
        used >= foreground,
        np.maximum(own, other) <= background,
    ]
    kinds = np.select([matches.found[0], *fits], [RIGHT, *range(len(fits))], _BOTH)
    objects = np.select(
        [kinds == _LOCALISATION, kinds == _CLASSIFICATION], [own_object, other_object], -1
    )
    reached = np.append(taken, True)
    reached[objects] = True
    return Errors(matches, kinds, objects, ~reached[:-1])


def mended(errors: Errors, kind: str) -> Matches:
    """Return the matches with all errors of one kind corrected, and no others.

    If several detections would find the same object, whatever their kind, the most confident one
    does and the others do not count; none counts if the object is already found. For the kind
    "missed", missed objects need not be found.

    >>> box = np.array([[10.0, 10.0, 50.0, 40.0]])
    >>> cat = Truth(np.array([0]), np.array([2]), box)
    >>> dog = Detections(np.array([0]), np.array([7]), box, np.array([0.9]))
    >>> better = mended(errors_of(cat, dog), "classification")
    >>> better.found.tolist(), better.classes.tolist()
    ([[True]], [2])
    """
    matches = errors.matches
    if kind == "missed":
        kept = np.flatnonzero(~errors.missed)
        number = np.append(np.where(errors.missed, -1, np.cumsum(~errors.missed) - 1), -1)
        return replace(
            matches,
            object_images=matches.object_images[kept],
            object_classes=matches.object_classes[kept],
            objects=matches.objects[kept],
            partners=number[matches.partners],
        )
    wrong = errors.kinds == KINDS.index(kind)
    found, classes, partners = matches.found.copy(), matches.classes.copy(), matches.partners.copy()
    surest = _surest(errors)
    now = surest[wrong[surest]]
    found[:, now] = True
    partners[:, now] = errors.objects[now]
    classes[now] = matches.object_classes[errors.objects[now]]
    return replace(
        matches, found=found, classes=classes, partners=partners,
        ignored=(matches.ignored | wrong) & ~found,
    )  # fmt: skip


def costs(errors: Errors) -> Mapping[str, float]:
    """Return the rise in mAP if all errors of a kind were corrected, for each kind, a fraction.

    It is averaged at 101 recalls, as COCO does. A class whose objects are all missed has no average
    precision once these need not be found. This or rounding can make the rise negative; it is then
    set to 0, as in TIDE.

    >>> box = np.array([[10.0, 10.0, 50.0, 40.0]])
    >>> cat = Truth(np.array([0]), np.array([2]), box)
    >>> dog = Detections(np.array([0]), np.array([7]), box, np.array([0.9]))
    >>> costs(errors_of(cat, dog))["classification"]
    1.0
    """
    before = map_of(errors.matches)
    after = {kind: mended(errors, kind) for kind in KINDS}
    return {
        kind: max(map_of(one) - before, 0.0) if len(one.objects) else 0.0
        for kind, one in after.items()
    }


def _best(
    overlap: Float[np.ndarray, " pairs"],
    which: Int[np.ndarray, " pairs"],
    objects: Int[np.ndarray, " pairs"],
    number: int,
) -> tuple[Float[np.ndarray, " detections"], Int[np.ndarray, " detections"]]:
    """Return each detection's largest overlap and its object, the first of equal ones; or 0, -1."""
    best, partner = np.zeros(number), np.full(number, -1)
    starts = np.flatnonzero(np.diff(which, prepend=-1))
    if len(starts):
        best[which[starts]] = np.maximum.reduceat(overlap, starts)
    largest = np.flatnonzero(overlap == best[which])
    first = largest[np.diff(which[largest], prepend=-1) > 0]
    partner[which[first]] = objects[first]
    return best, partner


def _surest(errors: Errors) -> Int[np.ndarray, " _"]:
    """Return the detections that find an object missed by all others: the best for each."""
    taken = errors.matches.partners[0][errors.matches.found[0]]
    hopeful = np.flatnonzero((errors.objects >= 0) & ~np.isin(errors.objects, taken))
    order = hopeful[np.lexsort((-errors.matches.scores[hopeful], errors.objects[hopeful]))]
    return order[np.diff(errors.objects[order], prepend=-1) > 0]
