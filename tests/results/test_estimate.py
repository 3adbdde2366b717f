"""Estimates: with one seed the statistic's own interval, with several least to greatest."""

import numpy as np
import pytest

from robust_lib.errors import InputError
from robust_lib.metrics.intervals import clopper_pearson
from robust_lib.results.estimate import Estimate


def never():
    raise AssertionError("an interval over images was computed")


def test_several_seeds_go_from_the_least_to_the_greatest_around_their_mean():
    found = Estimate.over([0.2, 0.9, 0.4], never, n=10, n_full=50)
    assert found == Estimate(value=0.5, low=0.2, high=0.9, n=10, n_full=50)


def test_one_seed_has_the_statistics_own_interval():
    assert Estimate.over([0.5], lambda: (0.3, 0.6), n=10) == Estimate(
        value=0.5, low=0.3, high=0.6, n=10, n_full=10
    )


@pytest.mark.parametrize("interval", [None, lambda: None])
def test_a_statistic_may_have_no_interval(interval):
    found = Estimate.over(np.array([0.5]), interval, n=10)
    assert (found.value, found.low, found.high) == (0.5, None, None)


def test_equal_seeds_lie_in_their_own_interval():
    """The mean of three times 0.1 is 0.10000000000000002."""
    found = Estimate.over([0.1] * 3, n=10)
    assert found.value != 0.1
    assert found.low <= found.value <= found.high


def test_a_percentile_interval_that_leaves_out_its_statistic_is_widened():
    assert Estimate.over([1.0], lambda: (0.8, 0.9), n=10).high == 1.0
    assert Estimate.over([0.0], lambda: (0.1, 0.2), n=10).low == 0.0


def test_one_thing_cannot_be_resampled_and_has_no_interval():
    found = Estimate.over([0.769], lambda: (0.769, 0.769), n=1)
    assert (found.low, found.high) == (None, None)
    assert Estimate.over([1.0], lambda: (1.0, 1.0), n=400).low == 1.0  # 400 that are alike have one
    assert Estimate.of_rate([np.array([True])]).low == pytest.approx(0.025)  # exact: none is drawn


def test_no_seed_is_refused():
    with pytest.raises(InputError, match="at least one seed, but got none"):
        Estimate.over([], n=10)


def test_a_rate_has_the_exact_interval():
    hits = np.arange(20) < 7
    found = Estimate.of_rate([hits], n_full=100)
    assert (found.value, found.n, found.n_full) == (7 / 20, 20, 100)
    assert (found.low, found.high) == clopper_pearson(7, 20)


def test_a_rate_of_several_seeds_has_theirs():
    found = Estimate.of_rate([np.arange(20) < count for count in (5, 10, 12)])
    assert (found.value, found.low, found.high) == (0.45, 0.25, 0.6)
    assert (found.n, found.n_full) == (20, 20)


def test_its_numbers_are_plain():
    found = Estimate.over(np.array([0.25, 0.75]), n=10)
    assert [type(one) for one in (found.value, found.low, found.high)] == [float] * 3
