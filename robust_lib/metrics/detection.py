"""Mean average precision of detectors: by class over any images, and image by image.

Precision is made non-increasing in recall: at each recall, the best precision at that recall or a
higher one counts. It is then averaged over all recalls, or over 11 or 101 points. Matching is done
once (`matched`); everything computed from the matches is quick, even for many selections of images,
such as the worst frames of [vid, sec. 3] and resamples.
"""

from typing import Literal, get_args

import numpy as np
from jaxtyping import Bool, Float, Int

from robust_lib.errors import InputError, one_of
from robust_lib.metrics.box_matching import MOST_DETECTIONS, Matches, Size, match
from robust_lib.metrics.box_pairs import Places, ordinals, ranges, ranking
from robust_lib.metrics.boxes import Detections, Truth
from robust_lib.metrics.foreign import forgiven

Interpolation = Literal["all-point", "11-point", "101-point"]

Groups = Int[np.ndarray, " detections"]

Images = Int[np.ndarray, " images"]
Iou = float | Literal["coco"]
COCO_THRESHOLDS = tuple(np.linspace(0.5, 0.95, 10).tolist())
"""The ten IoU thresholds of COCO, 0.50 to 0.95."""


def require_matching(iou: object, interpolation: str) -> None:
    """Raise InputError unless these are a valid IoU threshold and interpolation.

    >>> require_matching("coco", "101-point")
    """
    if iou != "coco" and not (isinstance(iou, int | float) and 0 < iou < 1):
        raise InputError(f'Expected iou between 0 and 1, or "coco", but got {iou!r}.')
    if interpolation not in get_args(Interpolation):
        raise InputError(one_of("interpolation", interpolation, get_args(Interpolation)))


def average_precision(
    groups: Groups,
    scores: Float[np.ndarray, " detections"],
    found: Bool[np.ndarray, "thresholds detections"],
    ignored: Bool[np.ndarray, "thresholds detections"],
    objects: Int[np.ndarray, " groups"],
    interpolation: Interpolation = "101-point",
) -> Float[np.ndarray, "thresholds groups"]:
    """Return the average precision of each group of detections, such as a class or an image.

    Equal scores keep the order of the detections.

    Args:
        groups: group of each detection, from 0.
        scores: higher for more confident ones.
        found: which detections match an object.
        ignored: which detections are ignored.
        objects: number of objects to be found in each group.
        interpolation: "101-point" as in COCO, "all-point" (the area under the curve) as in the
            PASCAL VOC challenge since 2010, or "11-point" as in earlier ones.

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
    order = ranking(scores, groups)
    groups = groups[order]
    first = np.searchsorted(groups, np.arange(len(objects)))
    result = np.zeros((len(found), len(objects)))
    for row, right, neither in zip(result, found, ignored, strict=True):
        # Recall only grows, and precision only is the best, where an object is found.
        hits, skipped = np.flatnonzero(right[order]), np.flatnonzero(neither[order])
        owner = groups[hits]
        start = first[owner]
        number = 1 + ordinals(owner)
        called = 1 + hits - start
        if len(skipped):
            called -= np.searchsorted(skipped, hits) - np.searchsorted(skipped, start)
        precision = number / called
        _never_rising(precision, owner)
        gain = _gains(number, objects[owner], points)
        row += np.bincount(owner, precision * gain, minlength=len(objects))
    result[:, objects == 0] = np.nan
    return result


def recall_points(interpolation: Interpolation) -> Float[np.ndarray, " points"] | None:
    """Return the recalls at which precision is read, or None for every object found.

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
        objects: number of objects to be found in each group; the result is NaN for 0.

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


def mean_average_precision(
    truth: Truth,
    detections: Detections,
    iou: Iou = "coco",
    out_of_distribution: Truth | None = None,
    *,
    images: Images | None = None,
    interpolation: Interpolation = "101-point",
    size: Size | None = None,
) -> float:
    """Return a detector's mean average precision (mAP) over classes, a fraction.

    Classes without any object are left out of the mean; images without objects are used, since
    every detection in them is wrong.

    Args:
        iou: overlap that a detection needs: one threshold, or "coco" for the mean over COCO's ten.
        out_of_distribution: objects of classes outside the label set, whatever their class numbers;
            a detection on one is not a false positive [nao, sec. 4]. See `foreign`.
        images: indices of the images, in order, possibly repeated; all by default.
        size: count only small, medium or large objects, as COCO does; None counts all. An object's
            size is its area, or that of its box where `truth` has no areas.

    Raises:
        InputError: an unknown threshold or interpolation, or no objects in these images.

    >>> box = np.array([[10.0, 10.0, 50.0, 40.0]])
    >>> cat = Truth(np.array([0]), np.array([2]), box)
    >>> wider = box + [0.0, 0.0, 8.0, 0.0]
    >>> found = Detections(np.array([0]), np.array([2]), wider, np.array([0.9]))
    >>> mean_average_precision(cat, found, 0.5), round(mean_average_precision(cat, found), 3)
    (1.0, 0.7)
    """
    matches = matched(truth, detections, iou, out_of_distribution, size=size)
    return map_of(matches, images, interpolation)


def matched(
    truth: Truth,
    detections: Detections,
    iou: Iou = "coco",
    out_of_distribution: Truth | None = None,
    *,
    most: int = MOST_DETECTIONS,
    size: Size | None = None,
) -> Matches:
    """Return which detections find an object, for one IoU threshold or for COCO's ten.

    Args:
        iou: one threshold, or "coco".
        out_of_distribution: objects of none of the classes: a detection that matches no object and
            overlaps one of these by the required IoU is ignored.
        most: maximum number of detections per image and class; the most confident are used.
        size: count only objects of this size; None counts all.

    Raises:
        InputError: a threshold outside (0, 1], or a text other than "coco".

    >>> box = np.array([[10.0, 10.0, 50.0, 40.0]])
    >>> zebra = Truth(np.array([0]), np.array([0]), box)
    >>> nothing = Truth(np.zeros(0, int), np.zeros(0, int), np.zeros((0, 4)))
    >>> horse = Detections(np.array([0]), np.array([5]), box, np.array([0.9]))
    >>> matched(nothing, horse, 0.5, out_of_distribution=zebra).ignored.tolist()
    [[True]]
    """
    if isinstance(iou, str) and iou != "coco":
        raise InputError(f"Expected an IoU threshold such as 0.5, or 'coco', but got {iou!r}.")
    thresholds = COCO_THRESHOLDS if isinstance(iou, str) else (float(iou),)
    matches = match(truth, detections, thresholds, most=most, size=size)
    if out_of_distribution is None:
        return matches
    return forgiven(matches, detections, out_of_distribution)


def map_of(
    matches: Matches, images: Images | None = None, interpolation: Interpolation = "101-point"
) -> float:
    """Return the mean average precision of matched detections over some images, a fraction.

    Args:
        images: indices of the images, possibly repeated; all by default.

    Raises:
        InputError: no objects in these images.

    >>> box = np.array([[10.0, 10.0, 50.0, 40.0]])
    >>> truth = Truth(np.array([0, 1]), np.array([0, 0]), np.repeat(box, 2, 0))
    >>> found = Detections(np.array([0]), np.array([0]), box, np.array([0.9]))
    >>> matches = matched(truth, found, 0.5)
    >>> [map_of(matches, np.array(images), "all-point") for images in ([0], [0, 1], [0, 0, 1])]
    [1.0, 0.5, 0.6666666666666666]
    """
    by_class = precision_by_class(matches, images, interpolation)
    if np.isnan(by_class).all():
        raise InputError(
            "Expected ground truth with at least one object in these images, but there is none. "
            "Check that ground truth and detections use the same image numbers."
        )
    return float(np.nanmean(by_class))


def precision_by_class(
    matches: Matches, images: Images | None = None, interpolation: Interpolation = "101-point"
) -> Float[np.ndarray, " classes"]:
    """Return each class's average precision over some images, averaged over IoU thresholds.

    Args:
        images: indices of the images, in order; all by default. Ties keep the order of the images.

    Returns:
        (classes,), up to the largest number seen; NaN for classes without objects in these images.

    Raises:
        InputError: an unknown interpolation.

    >>> box = np.array([[10.0, 10.0, 50.0, 40.0]])
    >>> cat = Truth(np.array([0]), np.array([2]), box)
    >>> found = Detections(np.array([0]), np.array([2]), box, np.array([0.9]))
    >>> precision_by_class(matched(cat, found, 0.5), interpolation="all-point").tolist()
    [nan, nan, 1.0]
    """
    which, objects = _within(matches, images)
    by_threshold = average_precision(
        matches.classes[which], matches.scores[which], matches.found[:, which],
        matches.ignored[:, which], objects, interpolation,
    )  # fmt: skip
    mean: Float[np.ndarray, " classes"] = by_threshold.mean(0)
    return mean


def recall_by_class(
    matches: Matches, images: Images | None = None
) -> Float[np.ndarray, " classes"]:
    """Return the recall of each class, averaged over the IoU thresholds.

    Its mean over classes (without NaN) is COCO's average recall, mAR.

    >>> box = np.array([[10.0, 10.0, 50.0, 40.0]])
    >>> truth = Truth(np.array([0, 1]), np.array([0, 0]), np.repeat(box, 2, 0))
    >>> found = Detections(np.array([0]), np.array([0]), box, np.array([0.9]))
    >>> recall_by_class(matched(truth, found, 0.5)).tolist()
    [0.5]
    """
    which, objects = _within(matches, images)
    by_threshold = recall(matches.classes[which], matches.found[:, which], objects)
    mean: Float[np.ndarray, " classes"] = by_threshold.mean(0)
    return mean


def precision_by_image(
    matches: Matches,
    images: int,
    interpolation: Interpolation = "all-point",
    *,
    by_class: bool = False,
) -> Float[np.ndarray, " images"]:
    """Return each image's average precision, with all classes pooled [vid, sec. 3].

    A detection must still have its object's class. Classes are pooled because the average precision
    of a class that is not in an image is undefined. If scores are equal, the lower class number
    comes first.

    Args:
        by_class: whether to use the mean over the image's classes instead; boxes of other classes
            are then ignored.

    Returns:
        (images,), the mean over the IoU thresholds; NaN for images without objects.

    Raises:
        InputError: an unknown interpolation, or an image number that is not below `images`.

    >>> box = np.array([[10.0, 10.0, 50.0, 40.0]])
    >>> cat = Truth(np.array([0]), np.array([2]), box)
    >>> both = Detections(np.array([0, 0]), np.array([2, 3]), np.repeat(box, 2, 0),
    ...     np.array([0.4, 0.9]))
    >>> precision_by_image(matched(cat, both, 0.5), images=2).tolist()
    [0.5, nan]
    """
    numbers = np.concatenate([matches.images, matches.object_images])
    if len(numbers) and numbers.max() >= images:
        raise InputError(
            f"Expected boxes in images 0 to {images - 1}, but got one in image {numbers.max()}. "
            "Use the same numbers for images everywhere."
        )
    both = np.concatenate([matches.classes, matches.object_classes])
    classes = 1 + int(both.max(initial=0)) if by_class else 1
    # A group an image, or one for each class of each image.
    groups, of_objects = (
        owner * classes + (of if by_class else 0)
        for owner, of in (
            (matches.images, matches.classes),
            (matches.object_images, matches.object_classes),
        )
    )
    objects = np.bincount(of_objects, minlength=images * classes)
    by_threshold = average_precision(
        groups, matches.scores, matches.found, matches.ignored, objects, interpolation
    )
    by_group = by_threshold.mean(0).reshape(images, classes)
    shown = (~np.isnan(by_group)).sum(1)
    mean: Float[np.ndarray, " images"] = np.nansum(by_group, 1) / np.where(shown, shown, np.nan)
    return mean


def _within(matches: Matches, images: Images | None) -> tuple[Places | slice, Places]:
    """Return which detections are in these images, and the number of objects per class."""
    both = (matches.classes, matches.object_classes)
    classes = 1 + max((int(of.max()) for of in both if len(of)), default=-1)
    objects = matches.object_classes[_places(matches.object_images, images)]
    return _places(matches.images, images), np.bincount(objects, minlength=classes)


def _places(owners: Places, images: Images | None) -> Places | slice:
    """Return the positions of the boxes of the images, image by image; owners are sorted."""
    if images is None:
        return slice(None)
    start = np.searchsorted(owners, images, side="left")
    return ranges(start, np.searchsorted(owners, images, side="right") - start)
