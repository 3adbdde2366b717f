"""Matching: box by box in a loop, and the cases in which COCO's rule is not the obvious one."""

from dataclasses import replace

import numpy as np
import pytest

from robust_lib.errors import InputError
from robust_lib.metrics.box_matching import SIZES, match, matched_scores
from robust_lib.metrics.boxes import Detections, Truth, areas, intersection_over_union
from tests.looped import over
from tests.metrics.random_boxes import random_case
from tests.reference import detection as reference
from tests.toys import unchecked

BOX = np.array([10.0, 10.0, 50.0, 40.0])
IMAGES, CLASSES = 8, 3


def shifted(*by):
    return BOX + np.array(by)


def fates(matches, row=0):
    named = np.where(
        matches.found[row], "found", np.where(matches.ignored[row], "ignored", "wrong")
    )
    return [(float(score), str(fate)) for score, fate in zip(matches.scores, named, strict=True)]


@pytest.mark.parametrize("most", [100, 2])
@over("case", range(30))
def test_matches_box_by_box(case, most):
    truth, detections = random_case(case, IMAGES, CLASSES, crowded=7)
    thresholds = (0.3, 0.5, 0.9, 1.0)
    found = match(truth, detections, thresholds, most=most)
    assert not (found.found & found.ignored).any()
    for row, threshold in enumerate(thresholds):
        expected, objects = [], 0
        for image in range(IMAGES):
            for label in range(CLASSES):
                some, number = reference.fates(truth, detections, image, label, threshold, most)
                expected += some
                objects += number
        assert fates(found, row) == expected
        assert objects == len(found.object_images) == len(found.object_classes)


def one_image(objects, boxes, scores, crowd=None, ignored=None, thresholds=(0.5,)):
    count = len(objects)
    zeros = np.zeros(max(count, len(boxes)), int)
    truth = Truth(
        zeros[:count], zeros[:count], np.array(objects, float),
        None if crowd is None else np.array(crowd), None if ignored is None else np.array(ignored),
    )  # fmt: skip
    here = zeros[: len(boxes)]
    return match(
        truth, Detections(here, here, np.array(boxes, float), np.array(scores)), thresholds
    )


def test_of_two_on_one_object_the_surer_finds_it_even_if_the_other_covers_it_better():
    found = one_image([BOX], [BOX, shifted(0, 0, 5, 0)], [0.4, 0.9])
    assert fates(found) == [(0.9, "found"), (0.4, "wrong")]


def test_of_equally_sure_ones_the_first_chooses_first():
    found = one_image([BOX], [shifted(0, 0, 60, 0), BOX], [0.5, 0.5], thresholds=(0.3,))
    assert fates(found) == [(0.5, "found"), (0.5, "wrong")]


def test_of_equally_covered_objects_the_later_is_taken():
    """The second detection covers the first object only, so all are found."""
    left, right = shifted(-10, 0, -10, 0), shifted(10, 0, 10, 0)
    for objects, expected in (([left, right], "found"), ([right, left], "wrong")):
        found = one_image(objects, [BOX, left], [0.9, 0.8])
        assert fates(found) == [(0.9, "found"), (0.8, expected)]


def test_an_object_that_counts_goes_before_an_ignored_one_that_is_covered_better():
    found = one_image([BOX, shifted(0, 0, 5, 0)], [BOX, BOX], [0.9, 0.8], ignored=[True, False])
    assert fates(found) == [(0.9, "found"), (0.8, "ignored")]


def test_a_crowd_takes_any_number_and_an_ignored_object_one():
    boxes, scores = [BOX] * 3, [0.9, 0.8, 0.7]
    found = one_image([BOX], boxes, scores, crowd=[True])
    assert [fate for _, fate in fates(found)] == ["ignored"] * 3
    found = one_image([BOX], boxes, scores, ignored=[True])
    assert [fate for _, fate in fates(found)] == ["ignored", "wrong", "wrong"]


def test_a_threshold_is_enough_and_one_means_almost_one():
    half = shifted(0, 0, 40, 0)
    assert fates(one_image([half], [BOX], [0.9], thresholds=(0.5,)))[0][1] == "found"
    assert fates(one_image([half], [BOX], [0.9], thresholds=(0.5 + 1e-9,)))[0][1] == "wrong"
    nearly = shifted(0, 0, 1e-10, 0)
    assert fates(one_image([nearly], [BOX], [0.9], thresholds=(1.0,)))[0][1] == "found"


def test_only_the_surest_are_looked_at():
    """101 detections of one object, the one that covers it last: COCO never sees it."""
    away = BOX + 500
    found = one_image([BOX], [BOX] + [away] * 100, [0.1] + [0.2] * 100)
    assert len(found.scores) == 100
    assert not found.found.any()


def test_nothing_at_all():
    none = np.zeros(0, int)
    truth = Truth(none, none, np.zeros((0, 4)))
    found = match(truth, Detections(none, none, np.zeros((0, 4)), np.zeros(0)), (0.5, 0.9))
    assert found.found.shape == (2, 0)
    assert len(found.object_images) == 0


def sized(case):
    """A random case of all sizes: boxes of up to 114 pixels, outlines that fill a part of them."""
    truth, detections = random_case(case, IMAGES, CLASSES, crowded=7)
    filled = np.random.default_rng(case).uniform(0.3, 1, len(truth.boxes))
    boxes = 6 * truth.boxes
    outlines = None if case % 3 == 0 else filled * areas(boxes)
    return replace(truth, boxes=boxes, areas=outlines), replace(
        detections, boxes=6 * detections.boxes
    )


@pytest.mark.parametrize("size", SIZES)
@over("case", range(20))
def test_sizes_box_by_box(case, size):
    truth, detections = sized(case)
    found = match(truth, detections, (0.5,), size=size)
    expected, objects = [], 0
    for image in range(IMAGES):
        for label in range(CLASSES):
            some, number = reference.fates(truth, detections, image, label, 0.5, limits=SIZES[size])
            expected += some
            objects += number
    assert fates(found) == expected
    assert objects == len(found.objects)


def test_an_area_between_two_sizes_belongs_to_both():
    edge = np.array([0.0, 0.0, 32.0, 32.0])
    zero = np.zeros(1, int)
    box = Detections(zero, zero, edge[None], np.ones(1))
    counted = [len(match(Truth(zero, zero, edge[None]), box, size=size).objects) for size in SIZES]
    assert counted == [1, 1, 0]
    outline = Truth(zero, zero, edge[None], areas=np.array([500.0]))
    assert match(outline, box, size="small").found.all()
    assert match(outline, box, size="medium").ignored.all()


def test_what_comes_in_is_left_as_it_was():
    truth, detections = random_case(3)
    before = [array.copy() for array in (truth.boxes, detections.boxes, detections.scores)]
    match(truth, detections, (0.5, 0.75))
    for old, new in zip(before, (truth.boxes, detections.boxes, detections.scores), strict=True):
        np.testing.assert_array_equal(old, new)


@pytest.mark.parametrize("thresholds", [(), (0.0,), (0.5, 1.1), (50,), (float("nan"),)])
def test_thresholds_that_are_none(thresholds):
    truth, detections = random_case(0)
    with unchecked(), pytest.raises(InputError, match=r"above 0.*1"):
        match(truth, detections, thresholds)


def test_at_least_one_is_looked_at():
    truth, detections = random_case(0)
    with pytest.raises(InputError, match=r"detection.*0"):
        match(truth, detections, most=0)


NOBODY = Detections(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 4)), np.zeros(0))


def some(rng, count, images=6, classes=3):
    corner = rng.uniform(0, 30, (count, 2))
    return Detections(
        rng.integers(0, images, count),
        rng.integers(0, classes, count),
        np.concatenate([corner, corner + rng.uniform(10, 40, (count, 2))], 1),
        rng.random(count),
    )


def slow(asked, found, iou):
    scores = []
    for image, label, box in zip(asked.images, asked.classes, asked.boxes, strict=True):
        best, score = iou, 0.0
        for place in range(len(found.images)):
            if found.images[place] == image and found.classes[place] == label:
                (overlap,) = intersection_over_union(
                    found.boxes[[place]], box[None], np.array([False])
                )
                if overlap >= best and (overlap > best or score == 0.0):
                    best, score = overlap, found.scores[place]
        scores.append(score)
    return np.array(scores)


@pytest.mark.parametrize("iou", [0.1, 0.5])
def test_the_nearest_of_the_same_class(iou):
    rng = np.random.default_rng(0)
    for _ in range(5):
        asked, found = some(rng, 20), some(rng, 60)
        assert matched_scores(asked, found, iou).tolist() == slow(asked, found, iou).tolist()


def test_another_class_at_the_same_place_does_not_count():
    box = np.array([[0.0, 0.0, 10.0, 10.0]])
    asked = Detections(np.array([4]), np.array([1]), box, np.array([0.9]))
    found = Detections(np.array([4, 4, 3]), np.array([2, 1, 1]), np.repeat(box, 3, 0),
                       np.array([0.8, 0.3, 0.7]))  # fmt: skip
    assert matched_scores(asked, found).tolist() == [0.3]


def test_the_overlap_decides_not_the_score():
    box = np.array([[0.0, 0.0, 10.0, 10.0]])
    asked = Detections(np.array([0]), np.array([0]), box, np.array([0.9]))
    near = np.array([[0.0, 0.0, 10.0, 7.0], [0.0, 0.0, 10.0, 9.0]])
    found = Detections(np.array([0, 0]), np.array([0, 0]), near, np.array([0.9, 0.2]))
    assert matched_scores(asked, found).tolist() == [0.2]


def test_nothing_found_and_nothing_asked():
    rng = np.random.default_rng(0)
    assert matched_scores(some(rng, 3), NOBODY).tolist() == [0.0] * 3
    assert matched_scores(NOBODY, some(rng, 3)).tolist() == []


def test_impossible_overlaps_are_refused():
    with pytest.raises(InputError, match="overlap above 0"):
        matched_scores(NOBODY, NOBODY, 0.0)
