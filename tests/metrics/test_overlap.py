"""Overlap: by hand, against the formula written out pair by pair, properties, and errors."""

import numpy as np
import pytest

from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.metrics.overlap import (
    between_overlap,
    group_overlap,
    largest_overlap,
    mean_overlap,
    over_seeds,
    overlap_matrix,
    overlap_score,
    robustness_score,
)
from tests.looped import over
from tests.metrics.worlds import useless, world
from tests.reference import overlap as reference
from tests.toys import unchecked

CASES = range(12)


def test_robustness_by_hand():
    assert robustness_score(0.45, 0.9) == 0.5
    assert robustness_score(0.9, 0.6) == pytest.approx(1.5)  # easier than clean images: possible
    table = robustness_score(np.array([[0.2, 0.4], [0.3, 0.6]]), np.array([[0.8], [0.6]]))
    np.testing.assert_allclose(table, [[0.25, 0.5], [0.5, 1.0]])


def test_score_by_hand():
    """Network 1 gains .1 of network 2's .2; network 2 gains .1 of network 1's .4."""
    score = overlap_score(r11=0.9, r12=0.7, r21=0.6, r22=0.8, r01=0.5, r02=0.6)
    assert score == pytest.approx((0.1 / 0.2 + 0.1 / 0.4) / 2)


def test_a_corruption_overlaps_wholly_with_itself():
    assert overlap_score(r11=0.8, r12=0.8, r21=0.8, r22=0.8, r01=0.3, r02=0.3) == 1


def test_no_gain_on_the_other_corruption_is_no_overlap():
    assert overlap_score(r11=0.9, r12=0.6, r21=0.5, r22=0.8, r01=0.5, r02=0.6) == 0


def test_a_loss_on_one_side_cancels_a_gain_on_the_other():
    """The formula takes the larger of 0 and the mean, not the mean of larger ones."""
    losing = overlap_score(r11=0.9, r12=0.5, r21=0.7, r22=0.8, r01=0.5, r02=0.6)
    assert losing == pytest.approx((-0.1 / 0.2 + 0.2 / 0.4) / 2, abs=1e-12)
    worse = overlap_score(r11=0.9, r12=0.3, r21=0.7, r22=0.8, r01=0.5, r02=0.6)
    assert worse == 0


def test_a_score_may_exceed_one():
    """Training with the other corruption may help more than training with this one."""
    assert overlap_score(r11=0.7, r12=0.9, r21=0.9, r22=0.7, r01=0.5, r02=0.5) == pytest.approx(2)


@over("case", CASES)
def test_matrix_agrees_with_the_formula_pair_by_pair(case):
    accuracy, clean = world(case)
    found = overlap_matrix(accuracy, clean)
    expected = reference.matrix(accuracy.tolist(), clean.tolist())
    np.testing.assert_allclose(found.scores, np.array(expected, float), rtol=1e-10)
    robust = robustness_score(accuracy, clean[:, None])
    for i in range(5):
        for j in range(5):
            one = overlap_score(
                r11=robust[i + 1, i],
                r12=robust[i + 1, j],
                r21=robust[j + 1, i],
                r22=robust[j + 1, j],
                r01=robust[0, i],
                r02=robust[0, j],
            )
            assert found.scores[i, j] == pytest.approx(one)


@over("case", CASES)
def test_matrix_is_symmetric_with_ones_on_the_diagonal_and_nothing_below_zero(case):
    scores = overlap_matrix(*world(case)).scores
    assert np.array_equal(scores, scores.T)
    assert np.array_equal(np.diagonal(scores), np.ones(5))
    assert scores.min() >= 0
    assert len(np.unique(scores)) > 5


@over("case", CASES)
def test_reordering_the_corruptions_reorders_the_matrix(case):
    accuracy, clean = world(case)
    order = seeds.generator("order", case).permutation(5)
    networks = np.concatenate([[0], order + 1])
    found = overlap_matrix(accuracy[np.ix_(networks, order)], clean[networks]).scores
    np.testing.assert_allclose(found, overlap_matrix(accuracy, clean).scores[np.ix_(order, order)])


@over("case", CASES)
def test_a_network_that_is_worse_on_all_images_alike_is_as_robust(case):
    """Only ratios to the clean accuracy count, unless they are asked not to."""
    accuracy, clean = world(case)
    factors = seeds.generator("factors", case).uniform(0.5, 1, 6)
    worse = accuracy * factors[:, None], clean * factors
    kept = overlap_matrix(accuracy, clean).scores
    np.testing.assert_allclose(overlap_matrix(*worse).scores, kept)
    raw = overlap_matrix(accuracy, clean, divide_by_clean=False).scores
    np.testing.assert_allclose(raw, reference.matrix(accuracy.tolist(), [1.0] * 6))
    assert np.abs(raw - kept).max() > 0.01


def test_axes_before_the_last_ones_are_carried_along():
    worlds = [world(case) for case in range(3)]
    accuracy, clean = (np.stack(arrays) for arrays in zip(*worlds, strict=True))
    together = overlap_matrix(accuracy, clean)
    assert together.scores.shape == (3, 5, 5)
    for one, scores, own in zip(worlds, together.scores, together.own_gains, strict=True):
        assert np.array_equal(overlap_matrix(*one).scores, scores)
        assert np.array_equal(overlap_matrix(*one).own_gains, own)


@pytest.mark.parametrize("gain", [0.0, -0.05])
def test_a_corruption_that_training_does_not_help_against_has_no_scores(gain):
    accuracy, clean = useless(gain - 1e-9)
    found = overlap_matrix(accuracy, clean)
    assert found.least_gain == 0
    assert found.defined.tolist() == [True, True, False, True, True]
    assert found.own_gains[2] == pytest.approx(gain, abs=1e-8)
    assert np.isnan(found.scores).sum() == 9  # a row and a column
    assert np.isnan(found.scores[2]).all()
    others = [0, 1, 3, 4]
    assert np.array_equal(
        found.scores[np.ix_(others, others)],
        overlap_matrix(*world(0)).scores[np.ix_(others, others)],
    )


def test_how_little_is_enough_can_be_said():
    accuracy, clean = useless(0.019)
    assert overlap_matrix(accuracy, clean).defined.all()
    assert not overlap_matrix(accuracy, clean, least_gain=0.02).defined[2]
    assert not overlap_matrix(accuracy, clean, least_gain=0.5).defined.any()
    assert not overlap_matrix(*useless(-0.01), least_gain=0.0).defined[2]
    two = {"r12": 0.5, "r21": 0.5, "r22": 0.8, "r01": 0.5, "r02": 0.5}
    assert overlap_score(r11=0.51, **two) == 0
    with pytest.raises(InputError, match=r"0\.02.*rises.*0\.01.*0\.3"):
        overlap_score(r11=0.51, **two, least_gain=0.02)


ACCURACY, CLEAN = world(0)


def changed(table, value):
    """The table with another number in one place."""
    other = table.copy()
    other.flat[2] = value
    return other


@pytest.mark.parametrize(
    ("accuracy", "clean", "message"),
    [
        (ACCURACY[1:], CLEAN[1:], r"one more row of accuracies.*shape \(5, 5\)"),
        (ACCURACY[0], CLEAN, r"one more row .*shape \(5,\)"),
        (np.zeros((1, 0)), np.ones(1), "one more row"),
        (ACCURACY, CLEAN[1:], r"one clean accuracy per network.*\(6,\), but got \(5,\)"),
        (100 * ACCURACY, CLEAN, "Divide percentages by 100"),
        (ACCURACY - 0.5, CLEAN, "Expected accuracies as fractions"),
        (changed(ACCURACY, np.nan), CLEAN, "Expected accuracies"),
        (ACCURACY, 100 * CLEAN, "Expected clean accuracies as fractions"),
        (ACCURACY, changed(CLEAN, np.nan), "clean accuracies as fractions"),
        (ACCURACY, changed(CLEAN, 0.0), "clean accuracies above 0"),
    ],
)
def test_wrong_tables(accuracy, clean, message):
    with unchecked(), pytest.raises(InputError, match=message):
        overlap_matrix(accuracy, clean)


def test_wrong_numbers():
    fine = {"r11": 0.9, "r12": 0.6, "r21": 0.5, "r22": 0.8, "r01": 0.5, "r02": 0.6}
    for wrong in (-0.1, float("nan"), float("inf")):
        with pytest.raises(InputError, match="robustness scores, 0 or more"):
            overlap_score(**fine | {"r12": wrong})
    for wrong in (-0.1, 1.0, float("nan")):
        with pytest.raises(InputError, match=r"gain.*0.*below 1"):
            overlap_score(**fine, least_gain=wrong)
        with pytest.raises(InputError, match="least gain"):
            overlap_matrix(ACCURACY, CLEAN, least_gain=wrong)
    with pytest.raises(InputError, match=r"fits \(2,\), but got \(3,\)"):
        robustness_score(np.full(2, 0.5), np.full(3, 0.5))
    with pytest.raises(InputError, match="percentages"):
        robustness_score(50.0, 0.9)


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
    with pytest.raises(InputError, match=r"different corruptions.*\[1\]"):
        group_overlap(SCORES, [1])
    with pytest.raises(InputError, match="two different"):
        group_overlap(SCORES, [1, 1])
    for places in ([0, 4], [-1, 2]):
        with pytest.raises(InputError, match="positions from 0 to 3"):
            group_overlap(SCORES, places)
    with pytest.raises(InputError, match=r"corruption.*1"):
        largest_overlap(SCORES, 1, [0, 1])
    with pytest.raises(InputError, match=r"corruption.*1"):
        largest_overlap(SCORES, 1, [])
    with pytest.raises(InputError, match="positions from 0 to 3"):
        largest_overlap(SCORES, 1, [7])
    for ones, others in (([0, 1], [1, 2]), ([], [1]), ([0], [])):
        with pytest.raises(InputError, match="two groups without a common corruption"):
            between_overlap(SCORES, ones, others)
    with unchecked(), pytest.raises(InputError, match=r"shape \(4, 4\).*shape \(3, 3\)"):
        mean_overlap(SCORES, diagonal=False, pairs=np.ones((3, 3), bool))
    with pytest.raises(InputError, match="at least one seed"):
        over_seeds(np.zeros((0, 3, 3)))
    for summary in (over_seeds, lambda s: mean_overlap(s, diagonal=True)):
        with unchecked(), pytest.raises(InputError, match=r"square matrix .*\(2, 3, 4\)"):
            summary(np.zeros((2, 3, 4)))
