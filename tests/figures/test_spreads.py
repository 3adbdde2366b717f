"""Networks at one glance: every one a dot, the extremes and printed numbers by name."""

import pytest

from robust_book.figures.spreads import spread
from robust_lib.errors import InputError


def test_every_network_is_a_dot_and_the_extremes_have_names():
    rows = {"hard": {"A": 9.0, "B": 4.0, "C": 5.0}, "ordinary": {"A": 90.0}}
    printed = {"hard": {"D, the paper": 2.0}}
    axis = spread(rows, xlabel="accuracy (%)", printed=printed, ends=(0, 100)).axes[0]
    drawn = sorted(float(line.get_xdata()[0]) for line in axis.lines)
    assert drawn == [2.0, 4.0, 5.0, 9.0, 90.0]
    assert [text.get_text() for text in axis.texts] == ["B", "A", "D, the paper", "A"]
    assert axis.get_xlim() == (0, 100)


def test_without_a_row_there_is_nothing_to_draw():
    with pytest.raises(InputError, match="got none"):
        spread({}, xlabel="accuracy (%)", ends=(0, 100))
