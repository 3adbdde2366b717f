"""A detector's scores for the same boxes after their images were changed."""

import numpy as np
from jaxtyping import Float

from robust_lib.errors import InputError
from robust_lib.metrics.boxes import Detections, intersection_over_union

Scores = Float[np.ndarray, " boxes"]


def matched_scores(asked: Detections, found: Detections, iou: float = 0.5) -> Scores:
    """Return the score of the box that is nearest to each of some boxes of the unchanged images.

    It has to be in the same image and of the same class, and to overlap enough; of several the one
    with the highest overlap counts [nao, sec. 4.6]. Where there is none, the score is 0: the
    detector has lost the object, or calls it something else.

    Args:
        asked: boxes in the unchanged images, `images` numbered by the changed ones.

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
