"""Quantiles and exact intervals in plain Python, held against NumPy, SciPy and the library."""

import numpy as np
import pytest
from scipy import special

from robust_book.verify.chances import clopper_pearson, percentiles, share_below, student
from robust_lib.metrics import intervals


def test_shares_intervals_and_quantiles_are_those_of_the_libraries():
    rng = np.random.default_rng(0)
    for a, b, x in zip(*rng.uniform(0.3, 300, (2, 50)), rng.random(50), strict=True):
        assert share_below(a, b, x) == pytest.approx(special.betainc(a, b, x), abs=1e-9)
    for number, of in ((0, 5), (3, 9), (9, 9), (500, 1920)):
        for level in (0.95, 0.995):
            expected = intervals.clopper_pearson(number, of, level)
            assert clopper_pearson(number, of, level) == pytest.approx(expected, abs=1e-12)
    for freedom in (2, 4, 9):
        assert student(freedom, 0.99) == pytest.approx(special.stdtrit(freedom, 0.99))
    draws = rng.random(101)
    assert percentiles(list(draws), 0.9) == pytest.approx(intervals.percentiles(draws, 0.9))
    assert percentiles([0.5, float("nan")], 0.9) is None
