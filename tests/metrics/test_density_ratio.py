"""Density ratios against loops; planted blind spots are found, and none where there are none."""

import numpy as np
import pytest

from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.metrics import density_ratio as module
from robust_lib.metrics.density_ratio import density_ratio, nearest, region_of, regions
from tests.looped import over
from tests.reference import density_ratio as reference
from tests.toys import unchecked


def two_samples(case, training=200, pool=200, planted=0, size=5, apart=7.0):
    """Points of both samples of one cloud; the last of the pool lie in a cloud of their own."""
    rng = seeds.generator("two samples", case)
    points = rng.normal(size=(training + pool, size))
    if planted:
        points[-planted:, 0] += apart
    return points, np.arange(training + pool) < training, rng


def ratio_of(points, training, rng, k=20, permutations=199):
    around = nearest(points, points, k, own=np.arange(len(points)))
    return density_ratio(around, training, rng=rng, permutations=permutations)


@over("case", range(4))
def test_neighbours_are_those_of_a_loop(case):
    rng = seeds.generator("neighbours", case)
    among, points = rng.normal(size=(30, 3)), rng.normal(size=(8, 3))
    points[:4] = among[[3, 9, 12, 29]]
    own = np.array([3, 9, 12, 29, -1, -1, -1, -1])
    found = nearest(points, among, 6, own)
    assert found.tolist() == reference.nearest(points.tolist(), among.tolist(), 6, own)
    free = nearest(points, among, 6)
    assert free.tolist() == reference.nearest(points.tolist(), among.tolist(), 6, [-1] * 8)
    assert free[:4, 0].tolist() == [3, 9, 12, 29]


def test_one_of_many_equal_pictures_is_not_its_own_neighbour():
    among = np.zeros((12, 2))
    found = nearest(among, among, 3, own=np.arange(12))
    assert all(place not in row for place, row in enumerate(found.tolist()))
    assert found.shape == (12, 3)


@pytest.mark.parametrize("case", range(3))
def test_shares_ratios_and_chances_are_those_of_loops(case, monkeypatch):
    monkeypatch.setattr(module, "_AT_ONCE", 8)
    points, training, _ = two_samples(case, 20, 30, planted=6)
    around = nearest(points, points, 5, own=np.arange(50))
    found = density_ratio(around, training, rng=np.random.default_rng(case), permutations=20)
    counts = [sum(bool(training[place]) for place in row) for row in around]
    assert found.counts.tolist() == counts
    expected = [np.log((count + 0.5) / (5 - count + 0.5) / (20 / 30)) for count in counts]
    np.testing.assert_allclose(found.log_ratio, expected)
    rng = np.random.default_rng(case)
    orders = [
        row for many in (8, 8, 4) for row in rng.permuted(np.tile(training, (many, 1)), axis=1)
    ]
    smallest = reference.smallest_counts(around.tolist(), orders)
    chances = [(1 + sum(one <= count for one in smallest)) / 21 for count in counts]
    np.testing.assert_allclose(found.p_values, chances)


@pytest.mark.parametrize("size", [2, 10])
@pytest.mark.parametrize(("training", "pool"), [(300, 300), (600, 200)])
def test_a_planted_blind_spot_is_found_whole_and_nothing_else(size, training, pool):
    points, names, rng = two_samples(size, training, pool, planted=60, size=size)
    rare = ratio_of(points, names, rng).is_rare()
    assert rare[-60:].mean() > 0.9
    assert rare[:-60].mean() < 0.01


def test_what_is_as_dense_in_both_has_a_ratio_of_zero_whatever_the_sizes():
    for training, pool in ((400, 400), (900, 300)):
        points, names, rng = two_samples("sizes", training, pool)
        assert abs(ratio_of(points, names, rng, k=50, permutations=9).log_ratio.mean()) < 0.1


def test_in_samples_of_one_distribution_there_is_seldom_a_false_alarm():
    alarms = 0
    for case in range(100):
        points, names, rng = two_samples(f"same {case}", 60, 80, size=3)
        alarms += ratio_of(points, names, rng, k=15, permutations=99).is_rare(0.05).any()
    assert alarms <= 11  # of 100 at 5 % each, more come once in a hundred tests


def test_a_region_where_training_pictures_abound_is_no_blind_spot():
    points, names, rng = two_samples("dense", planted=60)
    assert not ratio_of(points, ~names, rng).is_rare()[-60:].any()


def clouds(*sizes, apart=12.0):
    rng = seeds.generator("clouds", *sizes)
    return np.concatenate(
        [rng.normal(size=(size, 4)) + apart * np.eye(4)[at % 4] for at, size in enumerate(sizes)]
    )


@pytest.mark.parametrize("sizes", [(60, 40), (80, 40, 20)])
def test_clouds_apart_are_regions_the_largest_first(sizes):
    expected = [at for at, size in enumerate(sizes) for _ in range(size)]
    order = seeds.generator("order", *sizes).permutation(sum(sizes))
    found = regions(clouds(*sizes)[order])
    assert found.tolist() == np.array(expected)[order].tolist()


def test_every_point_is_in_a_region_that_of_the_nearest_grouped_one():
    points = np.concatenate([clouds(50, 30), [[9.0, 0, 0, 0], [0, 9.0, 0, 0], [99.0, 0, 0, 0]]])
    found = regions(points)
    assert found[-3:].tolist() == [0, 1, 0]
    assert set(found.tolist()) == {0, 1}


@pytest.mark.parametrize("points", [np.zeros((0, 3)), np.zeros((19, 3)), clouds(9, 10)])
def test_what_is_too_small_for_two_groups_is_one_region(points):
    assert regions(points).tolist() == [0] * len(points)


def test_the_region_of_a_point_is_that_of_the_nearest_known_one():
    rng = seeds.generator("known")
    points, known, region = rng.normal(size=(20, 3)), rng.normal(size=(9, 3)), np.arange(9) % 4
    nearest_one = [int(np.linalg.norm(known - point, axis=1).argmin()) for point in points]
    assert region_of(points, known, region).tolist() == region[nearest_one].tolist()


def of(neighbours, training, **more):
    return density_ratio(neighbours, training, rng=np.random.default_rng(0), **more)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: nearest(np.zeros((3, 2)), np.zeros((3, 2)), 3), "1 to 2"),
        (lambda: nearest(np.zeros((3, 2)), np.zeros((3, 2)), 0), "got 0"),
        (lambda: of(np.array([[1]]), np.array([True, True])), "2 and 0"),
        (lambda: of(np.array([[2]]), np.array([True, False])), "0 to 1"),
        (lambda: of(np.array([[1]]), np.array([True, False]), permutations=0), "at least one"),
        (lambda: regions(np.zeros((9, 2)), 1), "two points"),
    ],
)
def test_what_makes_no_sense_is_refused(call, words):
    with unchecked(), pytest.raises(InputError, match=words):
        call()
