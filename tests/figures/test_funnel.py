"""Funnels: a panel a source, a bar a step as long as the share that it keeps."""

import pytest
from matplotlib.colors import to_rgba

from robust_book.figures import style
from robust_book.figures.funnel import funnels
from robust_lib.errors import InputError
from tests.figures.drawn import apart, extents, saved

COUNTS = {
    "This run: icon scenes": {"candidates": 12_000, "fooled": 900, "shortlisted": 0, "kept": 0},
    "The paper: photographs": {"candidates": 7_500, "fooled": 75},
}


def test_each_source_has_a_panel_and_each_step_a_bar_of_the_share_it_keeps():
    figure = funnels(COUNTS)
    for axis, (title, steps) in zip(figure.axes, COUNTS.items(), strict=True):
        assert axis.get_title("left") == title
        assert [label.get_text() for label in axis.get_yticklabels()] == list(steps)[1:]
        assert axis.get_xscale() == "linear"
        assert axis.get_xlim() == (0, 100)  # lengths begin at nothing
        assert axis.yaxis.get_inverted()
    assert [bar.get_width() for bar in figure.axes[0].patches] == pytest.approx([7.5, 0, 0])
    assert [bar.get_width() for bar in figure.axes[1].patches] == pytest.approx([1.0])
    saved(figure)


def test_counts_stand_at_the_steps_and_nothing_is_a_share_of_nothing():
    figure = funnels(COUNTS)
    words = [text.get_text() for text in figure.axes[0].texts]
    assert words == ["7.5 %, 900 of 12,000", "0.0 %, 0 of 900", "none came so far"]
    assert apart(extents(figure, [text for axis in figure.axes for text in axis.texts]))


def test_the_paper_is_grey_and_this_run_has_the_accent():
    ours, paper = funnels(COUNTS).axes
    assert {bar.get_facecolor() for bar in ours.patches} == {to_rgba(style.RUN)}
    assert {bar.get_facecolor() for bar in paper.patches} == {to_rgba(style.PAPER)}


@pytest.mark.parametrize("counts", [{}, {"a pool": {"candidates": 9}}])
def test_what_has_no_step_is_refused(counts):
    with pytest.raises(InputError, match="at least one funnel to draw, each a pool and a step"):
        funnels(counts)
