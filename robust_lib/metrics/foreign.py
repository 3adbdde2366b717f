"""Mean average precision without objects outside the label set, which the paper calls OOD.

A detector without a class for sharks labels a shark as something else, which is wrong. [nao, sec.
4.1] leaves such detections out without saying how. Our rule: objects of the label set are matched
first, as in COCO; among the remaining detections, those that overlap an out-of-distribution object
by the required IoU do not count, however many they are. Without such detections nothing changes.

The functions take matches and return matches in which more detections are ignored, so that results
with and without out-of-distribution objects come from the same images and can be compared in pairs.
"""

from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float, Int

from robust_lib.errors import InputError
from robust_lib.metrics.box_matching import ALMOST_ONE, Matches
from robust_lib.metrics.box_pairs import overlapping
from robust_lib.metrics.boxes import Detections, Truth


def forgiven(
    matches: Matches, detections: Detections, foreign: Truth, *, as_crowds: bool = False
) -> Matches:
    """Return the matches without the detections that are on an out-of-distribution object.

    Args:
        foreign: objects outside the label set; their classes are not used.
        as_crowds: treat them like COCO's crowds, for every class: the share of the detection inside
            the object must reach the threshold, instead of the IoU. This ignores more than the
            paper states.

    Raises:
        InputError: matches that belong to different detections.

    >>> from robust_lib.metrics.box_matching import match
    >>> box = np.array([[10.0, 10.0, 50.0, 40.0]])
    >>> nothing = Truth(np.zeros(0, int), np.zeros(0, int), np.zeros((0, 4)))
    >>> twice = Detections(np.array([0, 0]), np.array([5, 7]), np.repeat(box, 2, 0),
    ...     np.array([0.9, 0.8]))
    >>> shark = Truth(np.array([0]), np.array([0]), box)
    >>> forgiven(match(nothing, twice), twice, shark).ignored.tolist()
    [[True, True]]
    """
    overlap = best_overlap(matches, detections, foreign, as_crowds=as_crowds)
    enough = overlap >= np.minimum(matches.thresholds, ALMOST_ONE)[:, None]
    return _ignoring(matches, enough)


def in_pictures_with_objects(matches: Matches) -> Matches:
    """Return the matches except detections in images that have no object of the label set.

    Such detections are certainly wrong, and most of them are probably on an out-of-distribution
    object. If out-of-distribution objects are not annotated, this gives a lower bound for the
    effect of leaving them out.

    >>> from robust_lib.metrics.box_matching import match
    >>> box = np.array([[10.0, 10.0, 50.0, 40.0]])
    >>> cat = Truth(np.array([0]), np.array([0]), box)
    >>> both = Detections(np.array([0, 1]), np.array([5, 5]), np.repeat(box, 2, 0), np.ones(2))
    >>> in_pictures_with_objects(match(cat, both)).ignored.tolist()
    [[False, True]]
    """
    return _ignoring(matches, ~np.isin(matches.images, matches.object_images)[None])


def only_found(matches: Matches) -> Matches:
    """Return the matches without all unmatched detections.

    It is an upper bound for the effect of leaving out out-of-distribution objects: every wrong
    detection is treated as if it were on one.

    >>> from robust_lib.metrics.box_matching import match
    >>> box = np.array([[10.0, 10.0, 50.0, 40.0]])
    >>> cat = Truth(np.array([0]), np.array([0]), box)
    >>> both = Detections(np.array([0, 0]), np.array([0, 5]), np.repeat(box, 2, 0), np.ones(2))
    >>> only_found(match(cat, both)).ignored.tolist()
    [[False, True]]
    """
    return _ignoring(matches, np.ones_like(matches.found))


def as_many_at_random(before: Matches, after: Matches, rng: np.random.Generator) -> Matches:
    """Return the matches without random false positives, as many as a rule leaves out.

    Precision rises whichever false positives are left out; this control shows how much more it
    rises if they are on out-of-distribution objects. At each threshold, as many are left out as the
    rule leaves out there, in one random order.

    Args:
        after: the matches `before` after applying the rule.

    >>> from robust_lib.metrics.box_matching import match
    >>> box = np.array([[10.0, 10.0, 50.0, 40.0]])
    >>> nothing = Truth(np.zeros(0, int), np.zeros(0, int), np.zeros((0, 4)))
    >>> three = Detections(np.zeros(3, int), np.array([5, 6, 7]), np.repeat(box, 3, 0), np.ones(3))
    >>> before = match(nothing, three)
    >>> after = replace(before, ignored=np.array([[True, False, False]]))
    >>> int(as_many_at_random(before, after, np.random.default_rng(0)).ignored.sum())
    1
    """
    order = rng.permutation(len(before.scores))
    wrong = ~(before.found | before.ignored)[:, order]
    chosen = np.zeros_like(before.found)
    chosen[:, order] = wrong & (np.cumsum(wrong, 1) <= dropped(before, after)[:, None])
    return _ignoring(before, chosen)


def dropped(before: Matches, after: Matches) -> Int[np.ndarray, " thresholds"]:
    """Return, for each IoU threshold, how many more detections are ignored after than before.

    >>> from robust_lib.metrics.box_matching import match
    >>> box = np.array([[10.0, 10.0, 50.0, 40.0]])
    >>> cat = Truth(np.array([0]), np.array([0]), box)
    >>> both = Detections(np.array([0, 0]), np.array([0, 5]), np.repeat(box, 2, 0), np.ones(2))
    >>> matches = match(cat, both, (0.5, 0.75))
    >>> dropped(matches, only_found(matches)).tolist()
    [1, 1]
    """
    count: Int[np.ndarray, " thresholds"] = (after.ignored & ~before.ignored).sum(1)
    return count


def best_overlap(
    matches: Matches, detections: Detections, others: Truth, *, as_crowds: bool = False
) -> Float[np.ndarray, " detections"]:
    """Return each detection's largest overlap with an object of its image, of any class.

    Args:
        matches: the matches, which determine the order of the result.
        as_crowds: return the share of the detection that is in the object instead of the IoU.

    Raises:
        InputError: matches that belong to different detections.
    """
    if len(matches.places) and matches.places.max() >= len(detections.scores):
        raise InputError(
            f"Expected the {matches.places.max() + 1:,} detections that were matched, or more, but "
            f"got {len(detections.scores):,}. Pass the detections that were passed to `match`."
        )
    order = np.argsort(others.images, kind="stable")
    which, _, overlap = overlapping(
        matches.images,
        detections.boxes[matches.places],
        others.images[order],
        others.boxes[order],
        np.full(len(order), as_crowds),
        np.nextafter(0, 1),  # any overlap
    )
    best = np.zeros(len(matches.images))
    np.maximum.at(best, which, overlap)
    return best


def _ignoring(matches: Matches, which: Bool[np.ndarray, "_ detections"]) -> Matches:
    return replace(matches, ignored=matches.ignored | (which & ~matches.found))
