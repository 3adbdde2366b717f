"""Prominence: what share a thing is of all that is seen about it."""

import numpy as np
import pytest

from robust_lib.miniworld.prominence import ABOUT, prominence


def squares(size, *places):
    """Return a picture of ones in squares of eight pixels at some corners."""
    shown = np.zeros((size, size), np.float32)
    for row, column in places:
        shown[row : row + 8, column : column + 8] = 1
    return shown


@pytest.mark.parametrize(
    ("others", "share"),
    [((), 1.0), (((24, 34),), 1 / 2), (((24, 34), (24, 14)), 1 / 3), (((0, 0),), 1.0)],
)
def test_things_near_by_share_the_sight_and_far_ones_do_not(others, share):
    seen = squares(64, (24, 24))
    assert prominence(seen, squares(64, *others), seen > 0) == pytest.approx(share)


def test_what_is_covered_counts_for_what_covers_it():
    whole = squares(64, (24, 24))
    seen, others = whole.copy(), np.zeros_like(whole)
    seen[24:32, 24:30], others[24:32, 24:30] = 0, 1
    assert prominence(seen, others, whole > 0) == pytest.approx(1 / 4)


def test_what_cannot_be_seen_is_not_prominent():
    nothing = np.zeros((32, 32), np.float32)
    assert prominence(nothing, nothing, nothing > 0) == 0
    assert prominence(nothing, squares(32, (4, 4)), squares(32, (4, 4)) > 0) == 0


def test_near_is_a_share_of_the_side():
    reach = round(ABOUT * 64)
    seen, others = squares(64, (24, 24)), np.zeros((64, 64), np.float32)
    others[28, 31 + reach], others[28, 32 + reach] = 1, 1
    assert prominence(seen, others, seen > 0) == pytest.approx(64 / 65)
