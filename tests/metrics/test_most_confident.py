"""Detectors as classifiers: the surest box decides, no box decides nothing."""

import numpy as np
import pytest

from robust_lib.errors import InputError
from robust_lib.metrics.boxes import Detections
from robust_lib.metrics.most_confident import most_confident


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
    with pytest.raises(InputError, match="in images 0 to 0, but got one in image 1"):
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
