"""mAP without foreign objects: pycocotools where there are none, slow loops, hand-made scenes."""

import numpy as np
import pytest

from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.metrics.box_matching import match
from robust_lib.metrics.boxes import Detections, Truth
from robust_lib.metrics.detection import COCO_THRESHOLDS, map_of, matched, mean_average_precision
from robust_lib.metrics.foreign import (
    as_many_at_random,
    best_overlap,
    dropped,
    forgiven,
    in_pictures_with_objects,
    only_found,
)
from tests.looped import over
from tests.metrics.random_boxes import random_boxes, random_case
from tests.reference import coco
from tests.reference import detection as reference

IMAGES, CLASSES = 20, 3
CAT = np.array([0.0, 0.0, 100.0, 100.0])
SHARK = np.array([200.0, 0.0, 300.0, 100.0])


def foreign_boxes(case, detections, count=30):
    """Half of them are near what is found."""
    rng = seeds.generator("foreign", case)
    boxes = random_boxes(rng, count, coarse=bool(case % 2))
    images = rng.integers(0, IMAGES, count)
    near = rng.integers(0, len(detections.scores), count // 2)
    boxes[: count // 2] = detections.boxes[near] + rng.uniform(0, 0.5, (count // 2, 1))
    images[: count // 2] = detections.images[near]
    return Truth(images, rng.integers(90, 99, count), boxes)


def scene(*found):
    """One cat and one shark; what is found, surest first, as (class, box)."""
    cat = Truth(np.array([0]), np.array([0]), CAT[None])
    shark = Truth(np.array([0]), np.array([0]), SHARK[None])
    boxes = np.array([box for _, box in found], float)
    classes = np.array([label for label, _ in found])
    scores = 1 - np.arange(len(found)) / 10
    return cat, Detections(np.zeros(len(found), int), classes, boxes, scores), shark


@over("case", range(20))
def test_without_foreign_objects_it_is_cocos(case):
    pytest.importorskip("pycocotools")
    truth, detections = random_case(case, IMAGES, CLASSES)
    none = np.zeros(0, int)
    nothing = Truth(none, none, np.zeros((0, 4)))
    precision, _ = coco.by_class(truth, detections, IMAGES, CLASSES, COCO_THRESHOLDS)
    found = mean_average_precision(truth, detections, "coco", nothing)
    assert found == mean_average_precision(truth, detections)
    assert found == pytest.approx(np.nanmean(precision), abs=1e-12)


@over("case", range(10))
def test_the_rule_box_by_box(case):
    truth, detections = random_case(case, IMAGES, CLASSES)
    foreign = foreign_boxes(case, detections)
    matches = matched(truth, detections)
    after = forgiven(matches, detections, foreign)
    for n in range(len(matches.scores)):
        box = detections.boxes[matches.places[n]]
        assert detections.scores[matches.places[n]] == matches.scores[n]
        theirs = foreign.boxes[foreign.images == matches.images[n]]
        most = max((reference.overlap(box, other) for other in theirs), default=0)
        for row, level in enumerate(COCO_THRESHOLDS):
            forgiven_here = most >= level and not matches.found[row, n]
            assert after.ignored[row, n] == (matches.ignored[row, n] or forgiven_here)
    np.testing.assert_array_equal(after.found, matches.found)
    assert dropped(matches, after).tolist() == (after.ignored & ~matches.ignored).sum(1).tolist()
    assert dropped(matches, after)[0] > 0


@over("case", range(10))
def test_as_crowds_is_pycocotools_with_a_crowd_of_every_class(case):
    pytest.importorskip("pycocotools")
    some, detections = random_case(case, IMAGES, CLASSES)
    truth = Truth(some.images, some.classes, some.boxes, some.crowd)
    foreign, copies = foreign_boxes(case, detections), np.ones(30 * CLASSES, bool)
    every = Truth(
        np.concatenate([truth.images, np.repeat(foreign.images, CLASSES)]),
        np.concatenate([truth.classes, np.tile(np.arange(CLASSES), 30)]),
        np.concatenate([truth.boxes, np.repeat(foreign.boxes, CLASSES, 0)]),
        np.concatenate([truth.crowds, copies]),
    )
    precision, _ = coco.by_class(every, detections, IMAGES, CLASSES, COCO_THRESHOLDS)
    after = forgiven(matched(truth, detections), detections, foreign, as_crowds=True)
    assert map_of(after) == pytest.approx(np.nanmean(precision), abs=1e-12)


@over("case", range(10))
def test_the_rule_lies_between_the_bounds(case):
    truth, detections = random_case(case, IMAGES, CLASSES)
    matches = matched(truth, detections)
    plain, most = map_of(matches), map_of(only_found(matches))
    rules = [in_pictures_with_objects(matches)]
    rules += [
        forgiven(matches, detections, foreign_boxes(case, detections), as_crowds=crowd)
        for crowd in (False, True)
    ]
    for after in rules:
        assert plain - 1e-12 <= map_of(after) <= most + 1e-12


def test_pictures_with_objects_are_a_choice_of_pictures():
    truth, detections = random_case(2, 40, crowded=1)
    matches = matched(truth, detections)
    some = np.unique(matches.object_images)
    assert len(some) < 40
    assert map_of(in_pictures_with_objects(matches)) == pytest.approx(
        map_of(matches, some), abs=1e-12
    )


@pytest.mark.parametrize(
    ("said", "plain", "rule", "crowd"),
    [
        ([(0, SHARK), (0, CAT)], 0.5, 1.0, 1.0),
        ([(0, SHARK), (0, SHARK), (0, CAT)], 1 / 3, 1.0, 1.0),  # any number of them
        ([(0, SHARK * 0.3 + [140, 0, 140, 0]), (0, CAT)], 0.5, 0.5, 1.0),  # a part of the shark
        ([(0, CAT + 500), (0, CAT)], 0.5, 0.5, 0.5),  # elsewhere
        ([(0, CAT), (0, CAT), (0, SHARK)], 1.0, 1.0, 1.0),
    ],
)
def test_scenes(said, plain, rule, crowd):
    cat, found, shark = scene(*said)
    matches = match(cat, found)
    assert map_of(matches) == pytest.approx(plain)
    assert map_of(forgiven(matches, found, shark)) == pytest.approx(rule)
    assert map_of(forgiven(matches, found, shark, as_crowds=True)) == pytest.approx(crowd)


def test_an_object_of_the_label_set_comes_first():
    """A cat's own detection stays right although the cat covers a foreign object."""
    cat, found, _ = scene((0, CAT))
    matches = match(cat, found)
    cushion = Truth(np.array([0]), np.array([0]), CAT[None])
    assert map_of(forgiven(matches, found, cushion)) == 1
    assert dropped(matches, forgiven(matches, found, cushion)).tolist() == [0]


def test_of_another_image_is_of_no_account():
    cat, found, shark = scene((0, SHARK), (0, CAT))
    elsewhere = Truth(np.array([1]), shark.classes, shark.boxes)
    matches = match(cat, found)
    assert best_overlap(matches, found, elsewhere).tolist() == [0, 0]
    assert best_overlap(matches, found, shark).tolist() == [1, 0]


def test_other_detections_than_were_matched():
    cat, found, shark = scene((0, SHARK), (0, CAT))
    fewer = Detections(*(getattr(found, name)[:1] for name in found.__annotations__))
    with pytest.raises(InputError, match=r"2 detections.*matched"):
        forgiven(match(cat, found), fewer, shark)


def test_as_many_false_positives_go_at_random_and_nothing_else():
    truth, found = random_case(3, IMAGES)
    before = match(truth, found, COCO_THRESHOLDS)
    after = forgiven(before, found, foreign_boxes(3, found))
    rng = seeds.generator("lots")
    drawn = [as_many_at_random(before, after, rng) for _ in range(20)]
    for one in drawn:
        np.testing.assert_array_equal(dropped(before, one), dropped(before, after))
        assert not (one.ignored & one.found).any()
        assert (one.ignored | ~before.ignored).all()
        assert map_of(one) >= map_of(before) - 1e-12
    assert len({one.ignored.tobytes() for one in drawn}) > 1
