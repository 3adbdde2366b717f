"""Average precision of ranked detections over recall.

Precision is made to never rise with recall: at each recall, the best precision at that recall or a
higher one counts. Then it is averaged over recalls: over all of them, or at 11 or 101 points.
"""

from typing import Literal, get_args

import numpy as np
from jaxtyping import Bool, Float, Int

from robust_lib.errors import InputError, one_of

Interpolation = Literal["all-point", "11-point", "101-point"]

Groups = Int[np.ndarray, " detections"]


def average_precision(
    groups: Groups,
    scores: Float[np.ndarray, " detections"],
    found: Bool[np.ndarray, "thresholds detections"],
    ignored: Bool[np.ndarray, "thresholds detections"],
    objects: Int[np.ndarray, " groups"],
    interpolation: Interpolation = "101-point",
) -> Float[np.ndarray, "thresholds groups"]:
    """Return the average precision of each group of detections, such as a class or an image.

    Equal scores keep the order in which the detections come.

    Args:
        groups: the group of each detection, from 0.
        scores: higher for more confident ones.
        found: which detections find an object.
        ignored: which detections neither help nor harm.
        objects: how many there are to be found.
        interpolation: "101-point" as COCO, "all-point" (the area under the curve) as the PASCAL VOC
            challenge since 2010, or "11-point" as before.

    Returns:
        Fractions; NaN for a group without objects, where it is undefined.

    Raises:
        InputError: an unknown interpolation.

    >>> one, objects = np.zeros(3, int), np.array([2])
    >>> found = np.array([[True, False, True]])
    >>> scores = np.array([0.9, 0.8, 0.7])
    >>> nothing = np.zeros((1, 3), bool)
    >>> area = average_precision(one, scores, found, nothing, objects, "all-point")
    >>> area.round(3).tolist()
    [[0.833]]
    """
    points = recall_points(interpolation)
    order = np.lexsort((-scores, groups))
    groups = groups[order]
    first = np.searchsorted(groups, np.arange(len(objects)))
    result = np.zeros((len(found), len(objects)))
    for row, right, neither in zip(result, found, ignored, strict=True):
        # Recall only grows, and precision only is the best, where an object is found.
        called = np.append(0, np.cumsum(~neither[order]))
        hits = np.flatnonzero(right[order])
        owner = groups[hits]
        number = 1 + np.arange(len(hits)) - np.searchsorted(owner, owner)
        precision = number / (called[hits + 1] - called[first[owner]])
        _never_rising(precision, owner)
        gain = _gains(number, objects[owner], points)
        row += np.bincount(owner, precision * gain, minlength=len(objects))
    result[:, objects == 0] = np.nan
    return result


def recall_points(interpolation: Interpolation) -> Float[np.ndarray, " points"] | None:
    """Return the recalls at which precision is read; None: at every object found.

    Raises:
        InputError: an unknown interpolation.

    >>> recall_points("11-point")[:3].tolist()
    [0.0, 0.1, 0.2]
    """
    if interpolation not in get_args(Interpolation):
        raise InputError(one_of("interpolation", interpolation, get_args(Interpolation)))
    if interpolation == "all-point":
        return None
    return np.linspace(0, 1, 101 if interpolation == "101-point" else 11)


def recall(
    groups: Groups,
    found: Bool[np.ndarray, "thresholds detections"],
    objects: Int[np.ndarray, " groups"],
) -> Float[np.ndarray, "thresholds groups"]:
    """Return the fraction of each group's objects that is found.

    Args:
        objects: how many there are to be found; NaN comes back where there are none.

    >>> recall(np.zeros(3, int), np.array([[True, False, True]]), np.array([4])).tolist()
    [[0.5]]
    """
    counts = np.array([np.bincount(groups[row], minlength=len(objects)) for row in found])
    share: Float[np.ndarray, "thresholds groups"] = counts / np.where(objects, objects, np.nan)
    return share


def _never_rising(precision: Float[np.ndarray, " hits"], owner: Int[np.ndarray, " hits"]) -> None:
    """Raise each number to the largest that follows in its group, looking twice as far each time.

    Adding the group's number to use NumPy's running maximum would cost the last digits.
    """
    step = 1
    while step < len(owner):
        same = owner[step:] == owner[:-step]
        if not same.any():
            break
        further = np.maximum(precision[:-step], precision[step:])
        precision[:-step] = np.where(same, further, precision[:-step])
        step *= 2


def _gains(
    number: Int[np.ndarray, " hits"],
    objects: Int[np.ndarray, " hits"],
    points: Float[np.ndarray, " points"] | None,
) -> Float[np.ndarray, " hits"]:
    """Return the share of the recall axis that each object found stands for."""
    if points is None:
        return 1 / objects
    upto = np.searchsorted(points, number / objects, side="right")
    before = np.searchsorted(points, (number - 1) / objects, side="right")
    # The point at recall 0 belongs to the first object found.
    share: Float[np.ndarray, " hits"] = (upto - np.where(number == 1, 0, before)) / len(points)
    return share
