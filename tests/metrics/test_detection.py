"""Detection metrics: pycocotools on a thousand images, slow loops, and choices of images."""

from dataclasses import replace

import numpy as np
import pytest

from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.metrics.box_matching import SIZES
from robust_lib.metrics.boxes import Detections, Truth
from robust_lib.metrics.detection import (
    COCO_THRESHOLDS,
    average_precision,
    map_of,
    matched,
    mean_average_precision,
    precision_by_class,
    precision_by_image,
    recall,
    recall_by_class,
)
from robust_lib.metrics.foreign import forgiven
from tests.looped import over
from tests.metrics.random_boxes import random_case
from tests.real_data import real_boxes, told_by_pycocotools
from tests.reference import coco
from tests.reference import detection as reference
from tests.toys import unchecked

KINDS = ("all-point", "11-point", "101-point")


def ranking(case, groups=5):
    rng = seeds.generator("ranking", case)
    count = int(rng.integers(0, 80))
    owner = rng.integers(0, groups, count)
    scores = rng.integers(0, 8, count) / 7 if case % 2 else rng.random(count)
    fate = rng.choice(["found", "wrong", "ignored"], (2, count), p=[0.4, 0.5, 0.1])
    most = np.array([[np.sum((owner == g) & (row == "found")) for g in range(groups)]
                     for row in fate]).max(0)  # fmt: skip
    return owner, scores, fate, most + rng.integers(0, 3, groups)


@pytest.mark.parametrize("kind", KINDS)
@over("case", range(40))
def test_groups_recall_by_recall(case, kind):
    owner, scores, fate, objects = ranking(case)
    ours = average_precision(owner, scores, fate == "found", fate == "ignored", objects, kind)
    for row, precision in zip(fate, ours, strict=True):
        slow = [
            reference.average_precision(
                [(scores[n], row[n]) for n in np.flatnonzero(owner == group)], count, kind
            )
            for group, count in enumerate(objects)
        ]
        np.testing.assert_allclose(precision, slow, rtol=0, atol=1e-12)


def single(right, objects, kind):
    right = np.array([right], bool)
    scores = np.linspace(1, 0.1, right.shape[1])
    group, none = np.zeros(right.shape[1], int), np.zeros_like(right)
    return average_precision(group, scores, right, none, np.array([objects]), kind)[0, 0]


def test_kinds_by_hand():
    """Right, wrong, right of two: precision 1 up to recall 1/2, then 2/3."""
    assert single([1, 0, 1], 2, "all-point") == pytest.approx(1 / 2 + 1 / 3)
    assert single([1, 0, 1], 2, "11-point") == pytest.approx((6 + 5 * 2 / 3) / 11)
    assert single([1, 0, 1], 2, "101-point") == pytest.approx((51 + 50 * 2 / 3) / 101)


def test_precision_is_made_to_never_rise():
    """Wrong, then four right: at every recall, the last precision counts."""
    for kind in KINDS:
        assert single([0, 1, 1, 1, 1], 4, kind) == pytest.approx(4 / 5)


@pytest.mark.parametrize("kind", KINDS)
def test_ends(kind):
    assert single([1, 1, 1], 3, kind) == pytest.approx(1, abs=1e-15)
    assert single([0, 0], 3, kind) == 0
    assert single([], 3, kind) == 0
    assert np.isnan(single([0], 0, kind))


def test_what_is_ignored_changes_nothing():
    owner, scores, fate, objects = ranking(8)
    found, ignored = fate[:1] == "found", fate[:1] == "ignored"
    kept = ~ignored[0]
    less = average_precision(
        owner[kept], scores[kept], found[:, kept], ignored[:, kept], objects, "all-point"
    )
    np.testing.assert_array_equal(
        less, average_precision(owner, scores, found, ignored, objects, "all-point")
    )


def test_of_equal_scores_the_first_comes_first():
    found, none, objects = np.array([[True, False]]), np.zeros((1, 2), bool), np.array([1])
    group, scores = np.zeros(2, int), np.ones(2)
    assert average_precision(group, scores, found, none, objects)[0, 0] == pytest.approx(1)
    assert average_precision(group, scores, found[:, ::-1], none, objects)[0, 0] == pytest.approx(
        1 / 2
    )


def test_recall():
    found = np.array([[True, True, False], [False, False, False]])
    share = recall(np.array([0, 2, 2]), found, np.array([2, 0, 1]))
    np.testing.assert_array_equal(share, [[0.5, np.nan, 1], [0, np.nan, 0]])


def test_an_interpolation_that_is_none():
    message = "interpolation to be one of all-point, 11-point, 101-point, but got voc"
    with unchecked(), pytest.raises(InputError, match=message):
        single([1], 1, "voc")


IMAGES, CLASSES = 20, 3
BOX = np.array([[10.0, 10.0, 50.0, 40.0]])
KINDS = ("all-point", "11-point", "101-point")


def filled(values, length):
    return np.append(values, np.full(length - len(values), np.nan))


@pytest.mark.parametrize("iou", [0.5, "coco"])
@over("case", range(50))
def test_a_thousand_images_as_pycocotools_evaluates_them(case, iou):
    """50 cases of 20 images; half of them have whole pixels and few scores, so that much ties."""
    pytest.importorskip("pycocotools")
    truth, detections = random_case(case, IMAGES, CLASSES)
    thresholds = COCO_THRESHOLDS if iou == "coco" else (iou,)
    matches = matched(truth, detections, iou)
    asked = (truth, detections, IMAGES, CLASSES, thresholds)
    precision, recall = coco.by_class(*asked)
    exact = {"rtol": 0, "atol": 1e-12}
    np.testing.assert_allclose(filled(precision_by_class(matches), CLASSES), precision, **exact)
    np.testing.assert_allclose(filled(recall_by_class(matches), CLASSES), recall, **exact)
    assert map_of(matches) == pytest.approx(np.nanmean(precision), abs=1e-12)
    pooled = precision_by_image(matches, IMAGES, "101-point")
    np.testing.assert_allclose(pooled, coco.by_image(*asked), **exact)


@pytest.mark.parametrize(("floor", "decimals"), [(0.0, None), (0.05, None), (0.0, 1)])
@pytest.mark.parametrize("detector", ["yolox_nano", "mb3_centernet"])
def test_all_twelve_numbers_of_pycocotools_on_real_detections(detector, floor, decimals):
    truth, boxes = real_boxes(detector, floor, decimals)
    expected, by_category = told_by_pycocotools(detector, floor, decimals)
    every = matched(truth, boxes)
    sizes = [matched(truth, boxes, size=size) for size in SIZES]
    some = [matched(truth, boxes, most=most) for most in (1, 10, 100)]
    ours = [map_of(every), *(mean_average_precision(truth, boxes, iou) for iou in (0.5, 0.75))]
    ours += [map_of(one) for one in sizes]
    ours += [float(np.nanmean(recall_by_class(one))) for one in (*some, *sizes)]
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-9)
    if by_category is not None:
        theirs = np.array(list(by_category.values()), float)
        np.testing.assert_allclose(precision_by_class(every), theirs, rtol=0, atol=1e-9)


@pytest.mark.parametrize("size", SIZES)
@over("case", range(6))
def test_sizes_box_by_box(case, size):
    truth, detections = random_case(case, 8, CLASSES)
    truth, detections = (replace(one, boxes=6 * one.boxes) for one in (truth, detections))
    slow = [
        reference.pooled(truth, detections, range(8), [label], 0.5, "101-point", limits=SIZES[size])
        for label in range(CLASSES)
    ]
    if not np.isnan(slow).all():
        found = mean_average_precision(truth, detections, 0.5, size=size)
        assert found == pytest.approx(np.nanmean(slow), abs=1e-12)


def test_cocos_thresholds():
    pytest.importorskip("pycocotools")
    from pycocotools.cocoeval import Params

    np.testing.assert_array_equal(COCO_THRESHOLDS, Params("bbox").iouThrs)
    np.testing.assert_array_equal(np.linspace(0, 1, 101), Params("bbox").recThrs)


@pytest.mark.parametrize("most", [1, 3])
def test_fewer_detections_looked_at_as_pycocotools_does(most):
    pytest.importorskip("pycocotools")
    truth, detections = random_case(70, 5, 2)
    expected, _ = coco.by_class(truth, detections, 5, 2, (0.5,), most)
    matches = matched(truth, detections, 0.5, most=most)
    np.testing.assert_allclose(precision_by_class(matches), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@over("case", range(8))
def test_chosen_images_box_by_box(case, kind):
    """Any order of images, some more than once."""
    truth, detections = random_case(case, 8, CLASSES)
    chosen = seeds.generator("chosen", case).integers(0, 8, 8)
    matches = matched(truth, detections, 0.5)
    slow = [
        reference.pooled(truth, detections, chosen, [label], 0.5, kind) for label in range(CLASSES)
    ]
    ours = filled(precision_by_class(matches, chosen, kind), CLASSES)
    np.testing.assert_allclose(ours, slow, rtol=0, atol=1e-12)
    asked = (truth, detections, chosen, range(CLASSES), 0.5, kind)
    found = mean_average_precision(truth, detections, 0.5, images=chosen, interpolation=kind)
    assert found == pytest.approx(reference.mean_average_precision(*asked), abs=1e-12)
    pooled = precision_by_image(matches, 8, kind)
    slow = [
        reference.pooled(truth, detections, [image], range(CLASSES), 0.5, kind)
        for image in range(8)
    ]
    np.testing.assert_allclose(pooled, slow, rtol=0, atol=1e-12)
    each = [
        [reference.pooled(truth, detections, [image], [label], 0.5, kind) for image in range(8)]
        for label in range(CLASSES)
    ]
    found = precision_by_image(matches, 8, kind, by_class=True)
    shown = ~np.isnan(slow)
    np.testing.assert_array_equal(np.isnan(found), ~shown)
    slow = np.nanmean(np.array(each, float)[:, shown], axis=0)
    np.testing.assert_allclose(found[shown], slow, rtol=0, atol=1e-12)


def test_foreign_objects_are_left_out_by_the_rule_of_their_module():
    truth, detections = random_case(3, IMAGES, CLASSES)
    foreign = Truth(detections.images[:20], detections.classes[:20], detections.boxes[:20])
    plain = matched(truth, detections)
    ruled = matched(truth, detections, out_of_distribution=foreign)
    np.testing.assert_array_equal(ruled.ignored, forgiven(plain, detections, foreign).ignored)
    assert mean_average_precision(truth, detections, "coco", foreign) == map_of(ruled)
    assert map_of(ruled) > map_of(plain)


def nothing():
    none = np.zeros(0, int)
    return Detections(none, none, np.zeros((0, 4)), np.zeros(0))


def test_a_detector_that_finds_nothing():
    truth, _ = random_case(0)
    assert mean_average_precision(truth, nothing()) == 0
    assert mean_average_precision(truth, nothing(), 0.5, truth) == 0


def test_a_perfect_detector():
    truth, _ = random_case(0, flags=False)
    boxes = Detections(
        truth.images, truth.classes, truth.boxes, np.linspace(1, 0, len(truth.boxes))
    )
    for kind in KINDS:
        assert mean_average_precision(truth, boxes, interpolation=kind) == pytest.approx(1)


def test_an_image_without_objects_makes_detections_wrong():
    truth = Truth(np.array([0]), np.array([0]), BOX)
    both = Detections(
        np.array([0, 1]), np.zeros(2, int), np.repeat(BOX, 2, 0), np.array([0.5, 0.9])
    )
    assert mean_average_precision(truth, both, 0.5) == pytest.approx(1 / 2)
    assert np.isnan(precision_by_image(matched(truth, both, 0.5), 2)[1])


def test_the_order_of_boxes_is_of_no_account_where_no_scores_tie():
    truth, found = random_case(2)
    mixed = seeds.generator("mixed").permutation(len(found.scores))
    fields = found.images, found.classes, found.boxes, found.scores
    again = Detections(*(field[mixed] for field in fields))
    assert mean_average_precision(truth, again) == mean_average_precision(truth, found)


def test_only_the_order_of_scores_matters():
    truth, found = random_case(4)
    other = Detections(found.images, found.classes, found.boxes, np.exp(5 * found.scores) - 9)
    assert mean_average_precision(truth, other) == mean_average_precision(truth, found)


def test_questions_without_an_answer():
    truth, found = random_case(0)
    with unchecked():
        with pytest.raises(InputError, match="or 'coco', but got 'voc'"):
            mean_average_precision(truth, found, "voc")
        with pytest.raises(InputError, match=r"above 0.*1"):
            mean_average_precision(truth, found, 50)
        with pytest.raises(InputError, match=r"at least one object .* Check that ground truth"):
            mean_average_precision(truth, found, images=np.array([99]))
        with pytest.raises(InputError, match=r"images 0.*4.*image"):
            precision_by_image(matched(truth, found), 5)
        with pytest.raises(InputError, match="interpolation to be one of"):
            mean_average_precision(truth, found, interpolation="voc")
