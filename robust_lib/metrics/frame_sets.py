"""Sets of similar video frames as arrays: an anchor and its neighbours, by distance in frames.

A set is a row of frame numbers and a row of offsets: the anchor is at offset 0, earlier frames at
negative offsets, and places that are not used hold -1 as their frame.
"""

import numpy as np
from jaxtyping import Bool, Int

from robust_lib.errors import InputError
from robust_lib.types import UNKNOWN, Labels

Sets = Int[np.ndarray, "sets places"]
LabelSets = Bool[np.ndarray, "frames classes"]

NO_FRAME = -1
"""Fills the positions that a set with fewer frames than another leaves empty."""


def check_sets(neighbours: Sets, offsets: Sets, frames: int) -> None:
    """Raise InputError for malformed sets.

    Args:
        neighbours: frame numbers, or -1.
        offsets: frame offsets from the anchor.

    Raises:
        InputError: no sets, arrays of different shapes, a frame number that does not exist, a set
            without exactly one anchor at offset 0, or two frames at one offset.

    >>> check_sets(np.array([[4, 3, 5]]), np.array([[0, -1, 1]]), frames=6)
    """
    if neighbours.ndim != 2 or neighbours.shape != offsets.shape or not len(neighbours):
        raise InputError(
            "Expected frames and offsets of the same shape (sets, positions) and at least one set, "
            f"but got {neighbours.shape} and {offsets.shape}."
        )
    if neighbours.min(initial=0) < NO_FRAME or neighbours.max(initial=0) >= frames:
        raise InputError(
            f"Expected frames from 0 to {frames - 1}, or -1 for none, but got "
            f"{neighbours.min()} to {neighbours.max()}. Number frames like their predictions."
        )
    used = neighbours != NO_FRAME
    anchors = (used & (offsets == 0)).sum(1)
    if (anchors != 1).any():
        first = int(np.flatnonzero(anchors != 1)[0])
        raise InputError(
            f"Expected every set to have its anchor at offset 0, but got {anchors[first]} frames "
            f"there in set {first}. List the anchor among the frames of its set."
        )
    # A set that repeats an offset has fewer different ones than frames.
    far = 1 + int(np.abs(offsets).max())
    ranked = np.sort(np.where(used, offsets, far + np.arange(offsets.shape[1])), axis=1)
    twice = np.flatnonzero((np.diff(ranked, axis=1) == 0).any(1))
    if len(twice):
        raise InputError(
            f"Expected each offset once in a set, but one occurs twice in set {twice[0]}: "
            f"{offsets[twice[0]][used[twice[0]]].tolist()}. Count offsets from the anchor."
        )


def correct_frames(predicted: Labels, labels: LabelSets) -> Bool[np.ndarray, " frames"]:
    """Return which frames are classified correctly; any class of a frame counts [vid, sec. 4].

    Args:
        predicted: predicted classes; -1 for no prediction, which is never correct.
        labels: which classes each frame shows.

    Raises:
        InputError: different numbers of frames, a prediction that is not a class, or a frame
            without a class.

    >>> correct_frames(np.array([0, 2]), np.array([[True, True, False], [True, True, False]]))
    array([ True, False])
    """
    if labels.ndim != 2 or predicted.shape != labels.shape[:1] or not len(predicted):
        raise InputError(
            "Expected one prediction per frame and at least one frame, but got predictions of "
            f"shape {predicted.shape} for labels of shape {labels.shape}."
        )
    if predicted.min() < UNKNOWN or predicted.max() >= labels.shape[1]:
        raise InputError(
            f"Expected predictions from 0 to {labels.shape[1] - 1}, or -1 for none, but got "
            f"{predicted.min()} to {predicted.max()}. Map the network's classes to those of the "
            "frames first."
        )
    if not labels.any(1).all():
        raise InputError(
            "Expected at least one class per frame, but got none for "
            f"{int((~labels.any(1)).sum())} of {len(labels)}. Remove these frames from the sets."
        )
    named: Bool[np.ndarray, " frames"] = labels[np.arange(len(predicted)), predicted]
    right: Bool[np.ndarray, " frames"] = named & (predicted != UNKNOWN)
    return right


def labels_of_anchors(labels: LabelSets, neighbours: Sets, offsets: Sets) -> LabelSets:
    """Return labels in which each frame has the classes of its anchor, as in [vid, sec. 3].

    The authors' code compares a frame with its own labels.

    Raises:
        InputError: see `check_sets`; also a frame in several sets, since their anchors may differ.

    >>> labels = np.array([[True, False], [False, True]])
    >>> labels_of_anchors(labels, np.array([[0, 1]]), np.array([[0, 1]])).tolist()
    [[True, False], [True, False]]
    """
    check_sets(neighbours, offsets, len(labels))
    used = neighbours != NO_FRAME
    if len(np.unique(neighbours[used])) < used.sum():
        raise InputError(
            "Expected every frame in one set, but got "
            f"{int(used.sum()) - len(np.unique(neighbours[used]))} in several. Give a frame a "
            "separate number in each of its sets."
        )
    anchors = neighbours[used & (offsets == 0)]
    changed = labels.copy()
    changed[neighbours[used]] = labels[np.repeat(anchors, used.sum(1))]
    return changed
