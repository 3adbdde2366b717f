"""How far networks lie above the line of ordinary ones, on logit axes."""

import numpy as np
import pytest
from scipy.special import expit, logit

from robust_lib.errors import InputError
from robust_lib.metrics.effective_robustness import effective_robustness, logit_line

ORIGINAL = np.array([0.3, 0.5, 0.7, 0.9])


def test_networks_that_lose_a_constant_on_the_logit_axis_lie_on_a_line_of_slope_one():
    """Where they lose a constant share instead, the slope is another one."""
    slope, intercept = logit_line(ORIGINAL, expit(logit(ORIGINAL) - 0.7), 1000)
    assert (slope, intercept) == (pytest.approx(1), pytest.approx(-0.7))
    assert logit_line(ORIGINAL, 0.8 * ORIGINAL, 1000)[0] < 0.9


def test_the_line_is_of_the_ordinary_networks_alone():
    perturbed = expit(1.2 * logit(ORIGINAL) - 0.5)
    perturbed[3] -= 0.2
    ordinary = np.array([True, True, True, False])
    found = effective_robustness(ORIGINAL, perturbed, ordinary, 1000)
    assert found == pytest.approx([0, 0, 0, -0.2])


def test_draws_are_taken_one_by_one_and_none_and_all_have_a_logit():
    original = np.stack([ORIGINAL, [0.0, 0.5, 0.7, 1.0]])
    perturbed = original * 0.9
    both = effective_robustness(original, perturbed, np.ones(4, bool), 50)
    assert np.isfinite(both).all()
    alone = effective_robustness(original[1], perturbed[1], np.ones(4, bool), 50)
    assert both[1] == pytest.approx(alone)


def test_two_networks_make_no_line():
    with pytest.raises(InputError, match="3 or more"):
        logit_line(ORIGINAL[:2], ORIGINAL[:2], 50)
