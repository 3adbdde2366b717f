"""Resampled mAP and mAR: against the same numbers computed resample by resample."""

import numpy as np
import pytest

from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.metrics import map_draws as module
from robust_lib.metrics.boxes import Detections, Truth
from robust_lib.metrics.detection import map_of, matched, recall_by_class
from robust_lib.metrics.foreign import forgiven
from robust_lib.metrics.map_draws import map_draws, mar_draws
from tests.looped import over
from tests.metrics.random_boxes import random_case
from tests.toys import unchecked

IMAGES = 12
BOX = np.array([[10.0, 10.0, 50.0, 40.0]])
KINDS = ("all-point", "11-point", "101-point")


def case_without_ties(case):
    """Boxes tie in odd cases; scores do not, for an image drawn twice has its boxes in turn."""
    truth, found = random_case(case, IMAGES)
    scores = found.scores - 1e-6 * np.argsort(np.argsort(found.images, kind="stable"))
    return truth, Detections(found.images, found.classes, found.boxes, scores)


def slow(statistic, images, key, samples):
    """One resample after another; images in the order of their numbers, which settles ties."""
    rng = seeds.generator(key)
    chosen = (images[rng.integers(0, len(images), len(images))] for _ in range(samples))
    return [statistic(np.sort(one)) for one in chosen]


@pytest.mark.parametrize("iou", [0.5, "coco"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", range(10))
def test_map_of_each_resample(case, kind, iou, monkeypatch):
    """Small batches, so that there are several."""
    monkeypatch.setattr(module, "BATCH", 200)
    truth, found = case_without_ties(case)
    foreign = Truth(found.images[:9], found.classes[:9], found.boxes[:9])
    matches = forgiven(matched(truth, found, iou), found, foreign)
    images = np.arange(IMAGES)
    draws = map_draws(matches, images, rng=seeds.generator(case), samples=15, interpolation=kind)
    expected = slow(lambda chosen: map_of(matches, chosen, kind), images, case, 15)
    np.testing.assert_allclose(draws, expected, rtol=0, atol=1e-12)


@over("case", range(4))
def test_mar_of_each_resample(case):
    truth, found = random_case(case, IMAGES)
    matches, images = matched(truth, found), np.arange(IMAGES)
    draws = mar_draws(matches, images, rng=seeds.generator(case), samples=15)
    expected = slow(lambda chosen: np.nanmean(recall_by_class(matches, chosen)), images, case, 15)
    np.testing.assert_allclose(draws, expected, rtol=0, atol=1e-12)


def test_of_equal_scores_the_lower_image_comes_first():
    truth = Truth(np.array([1]), np.array([0]), BOX)
    found = Detections(np.array([1, 0]), np.zeros(2, int), np.repeat(BOX, 2, 0), np.ones(2))
    matches = matched(truth, found, 0.5)
    draws = map_draws(matches, np.arange(2), rng=seeds.generator(1), samples=50)
    assert set(draws[~np.isnan(draws)]) == {0.5, 1}


def test_some_of_the_images_and_one_of_them_twice():
    """Images that nothing is asked of, and boxes beyond all that is asked of, are of no account."""
    truth, found = random_case(6, IMAGES)
    matches, images = matched(truth, found, 0.5), np.array([7, 2, 2, 5])
    draws = map_draws(matches, images, rng=seeds.generator("some"), samples=20)
    expected = slow(lambda chosen: map_of(matches, chosen, "all-point"), images, "some", 20)
    np.testing.assert_allclose(draws, expected, rtol=0, atol=1e-12)


def test_images_without_any_box_are_drawn_too():
    truth = Truth(np.array([0]), np.array([0]), BOX)
    found = Detections(np.array([0]), np.array([0]), BOX, np.array([0.5]))
    matches = matched(truth, found, 0.5)
    draws = map_draws(matches, np.array([0, 90]), rng=seeds.generator(1), samples=50)
    assert np.isnan(draws).any()
    assert set(draws[~np.isnan(draws)]) == {1}


def test_a_detector_that_finds_nothing():
    none = np.zeros(0, int)
    truth = Truth(np.array([0]), np.array([0]), BOX)
    nothing = matched(truth, Detections(none, none, np.zeros((0, 4)), np.zeros(0)), 0.5)
    for draws in (map_draws, mar_draws):
        drawn = draws(nothing, np.arange(2), rng=seeds.generator(1), samples=50)
        assert np.isnan(drawn).any()
        assert set(drawn[~np.isnan(drawn)]) == {0}


def test_nothing_to_draw_from():
    matches = matched(*random_case(0))
    with unchecked():
        for draws in (map_draws, mar_draws):
            with pytest.raises(InputError, match="got 0 and 1000"):
                draws(matches, np.zeros(0, int), rng=seeds.generator(1))
            with pytest.raises(InputError, match="got 2 and 1"):
                draws(matches, np.arange(2), rng=seeds.generator(1), samples=1)
        with pytest.raises(InputError, match="interpolation to be one of"):
            map_draws(matches, np.arange(2), rng=seeds.generator(1), interpolation="voc")


def test_a_choice_of_fewer_images_has_none_twice():
    truth, found = case_without_ties(4)
    matches = matched(truth, found, 0.5)
    rng = seeds.generator("few")
    chosen = (np.sort(rng.choice(IMAGES, 5, replace=False)) for _ in range(20))
    expected = [map_of(matches, one, "all-point") for one in chosen]
    few = map_draws(matches, np.arange(IMAGES), rng=seeds.generator("few"), samples=20, size=5)
    np.testing.assert_allclose(few, expected, atol=1e-12)
    every = map_draws(matches, np.arange(IMAGES), rng=rng, samples=3, size=IMAGES)
    np.testing.assert_allclose(every, map_of(matches, interpolation="all-point"))
    with pytest.raises(InputError, match="1 to 12 images"):
        map_draws(matches, np.arange(IMAGES), rng=rng, samples=3, size=IMAGES + 1)
