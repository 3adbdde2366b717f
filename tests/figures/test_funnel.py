"""Funnels: a panel a source, a bar a step, each with its number, nothing left included."""

import pytest

from robust_lib.errors import InputError
from robust_lib.figures.funnel import funnels
from tests.figures.drawn import saved

COUNTS = {
    "icon scenes": {"candidates": 12_000, "fooled": 900, "shortlisted": 0},
    "photographs": {"candidates": 7_500, "fooled": 75},
}


def test_each_source_has_a_panel_and_each_step_a_bar_with_its_number():
    figure = funnels(COUNTS)
    for axis, (title, steps) in zip(figure.axes, COUNTS.items(), strict=True):
        assert axis.get_title("left") == title
        assert len(axis.patches) == len(steps)
        assert [label.get_text() for label in axis.get_yticklabels()] == list(steps)
        assert [text.get_text() for text in axis.texts] == [f"{n:,}" for n in steps.values()]
    saved(figure)


def test_equal_shares_are_equal_steps_and_the_pool_stands_on_top():
    axis = funnels(COUNTS).axes[1]
    assert axis.get_xscale() == "log"
    assert axis.yaxis.get_inverted()
    widths = [bar.get_width() for bar in axis.patches]
    assert widths[0] / widths[1] == 100


def test_no_source_is_refused():
    with pytest.raises(InputError, match="at least one funnel to draw, but got none"):
        funnels({})
