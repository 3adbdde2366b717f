"""Summaries of an overlap matrix: by hand, against the loop, and undefined where a score is."""

import numpy as np
import pytest

from robust_lib.errors import InputError
from robust_lib.metrics.overlap import overlap_matrix
from robust_lib.metrics.overlap_summary import (
    group_overlap,
    largest_overlap,
    mean_overlap,
    over_seeds,
)
from tests.metrics.worlds import useless, world
from tests.reference import overlap as reference
from tests.toys import unchecked

SCORES = np.array(
    [[1.0, 0.9, 0.1, 0.3], [0.9, 1.0, 0.2, 0.0], [0.1, 0.2, 1.0, 0.5], [0.3, 0.0, 0.5, 1.0]]
)


def test_means_by_hand_with_and_without_the_diagonal():
    without = mean_overlap(SCORES, diagonal=False)
    np.testing.assert_allclose(without, [1.3 / 3, 1.1 / 3, 0.8 / 3, 0.8 / 3])
    with_it = mean_overlap(SCORES, diagonal=True)
    np.testing.assert_allclose(with_it, [2.3 / 4, 2.1 / 4, 1.8 / 4, 1.8 / 4])


@pytest.mark.parametrize("diagonal", [True, False])
def test_means_agree_with_the_loop(diagonal):
    scores = overlap_matrix(*world(1)).scores
    np.testing.assert_allclose(
        mean_overlap(scores, diagonal=diagonal), reference.means(scores.tolist(), diagonal)
    )


def test_the_diagonal_does_not_change_which_corruptions_overlap_most():
    scores = overlap_matrix(*world(2)).scores
    orders = [np.argsort(mean_overlap(scores, diagonal=d)).tolist() for d in (True, False)]
    assert orders[0] == orders[1]


def test_means_among_some_corruptions():
    among = np.array([True, False, True, True])
    found = mean_overlap(SCORES, diagonal=False, among=among)
    assert np.isnan(found[1])
    np.testing.assert_allclose(found[among], [0.2, 0.3, 0.4])


def test_what_is_undefined_makes_means_undefined_until_it_is_left_out():
    found = overlap_matrix(*useless(0.0))
    assert np.isnan(mean_overlap(found.scores, diagonal=False)).all()
    means = mean_overlap(found.scores, diagonal=False, among=found.defined)
    assert np.isnan(means).tolist() == [False, False, True, False, False]
    assert np.isnan(group_overlap(found.scores, [0, 1, 2]))
    assert not np.isnan(group_overlap(found.scores, [0, 1, 3]))
    assert np.isnan(largest_overlap(found.scores, 0, [1, 2]))
    assert np.isnan(largest_overlap(found.scores, 2, [0, 1]))


def test_groups_by_hand_and_against_the_loop():
    assert float(group_overlap(SCORES, [0, 1])) == 0.9
    assert float(group_overlap(SCORES, [3, 0, 2])) == pytest.approx((0.3 + 0.1 + 0.5) / 3)
    scores = overlap_matrix(*world(3)).scores
    for members in ([0, 4], [1, 2, 3], [0, 1, 2, 3, 4]):
        expected = reference.group(scores.tolist(), members)
        assert float(group_overlap(scores, members)) == pytest.approx(expected)


def test_the_mean_over_all_pairs_is_the_mean_of_the_means():
    everything = float(group_overlap(SCORES, range(4)))
    assert everything == pytest.approx(mean_overlap(SCORES, diagonal=False).mean())


def test_the_largest_overlap_with_others():
    assert float(largest_overlap(SCORES, 3, [0, 1])) == 0.3
    assert float(largest_overlap(SCORES, 1, [3])) == 0


def test_summaries_carry_axes_along():
    stack = np.stack([SCORES, SCORES**2])
    for summary in (
        lambda s: mean_overlap(s, diagonal=False),
        lambda s: group_overlap(s, [0, 1, 3]),
        lambda s: largest_overlap(s, 0, [1, 2]),
    ):
        np.testing.assert_allclose(summary(stack), [summary(SCORES), summary(SCORES**2)])


def test_spread_over_seeds_by_hand():
    spread = over_seeds(np.stack([SCORES, SCORES + 0.2, SCORES + 0.1]))
    assert spread.seeds == 3
    np.testing.assert_allclose(spread.mean, SCORES + 0.1)
    np.testing.assert_allclose(spread.sd, np.full((4, 4), 0.1))
    np.testing.assert_allclose(spread.low, SCORES)
    np.testing.assert_allclose(spread.high, SCORES + 0.2)


def test_one_seed_has_no_standard_deviation():
    spread = over_seeds(SCORES[None])
    assert spread.sd is None
    assert np.array_equal(spread.mean, SCORES)
    assert np.array_equal(spread.low, spread.high)


def test_a_pair_that_one_seed_lacks_has_no_mean():
    worlds = [world(0), useless(0.0)]
    accuracy, clean = (np.stack(arrays) for arrays in zip(*worlds, strict=True))
    spread = over_seeds(overlap_matrix(accuracy, clean).scores)
    for values in (spread.mean, spread.sd, spread.low, spread.high):
        assert np.isnan(values).sum() == 9
        assert np.isnan(values[2]).all()


def test_wrong_places():
    with pytest.raises(InputError, match="two different corruptions, but got \\[1\\]"):
        group_overlap(SCORES, [1])
    with pytest.raises(InputError, match="two different"):
        group_overlap(SCORES, [1, 1])
    for places in ([0, 4], [-1, 2]):
        with pytest.raises(InputError, match="places from 0 to 3"):
            group_overlap(SCORES, places)
    with pytest.raises(InputError, match="others than corruption 1"):
        largest_overlap(SCORES, 1, [0, 1])
    with pytest.raises(InputError, match="others than corruption 1"):
        largest_overlap(SCORES, 1, [])
    with pytest.raises(InputError, match="places from 0 to 3"):
        largest_overlap(SCORES, 1, [7])
    with pytest.raises(InputError, match="at least two of 4 corruptions, but got 1"):
        mean_overlap(SCORES, diagonal=False, among=np.array([True, False, False, False]))
    with unchecked(), pytest.raises(InputError, match="at least two of 4"):
        mean_overlap(SCORES, diagonal=False, among=np.array([True, True]))
    with pytest.raises(InputError, match="at least one seed"):
        over_seeds(np.zeros((0, 3, 3)))
    for summary in (over_seeds, lambda s: mean_overlap(s, diagonal=True)):
        with unchecked(), pytest.raises(InputError, match=r"square matrix .*\(2, 3, 4\)"):
            summary(np.zeros((2, 3, 4)))
