"""Average precision: by hand, and recall by recall in a loop."""

import numpy as np
import pytest

from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.metrics.average_precision import average_precision, recall
from tests.looped import over
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
