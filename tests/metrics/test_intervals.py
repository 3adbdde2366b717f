"""Intervals: SciPy as oracle, and how often they hold the truth."""

import numpy as np
import pytest
from scipy import stats

from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.metrics.intervals import (
    Sample,
    bootstrap,
    clopper_pearson,
    clustered_rates,
    of_few,
    percentiles,
    resampled,
    resampled_rates,
    shared_rates,
)


def test_vid_tab3_interval_of_resnet50():
    """[vid, table 3]: 749 of 1,109 anchors right, printed as 67.5 [64.7, 70.3]."""
    low, high = clopper_pearson(749, 1109)
    assert (round(100 * low, 1), round(100 * high, 1)) == (64.7, 70.3)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_scipys_exact_binomial_test_agrees(level):
    for n in (1, 2, 7, 40):
        low, high = clopper_pearson(np.arange(n + 1), n, level)
        for right in range(n + 1):
            oracle = stats.binomtest(right, n).proportion_ci(level, method="exact")
            assert low[right] == pytest.approx(oracle.low, abs=1e-10)
            assert high[right] == pytest.approx(oracle.high, abs=1e-10)


def test_numbers_give_floats_and_arrays_give_arrays():
    assert all(type(end) is float for end in clopper_pearson(3, 10))
    low, high = clopper_pearson(np.array([[0, 3], [10, 20]]), np.array([10, 20]))
    assert low.shape == high.shape == (2, 2)
    assert low[0, 0] == 0
    assert high[1, 1] == 1
    assert clopper_pearson(3, 20) == (low[0, 1], high[0, 1])


def test_exact_intervals_hold_the_truth_at_least_as_often_as_they_say():
    for rate in (0.02, 0.3, 0.5, 0.97):
        counts = np.arange(31)
        low, high = clopper_pearson(counts, 30)
        held = stats.binom.pmf(counts, 30, rate)[(low <= rate) & (rate <= high)].sum()
        assert held >= 0.95


@pytest.mark.parametrize(("right", "n"), [(-1, 3), (4, 3), (0, 0)])
def test_impossible_counts(right, n):
    with pytest.raises(InputError, match="successes"):
        clopper_pearson(right, n)


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0])
def test_impossible_levels(level):
    with pytest.raises(InputError, match=r"0\.95"):
        clopper_pearson(1, 3, level)


def test_bootstrap_intervals_hold_the_truth_about_as_often_as_they_say():
    """400 draws of 200 images from a known rate: 95 % hold it, give or take three deviations."""
    truth, held = 0.7, 0
    for trial in range(400):
        values = np.random.default_rng(trial).random((1, 200)) < truth
        rng = seeds.generator("coverage", trial)
        low, high = percentiles(resampled_rates(values, rng=rng, samples=300)[:, 0])
        held += low <= truth <= high
    assert 0.95 - 0.035 <= held / 400 <= 0.95 + 0.035


def test_bootstrap_of_a_mean_agrees_with_the_central_limit():
    values = np.random.default_rng(0).random(1000)
    low, high = bootstrap(
        lambda chosen: float(values[chosen].mean()), 1000, rng=seeds.generator(0), samples=2000
    )
    width = 2 * 1.96 * values.std() / np.sqrt(1000)
    assert high - low == pytest.approx(width, rel=0.1)
    assert (low + high) / 2 == pytest.approx(values.mean(), abs=0.1 * width)


def test_both_bootstraps_agree():
    values = np.random.default_rng(0).random((3, 500)) < np.array([[0.2], [0.5], [0.9]])
    fast = percentiles(resampled_rates(values, rng=seeds.generator(1), samples=3000).mean(1))
    slow = bootstrap(
        lambda chosen: float(values[:, chosen].mean()), 500, rng=seeds.generator(2), samples=3000
    )
    np.testing.assert_allclose(fast, slow, atol=0.004)


def test_scipys_bootstrap_agrees():
    values = np.random.default_rng(3).random((1, 300)) < 0.4
    ours = percentiles(resampled_rates(values, rng=seeds.generator(3), samples=4000)[:, 0])
    theirs = stats.bootstrap(
        (values[0],), np.mean, method="percentile", n_resamples=4000, rng=np.random.default_rng(4)
    ).confidence_interval
    np.testing.assert_allclose(ours, theirs, atol=0.008)


def test_cells_that_show_the_same_images_are_resampled_together():
    """Two cells wrong on the same images differ by nothing in any resample."""
    wrong = np.random.default_rng(0).random(400) < 0.5
    rates = resampled_rates(np.stack([wrong, wrong]), rng=seeds.generator("same"))
    assert (rates[:, 0] == rates[:, 1]).all()


def test_the_same_key_gives_the_same_resamples_whatever_the_batch(monkeypatch):
    values = np.random.default_rng(0).random((2, 100))

    def ask():
        return resampled_rates(values, rng=seeds.generator("key"))

    whole = ask()
    monkeypatch.setattr("robust_lib.metrics.intervals.BATCH", 700)
    # The same draws: a batch of another size may sum single-precision numbers in another order.
    assert ask() == pytest.approx(whole, abs=1e-6)


def test_impossible_bootstraps():
    with pytest.raises(InputError, match="at least one image"):
        resampled_rates(np.zeros((1, 0)), rng=seeds.generator(0))
    with pytest.raises(InputError, match="two samples"):
        bootstrap(lambda chosen: 0.0, 3, rng=seeds.generator(0), samples=1)


def test_percentiles_leave_out_the_tails():
    assert percentiles(np.arange(1001.0), 0.5) == (250.0, 750.0)


CLUSTERS = np.repeat(np.arange(20), 50)


def test_pictures_that_hang_together_are_less_evidence():
    """All pictures of a cluster are right or wrong: the interval is that of twenty."""
    right = CLUSTERS % 2 == 0
    low, high = percentiles(clustered_rates(right, CLUSTERS, "toys", samples=4000))
    apart = percentiles(shared_rates(right[None], "toys", samples=4000)[:, 0])
    assert high - low == pytest.approx(2 * 1.96 * np.sqrt(0.25 / 20), rel=0.1)
    assert high - low > 5 * (apart[1] - apart[0])


def test_clusters_of_one_picture_are_pictures():
    right = np.arange(400) % 4 > 0
    draws = clustered_rates(right, np.arange(400), "toys", samples=4000)
    assert draws.std() == pytest.approx(np.sqrt(0.75 * 0.25 / 400), rel=0.05)
    assert draws.mean() == pytest.approx(0.75, abs=0.002)


def test_the_same_clusters_are_resampled_together():
    """What differs between clusters alone is taken off in a difference of two sets."""
    easy = CLUSTERS % 2 == 0
    other = np.repeat(np.arange(20), 3)
    first = clustered_rates(easy, CLUSTERS, "toys")
    second = clustered_rates(other % 2 == 0, other, "toys")
    assert np.abs(first - second).max() < 1e-12
    assert np.abs(first - clustered_rates(easy, CLUSTERS, "others")).max() > 0.1


def test_draws_of_few_clusters_spread_as_students_distribution_does():
    """Of two ends of the normal interval become those of the t interval of eight numbers."""
    by_cluster = np.array([0.1, 0.3, 0.4, 0.5, 0.5, 0.6, 0.7, 0.9])
    value = float(by_cluster.mean())
    normal = value + by_cluster.std() / 8**0.5 * stats.norm.ppf([0.025, 0.975])
    student = stats.t.interval(0.95, 7, value, by_cluster.std(ddof=1) / 8**0.5)
    assert of_few(normal, value, 8).tolist() == pytest.approx(student)
    assert of_few(np.array([0.1, 0.9]), 0.5, 3).tolist() == [0.0, 1.0]  # shares stay shares
    assert of_few(np.array([0.4]), 0.4, 1).tolist() == [0.4]


def test_cells_of_images_that_hang_together_are_resampled_by_group():
    """As a loop over groups draws them, spread as Student's distribution of twenty asks for."""
    rng = np.random.default_rng(0)
    hard = np.repeat(rng.random(20), 50)
    cells = np.stack([rng.random(1000) < hard, rng.random(1000) < hard / 2])
    toys = Sample("toys", tuple(map(str, CLUSTERS)))
    drawn = shared_rates(cells, toys, samples=4000)
    by_group = cells.reshape(2, 20, 50).mean(2)
    for cell, means in zip(drawn.T, by_group, strict=True):
        error = means.std(ddof=1) / 20**0.5
        student = stats.t.interval(0.95, 19, means.mean(), error)
        assert percentiles(cell) == pytest.approx(student, abs=0.25 * error)
    apart = np.std(drawn[:, 0] - drawn[:, 1])
    assert apart < 0.8 * np.hypot(*drawn.std(0))  # what is hard for one is hard for the other
    alone = shared_rates(cells[:1], toys, samples=4000)
    np.testing.assert_array_equal(alone[:, 0], drawn[:, 0])
    assert toys.part("few", [0, 999]) == Sample("few", ("0", "19"))


def test_resamples_of_groups_hold_whole_groups():
    chosen = resampled(6, rng=np.random.default_rng(0), together=["a", "b", "a", "c", "c", "c"])
    sizes = set()
    for _ in range(200):
        counts = np.bincount(next(chosen), minlength=6)
        assert counts[0] == counts[2]
        assert counts[3] == counts[4] == counts[5]
        assert counts[[0, 1, 3]].sum() == 3
        sizes.add(int(counts.sum()))
    assert sizes == set(range(3, 10))


def test_an_obvious_loop_agrees():
    right, clusters = np.array([True, False, True, True, False]), np.array([0, 0, 4, 4, 9])
    possible = set()
    groups = [right[clusters == one] for one in (0, 4, 9)]
    for a in groups:
        for b in groups:
            for c in groups:
                possible.add(round(float(np.concatenate([a, b, c]).mean()), 9))
    found = {round(float(one), 9) for one in clustered_rates(right, clusters, "t", samples=2000)}
    assert found == possible


def test_what_cannot_be_resampled_is_refused():
    none = np.array([], bool)
    with pytest.raises(InputError, match="got 0 images, 0 clusters"):
        clustered_rates(none, none.astype(int), "toys")
    with pytest.raises(InputError, match="2 images, 1 clusters"):
        clustered_rates(np.array([True, False]), np.array([0]), "toys")
