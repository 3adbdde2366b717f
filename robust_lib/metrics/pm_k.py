"""pm-k: performance on the worst of the frames within k of each anchor [vid, sec. 3].

All k are computed at once: the frames of a set are ordered by distance, and the worst frame so far
is kept on the way outwards. Of equally bad frames the one nearest to the anchor counts, and of two
that are equally near the earlier one.

In the authors' code the anchor is one of the frames. The paper's formula leaves it out; then a set
without any other frame within k keeps its anchor.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from robust_lib.errors import InputError
from robust_lib.metrics.box_matching import Matches
from robust_lib.metrics.boxes import Detections, Truth, one_box_a_thing
from robust_lib.metrics.detection import Interpolation, Iou, map_of, matched, precision_by_image
from robust_lib.metrics.frame_sets import NO_FRAME, Sets, check_sets
from robust_lib.metrics.intervals import clopper_pearson, percentiles, shared_rates

Hits = Bool[np.ndarray, "sets distances"]
Distances = Float[np.ndarray, " distances"]

FURTHEST = 10
"""The largest k of the paper: ten frames are about 0.3 seconds."""


def pm_k_accuracy(
    correct_by_frame: Bool[np.ndarray, " frames"],
    neighbours: Sets,
    offsets: Sets,
    k: int = FURTHEST,
    *,
    anchor: bool = True,
) -> Distances:
    """Return the share of sets that are correct at every frame within 0, 1, ... k of the anchor.

    Args:
        correct_by_frame: which frames are classified correctly; see `correct_frames`.
        neighbours: the frame numbers of each set, anchor included; -1 for none.
        offsets: frame offsets from the anchor.
        k: the largest distance in frames.
        anchor: whether the anchor itself has to be correct, as in the authors' code.

    Returns:
        (k + 1,); index 0 holds the ordinary accuracy on the anchors.

    Raises:
        InputError: a negative k, or malformed sets (see `check_sets`).

    >>> correct = np.array([True, True, False, True])
    >>> neighbours, offsets = np.array([[0, 1, 2], [3, -1, -1]]), np.array([[0, -1, 2], [0, 0, 0]])
    >>> pm_k_accuracy(correct, neighbours, offsets, k=3).tolist()
    [1.0, 1.0, 0.5, 0.5]
    """
    share: Distances = hits(correct_by_frame, neighbours, offsets, k, anchor=anchor).mean(0)
    return share


def hits(
    correct_by_frame: Bool[np.ndarray, " frames"],
    neighbours: Sets,
    offsets: Sets,
    k: int = FURTHEST,
    *,
    anchor: bool = True,
) -> Hits:
    """Return, for each set, whether every frame within 0, 1, ... k of the anchor is correct.

    Returns:
        (sets, k + 1); sums over sets are what `clopper_pearson` takes.

    Raises:
        InputError: see `pm_k_accuracy`.

    >>> correct = np.array([False, True])
    >>> neighbours, offsets = np.array([[0, 1]]), np.array([[0, 1]])
    >>> hits(correct, neighbours, offsets, k=1, anchor=False).tolist()
    [[False, True]]
    """
    quality = correct_by_frame.astype(np.float64)
    right: Hits = correct_by_frame[worst_frames(quality, neighbours, offsets, k, anchor=anchor)]
    return right


def drop(
    original: Bool[np.ndarray, " sets"], perturbed: Bool[np.ndarray, " sets"], level: float = 0.95
) -> tuple[float, float, float]:
    """Return the loss of accuracy between two distances, with the interval of this loss.

    Both accuracies are on the same sets, so their difference varies less than either. If no set is
    correct at the larger k only, as is always so with the anchor among the frames, the drop is the
    share of sets that become wrong, and the interval is the exact one of a share. Otherwise sets
    are resampled, in pairs.

    Args:
        original: which sets are correct at the smaller k, such as `hits(...)[:, 0]`.
        perturbed: which sets are correct at the larger k.

    Returns:
        The drop, and its interval's lower and upper end, as fractions.

    Raises:
        InputError: different numbers of sets, or none.

    >>> original, perturbed = np.arange(1109) < 749, np.arange(1109) < 582
    >>> [round(number, 3) for number in drop(original, perturbed)]
    [0.151, 0.13, 0.173]
    """
    if original.shape != perturbed.shape or not len(original):
        raise InputError(
            "Expected both accuracies of the same sets and at least one set, but got "
            f"{original.shape} and {perturbed.shape}."
        )
    value = float(original.mean() - perturbed.mean())
    if not (perturbed & ~original).any():
        return value, *clopper_pearson(int((original & ~perturbed).sum()), len(original), level)
    rates = shared_rates(np.stack([original, perturbed]), "pm-k sets")
    return value, *percentiles(rates[:, 0] - rates[:, 1], level)


def worst_frames(
    quality: Float[np.ndarray, " frames"],
    neighbours: Sets,
    offsets: Sets,
    k: int = FURTHEST,
    *,
    anchor: bool = True,
) -> Int[np.ndarray, "sets distances"]:
    """Return the frame number of each set's worst frame within 0, 1, ... k of its anchor.

    Of equally bad frames, the nearest is chosen, then the earlier one. Frames whose quality is NaN,
    such as those without boxes, are not chosen; if there is no other frame, the anchor is.

    Args:
        quality: quality of each frame, lower for worse ones.
        anchor: whether the anchor may be the worst frame.

    Raises:
        InputError: see `pm_k_accuracy`.

    >>> quality = np.array([0.9, 0.5, 0.5, 0.1])
    >>> neighbours, offsets = np.array([[0, 1, 2, 3]]), np.array([[0, 1, -1, 2]])
    >>> worst_frames(quality, neighbours, offsets, k=2).tolist()
    [[0, 2, 3]]
    """
    if k < 0:
        raise InputError(f"Expected k of 0 or more frames, such as 10, but got {k}.")
    check_sets(neighbours, offsets, len(quality))
    used = neighbours != NO_FRAME
    distance = np.where(used, np.abs(offsets), np.iinfo(np.int64).max // 4)
    # The anchor first, then the frame before it, the one after, the one two before, and so on.
    order = np.argsort(2 * distance + (offsets > 0), axis=1)
    frames = np.take_along_axis(neighbours, order, 1)
    asked = np.take_along_axis(used, order, 1)
    asked[:, 0] &= anchor
    value = np.where(asked & ~np.isnan(quality[frames]), quality[frames], np.inf)
    lowest = np.minimum.accumulate(value, 1)
    worse = value < np.column_stack([np.full(len(value), np.inf), lowest[:, :-1]])
    place = np.maximum.accumulate(np.where(worse, np.arange(value.shape[1]), 0), 1)
    within = np.stack([(distance <= reach).sum(1) for reach in range(k + 1)], 1) - 1
    return np.take_along_axis(frames, np.take_along_axis(place, within, 1), 1)


DECIMALS = 12
"""Decimals of a frame's average precision: frames that differ by less are equally bad."""


@dataclass(frozen=True, eq=False)
class PmKMap:
    """Mean average precision on the worst frames within 0, 1, ..., k frames of the anchors.

    Attributes:
        values: (k + 1,), fractions; the first is the ordinary mAP on the anchors.
        frames: (sets, k + 1), the frame used for each set.
        matches: all frames' matched detections, for intervals by `map_draws`.
    """

    values: Distances
    frames: Int[np.ndarray, "sets distances"]
    matches: Matches


def pm_k_map(
    truth: Truth,
    detections: Detections,
    neighbours: Sets,
    offsets: Sets,
    k: int = FURTHEST,
    *,
    iou: Iou = 0.5,
    interpolation: Interpolation = "all-point",
    anchor: bool = True,
    localization: bool = False,
    by_class: bool = False,
    one_box: bool = False,
) -> PmKMap:
    """Return mAP with each anchor replaced by its worst frame within 0, 1, ... k of it.

    The worst frame has the lowest average precision over its boxes of all classes. Frames without
    objects have no average precision and are not chosen; an anchor without objects is kept, as in
    ordinary evaluation, if no other frame is within k. Unlike accuracy, the result need not fall
    with k: the frames with the lowest precision do not always give the lowest precision by class.

    Args:
        truth: the objects of all frames; its `images` are frame numbers.
        iou: minimum IoU of a detection, or "coco"; the paper does not specify it.
        anchor: whether the anchor may be the worst frame, as in the authors' code for accuracy.
        localization: whether to ignore classes and evaluate only positions [vid, sec. 4.2].
        by_class: whether a frame's quality is the mean over its classes instead of the precision of
            all its boxes together.
        one_box: whether each object keeps only one box before classes are ignored, since a second
            label leaves a second box; see `one_box_a_thing`.

    Raises:
        InputError: see `pm_k_accuracy` and `mean_average_precision`.

    >>> box = np.array([[10.0, 10.0, 50.0, 40.0]])
    >>> truth = Truth(np.array([0, 1]), np.array([7, 7]), np.repeat(box, 2, 0))
    >>> fox, sheep = Detections(truth.images, np.array([7, 3]), truth.boxes, np.ones(2)), [[0, 1]]
    >>> pm_k_map(truth, fox, np.array(sheep), np.array([[0, 2]]), k=3).values.tolist()
    [1.0, 1.0, 0.0, 0.0]
    """
    if localization:
        detections = one_box_a_thing(detections) if one_box else detections
        truth, detections = truth.without_classes(), detections.without_classes()
    matches = matched(truth, detections, iou)
    seen = (neighbours, truth.images, detections.images)
    exact = precision_by_image(
        matches,
        1 + max(int(of.max(initial=0)) for of in seen),
        interpolation,
        by_class=by_class,
    )
    # Sums of sixths miss one by a rounding error, and frames as good as each other would differ.
    quality = exact.round(DECIMALS)
    frames = worst_frames(quality, neighbours, offsets, k, anchor=anchor)
    values = [map_of(matches, chosen, interpolation) for chosen in frames.T]
    return PmKMap(np.array(values), frames, matches)
