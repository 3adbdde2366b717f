"""Orders and pairs that are made quickly are those that are made plainly."""

import numpy as np
import pytest

from robust_lib import seeds
from robust_lib.metrics import box_pairs
from robust_lib.metrics.box_pairs import overlapping, ranges, ranking
from robust_lib.metrics.boxes import intersection_over_union
from tests.metrics.random_boxes import random_case

TINY = np.finfo(np.float64).smallest_subnormal


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("highest", [1, 200, 70_000, 2**40])
def test_the_order_is_that_of_comparing(kind, highest):
    rng = seeds.generator("ranking", highest)
    some = rng.normal(size=40).astype(kind)  # of 3,000, so most have equals
    scores = rng.choice(np.append(some, [0.0, -0.0, TINY, -TINY, 1e30, -1e30]), 3_000).astype(kind)
    groups = rng.choice(rng.integers(0, highest, 50), 3_000)
    assert np.array_equal(ranking(scores, groups), np.lexsort((-scores, groups)))


def test_nothing_is_in_order():
    assert ranking(np.zeros(0), np.zeros(0, int)).tolist() == []
    assert ranges(np.zeros(0, int), np.zeros(0, int)).tolist() == []


@pytest.mark.parametrize("at_once", [1, 7, box_pairs.AT_ONCE])
@pytest.mark.parametrize("least", [TINY, 0.3, 1.0])
def test_pairs_box_by_box(at_once, least, monkeypatch):
    monkeypatch.setattr(box_pairs, "AT_ONCE", at_once)
    truth, found = random_case(3)
    order, true_order = (np.argsort(of.images, kind="stable") for of in (found, truth))
    which, objects, overlap = overlapping(
        found.images[order], found.boxes[order], truth.images[true_order],
        truth.boxes[true_order], truth.crowds[true_order], least,
    )  # fmt: skip
    expected = [
        (one, other, shared)
        for one, place in enumerate(order)
        for other, true in enumerate(true_order)
        if found.images[place] == truth.images[true]
        for shared in intersection_over_union(
            found.boxes[[place]], truth.boxes[[true]], truth.crowds[[true]]
        )
        if shared >= least
    ]
    assert list(zip(which, objects, overlap, strict=True)) == expected
    assert expected or least == 1


def test_keys_that_no_object_has():
    boxes = np.tile([0.0, 0.0, 2.0, 2.0], (3, 1))
    flags = np.zeros(1, bool)
    found = overlapping(np.array([1, 5, 9]), boxes, np.array([5]), boxes[:1], flags, 0.5)
    assert [part.tolist() for part in found] == [[1], [0], [1.0]]
    found = overlapping(np.array([1, 1, 9]), boxes, np.array([5]), boxes[:1], flags, 0.5)
    assert [len(part) for part in found] == [0, 0, 0]
