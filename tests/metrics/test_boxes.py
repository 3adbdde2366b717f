"""Boxes: overlaps by hand, in a loop and as COCO computes them; records that are none."""

import numpy as np
import pytest

from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.metrics.boxes import (
    Detections,
    Truth,
    intersection_over_union,
    most_confident,
    one_box_a_thing,
)
from tests.metrics.random_boxes import random_boxes
from tests.reference import detection as reference
from tests.toys import unchecked

BOX = np.array([[10.0, 10.0, 50.0, 40.0]])
ZERO = np.array([0])


@pytest.mark.parametrize("coarse", [True, False])
def test_overlaps_pair_by_pair_and_as_coco_computes_them(coarse):
    mask = pytest.importorskip("pycocotools.mask")
    rng = seeds.generator("overlaps", coarse)
    found, true = random_boxes(rng, 2000, coarse), random_boxes(rng, 2000, coarse)
    crowd = rng.random(2000) < 0.3
    ours = intersection_over_union(found, true, crowd)
    slow = [reference.overlap(a, b, c) for a, b, c in zip(found, true, crowd, strict=True)]
    np.testing.assert_array_equal(ours, slow)

    def sized(box):
        return [[*box[:2], *(box[2:] - box[:2])]]

    theirs = [
        mask.iou(sized(a), sized(b), [int(c)])[0, 0]
        for a, b, c in zip(found, true, crowd, strict=True)
    ]
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=0 if coarse else 1e-12)


@pytest.mark.parametrize(
    ("found", "true", "crowd", "expected"),
    [
        ([0, 0, 10, 10], [0, 0, 10, 10], False, 1),
        ([0, 0, 10, 10], [0, 0, 10, 20], False, 1 / 2),
        ([0, 0, 10, 10], [0, 0, 10, 20], True, 1),
        ([0, 0, 10, 10], [10, 0, 20, 10], False, 0),  # they touch
        ([5, 5, 5, 5], [5, 5, 5, 5], False, 0),  # no area
        ([5, 5, 5, 9], [0, 0, 10, 10], True, 0),
    ],
)
def test_overlaps_by_hand(found, true, crowd, expected):
    boxes = np.array([found], float), np.array([true], float)
    assert intersection_over_union(*boxes, np.array([crowd]))[0] == expected


def test_boxes_of_32_bits_are_computed_in_64():
    box = np.array([[0.1, 0.1, 1000.3, 1000.7]], np.float32)
    assert intersection_over_union(box, box, np.array([False])).dtype == np.float64


def test_what_counts():
    flags = np.array([True, False, False, True]), np.array([True, True, False, False])
    numbers = np.arange(4)
    truth = Truth(numbers, numbers, np.repeat(BOX, 4, 0), *flags)
    assert truth.counted.tolist() == [False, False, True, False]
    assert truth.crowds.tolist() == [True, False, False, True]
    assert truth.without_classes().classes.tolist() == [0, 0, 0, 0]
    assert truth.without_classes().counted.tolist() == truth.counted.tolist()
    assert Truth(numbers, numbers, truth.boxes).counted.all()


TRUTHS = [
    ((np.array([0, 1]), ZERO, BOX), r"one entry per box .* images \(2,\), classes \(1,\)"),
    ((ZERO, ZERO, BOX[:, :3]), r"boxes \(1, 3\)"),
    ((ZERO, ZERO, BOX, np.zeros(2, bool)), r"crowd \(2,\)"),
    ((ZERO, ZERO, BOX, None, np.zeros(2, bool)), r"ignored \(2,\)"),
    ((np.array([-1]), ZERO, BOX), "whole numbers from 0 as images, but got int64 from -1"),
    ((ZERO, np.array([-1]), BOX), "as classes, .* omit boxes of unknown class"),
    ((ZERO, np.array([1.0]), BOX), "as classes, but got float64"),
    ((ZERO, ZERO, BOX[:, [2, 1, 0, 3]]), "x1 <= x2 .* as box 0; 1 of 1 are wrong. COCO's"),
    ((ZERO, ZERO, BOX * np.nan), "pixels .* nan"),
]


@pytest.mark.parametrize(("fields", "message"), TRUTHS)
def test_truths_that_are_none(fields, message):
    with unchecked(), pytest.raises(InputError, match=message):
        Truth(*fields)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (np.array([np.nan]), "finite score .* for 1 of 1. Check the detector"),
        (np.array([np.inf]), "NaN or infinity"),
        (np.zeros(2), r"scores \(2,\)"),
    ],
)
def test_detections_that_are_none(scores, message):
    with unchecked(), pytest.raises(InputError, match=message):
        Detections(ZERO, ZERO, BOX, scores)


def found(*rows):
    """(image, class, score) a box."""
    images, classes, scores = zip(*rows, strict=True) if rows else ((), (), ())
    return Detections(
        np.array(images, int), np.array(classes, int), np.zeros((len(rows), 4)),
        np.array(scores, float),
    )  # fmt: skip


def test_the_surest_box_of_an_image_decides():
    assert most_confident(found((0, 3, 0.2), (0, 5, 0.7), (1, 1, 0.1)), 2).tolist() == [5, 1]


def test_of_equal_scores_the_first_decides():
    assert most_confident(found((0, 3, 0.5), (0, 5, 0.5), (0, 4, 0.5)), 1).tolist() == [3]


def test_an_image_without_a_box_has_no_answer():
    said = most_confident(found((1, 2, 0.9)), 3)
    assert said.tolist() == [-1, 2, -1]
    assert most_confident(found(), 2).tolist() == [-1, -1]


def test_a_box_in_an_image_that_there_is_not():
    with pytest.raises(InputError, match=r"images 0.*0.*image 1"):
        most_confident(found((1, 2, 0.9)), 1)


@pytest.mark.parametrize("count", [0, 1, 5, 40])
def test_as_a_slow_loop_finds_it(count):
    rng = np.random.default_rng(count)
    rows = [
        (int(rng.integers(5)), int(rng.integers(10)), float(rng.choice([0.1, 0.2, 0.3])))
        for _ in range(count)
    ]
    slow = [-1] * 5
    for image in range(5):
        best = -1.0
        for owner, kind, score in rows:
            if owner == image and score > best:
                slow[image], best = kind, score
    assert most_confident(found(*rows), 5).tolist() == slow


def test_one_box_a_thing_is_torchvisions_suppression():
    """Image by image, in any order of boxes; without any box there is nothing to suppress."""
    ops = pytest.importorskip("torchvision.ops")
    torch = pytest.importorskip("torch")
    rng = seeds.generator("one box a thing")
    boxes, images = random_boxes(rng, 600, False), rng.integers(0, 9, 600)
    found = Detections(images, rng.integers(0, 4, 600), boxes, rng.random(600))
    kept = one_box_a_thing(found)
    theirs = ops.batched_nms(*map(torch.from_numpy, (boxes, found.scores, images)), 0.5)
    assert 0 < len(kept.images) < 600
    np.testing.assert_array_equal(kept.scores, found.scores[np.sort(theirs.numpy())])
    none = Detections(images[:0], images[:0], boxes[:0], found.scores[:0])
    assert len(one_box_a_thing(none).images) == 0
