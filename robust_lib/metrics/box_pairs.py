"""Detections in order of confidence, and the pairs of detections and objects that overlap.

Half a million detections are usual, and most of the time of an evaluation goes into sorting them
and into overlaps. Both are done here in the ways that are quickest for a processor.
"""

from itertools import pairwise

import numpy as np
from jaxtyping import Bool, Float, Int, UInt64

from robust_lib.metrics.boxes import intersection_over_union

Places = Int[np.ndarray, " _"]

AT_ONCE = 2**13
"""Pairs whose overlaps are computed at once: few enough to stay in a processor's cache."""


def ranking(scores: Float[np.ndarray, " boxes"], groups: Int[np.ndarray, " boxes"]) -> Places:
    """Return the indices that order boxes by group and, within it, by descending score.

    Equal scores keep their order.

    Args:
        groups: numbers from 0, such as the class of each box.

    >>> ranking(np.array([0.2, 0.7, 0.9, 0.7]), np.array([1, 0, 1, 0])).tolist()
    [1, 3, 2, 0]
    """
    order = np.arange(len(scores))
    for key in (_descending(scores), groups):
        # NumPy sorts 16 bits by counting, which is several times as fast as comparing.
        for shift in range(0, int(key.max(initial=0)).bit_length(), 16):
            digits = (key >> shift).astype(np.uint16)
            order = order[np.argsort(digits[order], kind="stable")]
    return order


def _descending(scores: Float[np.ndarray, " boxes"]) -> UInt64[np.ndarray, " boxes"]:
    """Return integers from 0 in the reverse order of the scores, and equal where they are equal."""
    bits = (0.0 - scores.astype(np.float64)).view(np.int64)  # never -0.0, which has other bits
    # The integers of negative numbers fall where the numbers rise.
    return (bits ^ ((bits >> 63) | np.iinfo(np.int64).min)).view(np.uint64)


def overlapping(
    keys: Int[np.ndarray, " detections"],
    boxes: Float[np.ndarray, "detections 4"],
    true_keys: Int[np.ndarray, " objects"],
    true_boxes: Float[np.ndarray, "objects 4"],
    crowd: Bool[np.ndarray, " objects"],
    least: float,
) -> tuple[Places, Places, Float[np.ndarray, " _"]]:
    """Return all pairs of a detection and an object of the same key that overlap enough.

    Args:
        keys: keys of the detections, such as their image numbers, sorted.
        boxes: (detections, 4), xyxy in pixels.
        true_keys: keys of the objects, sorted.
        true_boxes: (objects, 4), xyxy in pixels.
        crowd: which objects are crowds; see `intersection_over_union`.
        least: minimum IoU of a pair, above 0.

    Returns:
        The indices of the detections, ascending, those of the objects, ascending within a
        detection, and the IoU of each pair.

    >>> box = np.array([[0.0, 0.0, 2.0, 2.0]])
    >>> both = np.concatenate([box + 1, box])
    >>> found = overlapping(np.array([4]), box, np.array([4, 4]), both, np.zeros(2, bool), 0.5)
    >>> [part.tolist() for part in found]
    [[0], [1], [1.0]]
    """
    first = np.flatnonzero(np.diff(true_keys, prepend=-1))
    low, high = (np.searchsorted(keys, true_keys[first], side) for side in ("left", "right"))
    near = ranges(low, high - low)  # the detections whose key any object has
    start, count = (
        np.repeat(each, high - low) for each in (first, np.diff(first, append=len(true_keys)))
    )
    ends = np.cumsum(count)
    total = int(ends[-1]) if len(ends) else 0
    cuts = np.searchsorted(ends, np.arange(0, total, AT_ONCE))
    columns, true_columns = (np.ascontiguousarray(of.T) for of in (boxes[near], true_boxes))
    found = []
    for begin, end in pairwise((*cuts, len(ends))):
        some = slice(begin, end)
        which = np.repeat(np.arange(begin, end), count[some])
        objects = ranges(start[some], count[some])
        overlap = intersection_over_union(
            columns[:, which].T, true_columns[:, objects].T, crowd[objects]
        )
        enough = np.flatnonzero(overlap >= least)
        found.append((near[which[enough]], objects[enough], overlap[enough]))
    if not found:
        return np.zeros(0, int), np.zeros(0, int), np.zeros(0)
    which, objects, overlap = (np.concatenate(each) for each in zip(*found, strict=True))
    return which, objects, overlap


def ranges(starts: Places, counts: Places) -> Places:
    """Return the indices contained in several ranges, one range after another.

    >>> ranges(np.array([5, 0, 9]), np.array([2, 0, 3])).tolist()
    [5, 6, 9, 10, 11]
    """
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    places: Places = np.arange(total) + np.repeat(starts - ends + counts, counts)
    return places


def ordinals(keys: Places) -> Places:
    """Return how many equal keys come before each, in a list where equal ones are neighbours.

    >>> ordinals(np.array([3, 3, 1, 3])).tolist()
    [0, 1, 0, 0]
    """
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    lengths = np.diff(starts, append=len(keys))
    return np.arange(len(keys)) - np.repeat(starts, lengths)
