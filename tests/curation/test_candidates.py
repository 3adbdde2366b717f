"""Candidates: known answers by hand, and the slow definition on drawn boxes."""

import numpy as np
import pytest

from robust_lib.curation import candidates
from robust_lib.curation.candidates import EGREGIOUS, HARD, egregious, hard_false_positives
from robust_lib.errors import InputError
from robust_lib.metrics.boxes import Detections, Truth
from tests.looped import over
from tests.reference import candidates as reference

BOX = (10.0, 10.0, 50.0, 40.0)
FAR = (60.0, 60.0, 90.0, 90.0)
CAT, DOG, CAR = range(3)


def truth(*objects, crowd=None):
    """Objects as (image, class, box)."""
    images, classes, boxes = zip(*objects, strict=True) if objects else ((), (), ())
    return Truth(
        np.array(images, np.int64),
        np.array(classes, np.int64),
        np.array(boxes, np.float64).reshape(-1, 4),
        crowd=None if crowd is None else np.array(crowd),
    )


def found(*boxes):
    """Detections as (image, class, box, score)."""
    images, classes, corners, scores = zip(*boxes, strict=True)
    return Detections(np.array(images), np.array(classes), np.array(corners), np.array(scores))


def drawn(rng, count, images=4):
    corners = rng.integers(0, 12, (count, 2))
    boxes = np.concatenate([corners, corners + rng.integers(4, 16, (count, 2))], 1)
    return rng.integers(0, images, count), rng.integers(0, 3, count), boxes.astype(np.float64)


def test_a_sure_box_on_its_own_object_is_no_mistake_and_elsewhere_is_one():
    boxes = found((0, CAT, BOX, 0.9), (0, CAT, FAR, 0.9), (0, DOG, BOX, 0.95), (1, CAT, BOX, 0.99))
    objects = truth((0, CAT, BOX))
    assert hard_false_positives(objects, boxes).tolist() == [1, 3]
    assert egregious(objects, boxes).tolist() == [2]
    by_image = candidates.candidates(objects, boxes)
    assert list(by_image) == [0, 1]
    surest, other = by_image[0]
    assert (surest.kind, surest.predicted, surest.truth, surest.overlap) == (EGREGIOUS, DOG, CAT, 1)
    assert (other.kind, other.box, other.truth, other.overlap) == (HARD, FAR, -1, 0)
    assert other.detection == 1


def test_the_thresholds_have_to_be_exceeded():
    half = (10.0, 10.0, 50.0, 25.0)  # half of BOX: an IoU of exactly .5
    for box, score, expected in ((BOX, 0.8, []), (BOX, 0.81, [0]), (half, 0.9, [])):
        assert egregious(truth((0, DOG, BOX)), found((0, CAT, box, score))).tolist() == expected
    assert hard_false_positives(truth((0, CAT, BOX)), found((0, CAT, half, 0.9))).tolist() == [0]
    lower = {"iou": 0.4, "score": 0.5}
    assert egregious(truth((0, DOG, BOX)), found((0, CAT, half, 0.6)), **lower).tolist() == [0]
    single = Detections(
        np.array([0]), np.array([CAT]), np.array([BOX]), np.array([0.8], np.float32)
    )
    assert hard_false_positives(truth(), single).tolist() == []  # .8 in 32 bits is no more than .8


def test_an_object_of_the_own_class_beside_a_better_covered_one_makes_it_right():
    wider = (10.0, 10.0, 58.0, 40.0)
    boxes = found((0, CAT, BOX, 0.9))
    assert egregious(truth((0, DOG, BOX), (0, CAT, wider)), boxes).tolist() == []
    (of,) = candidates.candidates(truth((0, DOG, wider), (0, CAR, BOX)), boxes)[0]
    assert of.truth == CAR  # the better covered of two


def test_a_second_box_on_an_object_is_no_mistake():
    assert candidates.candidates(truth((0, CAT, BOX)), found(*[(0, CAT, BOX, 0.9)] * 2)) == {}


def test_foreign_objects_count_where_they_are_asked_to():
    boxes, fish = found((0, CAT, BOX, 0.9), (0, DOG, FAR, 0.9)), truth((0, CAT, BOX))
    nothing = truth()
    assert hard_false_positives(nothing, boxes).tolist() == [0, 1]
    # A foreign object's class is none of the label set, whatever its number.
    assert egregious(nothing, boxes, foreign=fish).tolist() == [0]
    assert hard_false_positives(nothing, boxes, foreign=fish).tolist() == [1]
    by_image = candidates.candidates(nothing, boxes, foreign=fish)
    assert {one.kind: one.truth for one in by_image[0]} == {EGREGIOUS: -1, HARD: -1}


def test_what_lies_in_a_crowd_of_its_class_is_right():
    whole = truth((0, CAT, (0.0, 0.0, 100.0, 100.0)), crowd=[True])
    boxes = found((0, CAT, BOX, 0.9), (0, DOG, BOX, 0.9))
    assert egregious(whole, boxes).tolist() == [1]
    assert hard_false_positives(whole, boxes).tolist() == []


@over("seed", range(20))
def test_drawn_boxes_are_judged_as_the_definition_says(seed):
    rng = np.random.default_rng(seed)
    objects = Truth(*drawn(rng, 30), crowd=rng.random(30) < 0.1)
    others = Truth(*drawn(rng, 10)) if seed % 2 else None
    boxes = Detections(*drawn(rng, 60), rng.integers(50, 100, 60) / 100)
    expected = reference.kinds(objects, boxes, foreign=others)
    assert {HARD, EGREGIOUS, None} <= set(expected)
    for rule, kind in ((hard_false_positives, HARD), (egregious, EGREGIOUS)):
        places = [at for at, one in enumerate(expected) if one == kind]
        assert rule(objects, boxes, foreign=others).tolist() == places
    by_image = candidates.candidates(objects, boxes, foreign=others)
    told = {one.detection: one.kind for of in by_image.values() for one in of}
    assert told == {at: one for at, one in enumerate(expected) if one}
    for image, of in by_image.items():
        assert {one.image for one in of} == {image}
        assert [one.score for one in of] == sorted((one.score for one in of), reverse=True)


@pytest.mark.parametrize("wrong", [{"iou": 1.0}, {"iou": -0.1}, {"score": 1.0}, {"score": 80.0}])
def test_thresholds_that_are_none_are_refused(wrong):
    with pytest.raises(InputError, match=r"paper.*0\.5.*0\.8"):
        hard_false_positives(truth(), found((0, CAT, BOX, 0.9)), **wrong)
