"""pm-k: frame by frame in a loop, the paper's and the code's reading, ties, the paper's numbers."""

import numpy as np
import pytest
from scipy import stats

from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.metrics.boxes import Detections, Truth
from robust_lib.metrics.detection import map_of, mean_average_precision
from robust_lib.metrics.intervals import clopper_pearson
from robust_lib.metrics.map_draws import map_draws
from robust_lib.metrics.pm_k import (
    drop,
    hits,
    pm_k_accuracy,
    pm_k_map,
    worst_frames,
)
from tests.looped import over
from tests.metrics.random_boxes import random_case
from tests.reference import detection as reference
from tests.toys import unchecked


def frame_sets(anchors, others, offsets):
    """Sets of different sizes as two arrays, the anchor first."""
    numbers = np.full((len(anchors), 1 + max(map(len, others))), -1)
    away = np.zeros_like(numbers)
    for place, frames in enumerate(others):
        numbers[place, : 1 + len(frames)] = [anchors[place], *frames]
        away[place, 1 : 1 + len(frames)] = offsets[place]
    return numbers, away


def video_sets(case, sets=12, reach=4, frames=40):
    """Sets of any size in any order, down to a lone anchor; a frame may be in several."""
    rng = seeds.generator("sets", case)
    steps = np.array([step for step in range(-reach, reach + 1) if step])
    chosen = [
        rng.permutation(steps)[: rng.integers(0, 2 * reach + 1)].tolist() for _ in range(sets)
    ]
    chosen[0] = chosen[0][:0]
    others = [rng.integers(0, frames, len(away)).tolist() for away in chosen]
    numbers, offsets = frame_sets(rng.integers(0, frames, sets).tolist(), others, chosen)
    place = rng.permutation(numbers.shape[1])
    return numbers[:, place], offsets[:, place]


@pytest.mark.parametrize("anchor", [True, False])
@over("case", range(30))
def test_accuracy_set_by_set(case, anchor):
    neighbours, offsets = video_sets(case)
    correct = seeds.generator("correct", case).random(40) < 0.8
    found = hits(correct, neighbours, offsets, 6, anchor=anchor)
    slow = [
        [reference.right_on_a_set(correct, *one, k, anchor) for k in range(7)]
        for one in zip(neighbours, offsets, strict=True)
    ]
    assert found.tolist() == slow
    accuracy = pm_k_accuracy(correct, neighbours, offsets, 6, anchor=anchor)
    assert accuracy.tolist() == np.mean(slow, axis=0).tolist()


@pytest.mark.parametrize("anchor", [True, False])
@over("case", range(30))
def test_worst_frames_one_at_a_time(case, anchor):
    """Few different qualities, so that many tie, and frames without any."""
    neighbours, offsets = video_sets(case)
    rng = seeds.generator("quality", case)
    quality = np.where(rng.random(40) < 0.2, np.nan, rng.integers(0, 4, 40) / 3)
    found = worst_frames(quality, neighbours, offsets, 6, anchor=anchor)
    slow = [
        [reference.worst_frame(quality, *one, k, anchor) for k in range(7)]
        for one in zip(neighbours, offsets, strict=True)
    ]
    assert found.tolist() == slow


@over("case", range(5))
def test_accuracy_never_rises_with_k_and_begins_with_the_anchors(case):
    neighbours, offsets = video_sets(case, sets=200)
    correct = seeds.generator("falls", case).random(40) < 0.9
    accuracy = pm_k_accuracy(correct, neighbours, offsets)
    assert accuracy.shape == (11,)
    assert (np.diff(accuracy) <= 0).all()
    assert accuracy[0] == correct[neighbours[offsets_of_anchor(neighbours, offsets)]].mean()
    assert (accuracy[4:] == accuracy[4]).all()


def offsets_of_anchor(neighbours, offsets):
    return (neighbours >= 0) & (offsets == 0)


def test_the_two_readings():
    """Wrong on the anchor alone: lost in the code's reading, won in the formula's."""
    neighbours, offsets = frame_sets([0, 3], [[1, 2], []], [[-1, 2], []])
    correct = np.array([False, True, False, False])
    assert hits(correct, neighbours, offsets, 2).tolist() == [[False] * 3, [False] * 3]
    found = hits(correct, neighbours, offsets, 2, anchor=False)
    assert found.tolist() == [[False, True, False], [False] * 3]


def test_the_papers_resnet_50():
    """749 and 582 of 1,109 sets: 67.5 % and 52.5 %, with the paper's interval of the first."""
    neighbours = np.arange(2218).reshape(1109, 2)
    offsets = np.tile([0, 10], (1109, 1))
    correct = (
        np.concatenate([np.arange(1109) < 749, np.arange(1109) < 582]).reshape(2, -1).T.ravel()
    )
    right = hits(correct, neighbours, offsets)
    assert right.sum(0).tolist() == [749] * 10 + [582]
    low, high = clopper_pearson(right.sum(0), len(right))
    assert (low[0].round(3), high[0].round(3)) == (0.647, 0.703)
    value, low, high = drop(right[:, 0], right[:, 10])
    assert value == pytest.approx(167 / 1109)
    assert (low, high) == clopper_pearson(167, 1109)


def test_of_ties_the_nearest_then_the_earlier():
    neighbours, offsets = frame_sets([0], [[1, 2, 3, 4]], [[2, 1, -1, -2]])
    for quality, expected in (
        ([0.5, 0.5, 0.5, 0.5, 0.5], [0, 0, 0]),
        ([0.5, 0.1, 0.1, 0.1, 0.1], [0, 3, 3]),
        ([0.5, 0.1, 0.5, 0.5, 0.1], [0, 0, 4]),
        ([0.5, 0.1, 0.2, 0.3, 0.1], [0, 2, 4]),
    ):
        assert worst_frames(np.array(quality), neighbours, offsets, 2).tolist() == [expected]


def test_a_drop_of_the_same_sets_is_surer_than_of_others():
    original, perturbed = np.arange(1000) < 700, np.arange(1000) < 690
    value, low, high = drop(original, perturbed)
    assert value == pytest.approx(0.01)
    assert 0 < low < value < high < 0.02
    assert drop(original, original)[:2] == (0, 0)
    wider = drop(original, perturbed, level=0.99)
    assert wider[1] < low
    assert high < wider[2]


def test_a_drop_with_sets_that_are_won_is_resampled_in_pairs():
    original, perturbed = (
        np.arange(2000) < 1400,
        (np.arange(2000) < 1200) | (np.arange(2000) > 1899),
    )
    value, low, high = drop(original, perturbed)
    lost, won = 200 / 2000, 100 / 2000
    assert value == pytest.approx(lost - won)
    deviation = np.sqrt((lost + won - (lost - won) ** 2) / 2000)
    expected = stats.norm(value, deviation).interval(0.95)
    np.testing.assert_allclose((low, high), expected, atol=0.1 * (high - low))
    assert drop(perturbed, original)[0] == -value


def test_drops_of_other_sets_or_of_none():
    with unchecked():
        for one, other in ((np.ones(3, bool), np.ones(2, bool)), (np.ones(0, bool),) * 2):
            with pytest.raises(InputError, match="same sets and at least one set, but got"):
                drop(one, other)


@pytest.mark.parametrize("localization", [False, True])
@pytest.mark.parametrize("anchor", [True, False])
@over("case", range(6))
def test_map_frame_by_frame(case, anchor, localization):
    truth, detections = random_case(case, images=40, classes=3, crowded=2)
    neighbours, offsets = video_sets(case)
    found = pm_k_map(
        truth, detections, neighbours, offsets, 5, anchor=anchor, localization=localization
    )
    if localization:
        zeros = np.zeros_like(truth.classes), np.zeros_like(detections.classes)
        truth = Truth(truth.images, zeros[0], truth.boxes, truth.crowd, truth.ignored)
        detections = Detections(detections.images, zeros[1], detections.boxes, detections.scores)
    quality = [
        reference.pooled(truth, detections, [frame], range(3), 0.5, "all-point")
        for frame in range(40)
    ]
    for k in range(6):
        frames = [
            reference.worst_frame(quality, *one, k, anchor)
            for one in zip(neighbours, offsets, strict=True)
        ]
        assert found.frames[:, k].tolist() == frames
        expected = reference.mean_average_precision(
            truth, detections, frames, range(3), 0.5, "all-point"
        )
        assert found.values[k] == pytest.approx(expected, abs=1e-12)


def test_map_at_0_is_the_ordinary_one_of_the_anchors():
    truth, detections = random_case(3, images=40)
    neighbours, offsets = video_sets(3)
    anchors = neighbours[offsets_of_anchor(neighbours, offsets)]
    for iou, kind in ((0.5, "all-point"), ("coco", "101-point")):
        found = pm_k_map(truth, detections, neighbours, offsets, iou=iou, interpolation=kind)
        expected = mean_average_precision(
            truth, detections, iou, images=anchors, interpolation=kind
        )
        assert found.values[0] == expected


BOX = np.array([[10.0, 10.0, 50.0, 40.0]])


def scene(said, shown=(7, 7, 7)):
    """An anchor, the frame after it and the next one; None where nothing is shown or said."""
    seen = [frame for frame, label in enumerate(shown) if label is not None]
    told = [frame for frame, label in enumerate(said) if label is not None]
    truth = Truth(np.array(seen), np.array([shown[n] for n in seen]), np.repeat(BOX, len(seen), 0))
    numbers = np.array(told, int), np.array([said[n] for n in told], int)
    found = Detections(*numbers, np.repeat(BOX, len(told), 0), np.ones(len(told)))
    return truth, found, *frame_sets([0], [[1, 2]], [[1, 2]])


def test_a_fox_called_a_sheep_is_still_found():
    asked = scene(said=(7, 3, 7))
    assert pm_k_map(*asked, 2).values.tolist() == [1, 0, 0]
    assert pm_k_map(*asked, 2, localization=True).values.tolist() == [1, 1, 1]


@over("objects", range(2, 30))
def test_of_equally_good_frames_the_anchor_stays_however_many_objects_they_show(objects):
    """The precision of six objects that are all found sums to a little less than one."""
    images = np.repeat([0, 1], [objects, 1])
    boxes = np.array([[20.0 * place, 0.0, 20.0 * place + 10, 10.0] for place in range(objects)])
    boxes = np.concatenate([boxes, boxes[:1]])
    truth = Truth(images, np.full(objects + 1, 7), boxes)
    found = Detections(images, truth.classes, boxes, np.linspace(0.9, 0.5, objects + 1))
    for neighbours in ([[0, 1]], [[1, 0]]):
        by_k = pm_k_map(truth, found, np.array(neighbours), np.array([[0, 1]]), k=1)
        assert by_k.frames.tolist() == [[neighbours[0][0]] * 2]
        assert by_k.values == pytest.approx([1, 1])


def test_a_thing_of_two_names_costs_localisation_as_well():
    """Suppression works by class, so that a hedged name leaves a second box on the same thing."""
    box = np.array([[10.0, 10.0, 50.0, 40.0]])
    truth = Truth(np.array([0, 1, 1]), np.array([7, 7, 3]), np.repeat(box, 3, 0))
    truth = Truth(truth.images, truth.classes, truth.boxes + 100 * np.array([[0], [0], [1]]))
    far = box + 100
    found = Detections(
        np.array([0, 1, 1, 1]), np.array([7, 3, 7, 3]), np.concatenate([box, box, box, far]),
        np.array([0.95, 0.9, 0.85, 0.8]),
    )  # fmt: skip
    sets = np.array([[0, 1]]), np.array([[0, 1]])
    both = [
        pm_k_map(truth, found, *sets, 1, localization=localization)
        for localization in (False, True)
    ]
    assert both[1].values == pytest.approx([1, 5 / 6])
    alone = pm_k_map(truth, found, *sets, 1, localization=True, one_box=True)
    assert alone.values.tolist() == [1, 1]


def test_a_false_box_of_a_class_not_shown_makes_the_worst_frame_of_pooled_classes_alone():
    """The anchor shows a fox and a surer false sheep, its neighbour a fox that is half missed."""
    truth = Truth(np.array([0, 1, 1]), np.array([7, 7, 7]), np.repeat(BOX, 3, 0))
    truth = Truth(truth.images, truth.classes, truth.boxes + 100 * np.array([[0], [0], [1]]))
    far = BOX + 100
    found = Detections(
        np.array([0, 0, 0, 1]), np.array([3, 3, 7, 7]),
        np.concatenate([far, far + 100, BOX, BOX]), np.array([0.9, 0.8, 0.7, 0.9]),
    )  # fmt: skip
    sets = np.array([[0, 1]]), np.array([[0, 1]])
    frames = [
        pm_k_map(truth, found, *sets, 1, by_class=way).frames.tolist() for way in (False, True)
    ]
    assert frames == [[[0, 0]], [[0, 1]]]  # a third against a half; one against a half


def test_frames_without_objects_are_not_chosen():
    found = pm_k_map(*scene(said=(7, 7, None), shown=(7, None, 7)), 2)
    assert found.frames.tolist() == [[0, 0, 2]]
    assert found.values.tolist() == [1, 1, 0]


def test_an_anchor_without_objects_stays_until_a_frame_with_some_is_near():
    """It is in the ordinary mAP, where what is found on it is wrong, and not a candidate after."""
    truth, found, *_ = scene(said=(3, 3, 3), shown=(None, 3, 3))
    sure = Detections(found.images, found.classes, found.boxes, np.array([1.0, 0.5, 0.5]))
    sets = frame_sets([0, 2], [[1], []], [[2], []])
    result = pm_k_map(truth, sure, *sets, 2)
    assert result.frames.tolist() == [[0, 0, 1], [2, 2, 2]]
    assert result.values.tolist() == [0.5, 0.5, 1]
    with pytest.raises(InputError, match="at least one object"):
        pm_k_map(truth, sure, *frame_sets([0], [[1]], [[2]]), 2)


def test_with_the_anchor_out_it_is_any_other_frame():
    found = pm_k_map(*scene(said=(None, 7, 7)), 2, anchor=False)
    assert found.frames.tolist() == [[0, 1, 1]]
    assert found.values.tolist() == [0, 1, 1]


def test_intervals_come_from_resampled_sets_in_pairs():
    truth, detections = random_case(2, images=40)
    neighbours, offsets = video_sets(2)
    found = pm_k_map(truth, detections, neighbours, offsets, 3)
    near, far = (
        map_draws(found.matches, found.frames[:, k], rng=seeds.generator("sets"), samples=40)
        for k in (0, 3)
    )
    assert near.std() > 0
    again = map_draws(found.matches, found.frames[:, 0], rng=seeds.generator("sets"), samples=40)
    np.testing.assert_array_equal(near, again)
    assert map_of(found.matches, found.frames[:, 3], "all-point") == found.values[3]
    assert far.mean() < near.mean()


def test_questions_without_an_answer():
    neighbours, offsets = video_sets(0)
    with pytest.raises(InputError, match=r"0.*frames.*10.*-1"):
        pm_k_accuracy(np.ones(40, bool), neighbours, offsets, -1)
    with pytest.raises(InputError, match="frames from 0 to 2"):
        pm_k_accuracy(np.ones(3, bool), neighbours, offsets)
