"""Mean average precision without objects outside the label set, which the paper calls OOD.

A detector that knows no sharks labels one as something else, which is wrong. [nao, sec. 4.1] leaves
such detections out and does not say how; the rule here is: objects of the label set are matched
first, as COCO matches them; of the detections that are left, those that overlap an
out-of-distribution object as much as they would have to overlap one of their own do not count, any
number of them. Where no such detection is, nothing changes.

Everything here takes matches and returns matches in which more detections do not count, so that
numbers with and without out-of-distribution objects are of the same images, and can be compared in
pairs.
"""

from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float, Int

from robust_lib.errors import InputError
from robust_lib.metrics.box_matching import ALMOST_ONE, Matches, pairs
from robust_lib.metrics.boxes import Detections, Truth, intersection_over_union


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
        InputError: matches of other detections.

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
    """Return the matches without the detections in images without objects of the label set.

    What is found in them is wrong for sure, and most of it will be on an out-of-distribution
    object. It is the least that leaving out out-of-distribution objects can do where nobody has
    marked them.

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

    It is the most that leaving out out-of-distribution objects can do: as if all that is wrong lay
    on one.

    >>> from robust_lib.metrics.box_matching import match
    >>> box = np.array([[10.0, 10.0, 50.0, 40.0]])
    >>> cat = Truth(np.array([0]), np.array([0]), box)
    >>> both = Detections(np.array([0, 0]), np.array([0, 5]), np.repeat(box, 2, 0), np.ones(2))
    >>> only_found(match(cat, both)).ignored.tolist()
    [[False, True]]
    """
    return _ignoring(matches, np.ones_like(matches.found))


def as_many_at_random(before: Matches, after: Matches, rng: np.random.Generator) -> Matches:
    """Return the matches without as many random false positives as a rule leaves out.

    Whatever is left out, precision rises; by how much more where it is on an out-of-distribution
    object, this tells. At every threshold as many are left out, in one random order.

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
    """Return the number of further ignored detections at each IoU threshold.

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
        matches: the matches, whose order the result has.
        as_crowds: return the share of the detection that is in the object instead of the IoU.

    Raises:
        InputError: matches of other detections.
    """
    if len(matches.places) and matches.places.max() >= len(detections.scores):
        raise InputError(
            f"Expected the {matches.places.max() + 1:,} detections that were matched, or more, but "
            f"got {len(detections.scores):,}. Pass the detections that were passed to `match`."
        )
    order = np.argsort(others.images, kind="stable")
    which, objects = pairs(matches.images, others.images[order])
    overlap = intersection_over_union(
        detections.boxes[matches.places[which]],
        others.boxes[order[objects]],
        np.full(len(which), as_crowds),
    )
    best = np.zeros(len(matches.images))
    np.maximum.at(best, which, overlap)
    return best


def _ignoring(matches: Matches, which: Bool[np.ndarray, "_ detections"]) -> Matches:
    return replace(matches, ignored=matches.ignored | (which & ~matches.found))
