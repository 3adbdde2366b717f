"""Summaries of an overlap matrix: by hand, against the loop, and undefined where a score is."""

import numpy as np
import pytest

from robust_lib.errors import InputError
from robust_lib.metrics.overlap import overlap_matrix
from robust_lib.metrics.overlap_summary import (
    between_overlap,
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


def without(*gaps):
    """All pairs of four corruptions but some."""
    pairs = np.ones((4, 4), bool)
    for one, other in gaps:
        pairs[one, other] = pairs[other, one] = False
    return pairs


def test_means_are_over_the_pairs_that_count():
    found = mean_overlap(SCORES, diagonal=False, pairs=without((0, 1), (1, 2), (1, 3)))
    assert np.isnan(found[1])
    np.testing.assert_allclose(found[[0, 2, 3]], [0.2, 0.3, 0.4])
    with_it = mean_overlap(SCORES, diagonal=True, pairs=without((0, 1), (1, 2), (1, 3)))
    assert np.isnan(with_it[1])  # its overlap with itself says nothing of others
    np.testing.assert_allclose(with_it[[0, 2, 3]], [1.4 / 3, 1.6 / 3, 1.8 / 3])
    one_less = mean_overlap(SCORES, diagonal=False, pairs=without((0, 3)))
    np.testing.assert_allclose(one_less, [0.5, 1.1 / 3, 0.8 / 3, 0.25])


def test_summaries_leave_out_pairs_that_do_not_count():
    assert float(group_overlap(SCORES, [0, 1, 3], without((0, 1)))) == pytest.approx(0.15)
    assert float(between_overlap(SCORES, [0, 1], [3], without((0, 3)))) == 0
    assert float(largest_overlap(SCORES, 0, [1, 2, 3], without((0, 1)))) == 0.3
    none = np.zeros((4, 4), bool)
    for nothing in (
        group_overlap(SCORES, [0, 1], none),
        between_overlap(SCORES, [0], [1], none),
        largest_overlap(SCORES, 0, [1], none),
    ):
        assert np.isnan(nothing)


def test_a_pair_without_a_score_is_left_out_of_what_it_would_enter():
    found = overlap_matrix(*useless(-0.01)).scores
    kept = [0, 1, 3, 4]
    inner = found[np.ix_(kept, kept)]
    means = mean_overlap(found, diagonal=False)
    assert np.isnan(means).tolist() == [False, False, True, False, False]
    np.testing.assert_allclose(means[kept], mean_overlap(inner, diagonal=False))
    assert group_overlap(found, [0, 1, 2]) == found[0, 1]
    assert largest_overlap(found, 0, [1, 2]) == found[0, 1]
    assert np.isnan(largest_overlap(found, 2, [0, 1]))
    assert np.isnan(group_overlap(found, [0, 2]))


def test_pairs_between_two_groups_by_hand():
    assert float(between_overlap(SCORES, [0, 1], [2, 3])) == pytest.approx((0.1 + 0.3 + 0.2) / 4)
    assert float(between_overlap(SCORES, [3], [2])) == 0.5


def test_the_largest_of_noisy_scores_lies_above_the_largest_true_one():
    """What is floored at 0 can err upwards alone; of several, the luckiest counts."""
    rng = np.random.default_rng(0)
    noisy = np.maximum(0, rng.normal(0, 0.1, (2000, 6, 6)))
    largest = [float(largest_overlap(noisy, 0, range(1, 1 + many)).mean()) for many in (1, 2, 5)]
    assert 0.03 < largest[0] < largest[1] < largest[2]


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
        lambda s: between_overlap(s, [0, 1], [2]),
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
    worlds = [world(0), useless(-0.01)]
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
    for ones, others in (([0, 1], [1, 2]), ([], [1]), ([0], [])):
        with pytest.raises(InputError, match="two groups without a common corruption"):
            between_overlap(SCORES, ones, others)
    with unchecked(), pytest.raises(InputError, match=r"shape \(4, 4\), but got shape \(3, 3\)"):
        mean_overlap(SCORES, diagonal=False, pairs=np.ones((3, 3), bool))
    with pytest.raises(InputError, match="at least one seed"):
        over_seeds(np.zeros((0, 3, 3)))
    for summary in (over_seeds, lambda s: mean_overlap(s, diagonal=True)):
        with unchecked(), pytest.raises(InputError, match=r"square matrix .*\(2, 3, 4\)"):
            summary(np.zeros((2, 3, 4)))
