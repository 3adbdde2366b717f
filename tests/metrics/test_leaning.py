"""What chance adds to a statistic is taken off its draws."""

import numpy as np
import pytest

from robust_lib import seeds
from robust_lib.metrics.intervals import percentiles
from robust_lib.metrics.leaning import mirrored, unshifted


@pytest.mark.parametrize("value", [0.02, 0.4, 0.97])
def test_draws_that_lie_too_high_are_moved_to_their_number_and_none_and_all_stay(value):
    rng = seeds.generator("draws", str(value))
    draws = np.clip(rng.normal(value + 0.02, 0.02, 500), 0, 1)
    draws[:3] = 0, 1, np.nan
    moved = unshifted(draws, value)
    assert np.nanmean(moved) == pytest.approx(value, abs=1e-9)
    np.testing.assert_array_equal(moved[:3], draws[:3])
    order = np.argsort(draws[3:], kind="stable")
    assert (np.diff(moved[3:][order]) >= 0).all()


def test_draws_that_nothing_can_move_stay():
    for draws in (np.array([0.0, 1.0, 1.0]), np.full(3, np.nan)):
        np.testing.assert_array_equal(unshifted(draws, 0.5), draws)
    np.testing.assert_array_equal(unshifted(np.array([0.5, 1.0]), 1.0), [0.5, 1.0])


def test_the_interval_of_what_noise_lowers_reaches_further_up_than_down():
    """Correlations of 0.6 that noise halves: draws lie below, and the truth above the sample's."""
    draws = np.array([0.3, 0.4, np.nan, 0.5])
    assert mirrored(draws, 0.5).tolist() == pytest.approx([0.7, 0.6, np.nan, 0.5], nan_ok=True)
    ends = percentiles(mirrored(np.linspace(0.2, 0.5, 301), 0.45))
    assert ends == pytest.approx((0.4075, 0.6925))
    assert mirrored(np.array([-0.9, 0.9]), 0.0, least=-1.0).tolist() == [0.9, -0.9]
    assert mirrored(np.array([0.1]), 0.9).tolist() == [1.0]
