"""Scores again: beside a slow obvious search, and by hand."""

import numpy as np
import pytest

from robust_lib.errors import InputError
from robust_lib.metrics.boxes import Detections, intersection_over_union
from robust_lib.metrics.matched_scores import matched_scores

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
