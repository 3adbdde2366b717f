"""Arrows from one origin: who gains what, this run and the paper, and where both gain alike."""

import pytest

from robust_book.figures.arrows import changes
from robust_book.figures.style import PAPER, RUN
from robust_lib.errors import InputError
from tests.figures.drawn import legend, saved

OURS = {
    "DenseNet for ResNet": ((4.7, 1.1, 8.6), (22.5, 14.0, 32.0)),
    "mine for ResNet": ((-1.0, -3.0, 1.0), (-8.0, -15.0, -1.0)),
}
PAPERS = {"DenseNet for ResNet": ((1.7,) * 3, (-3.3,) * 3)}


def drawn(ours=OURS, paper=PAPERS, **more):
    return changes(ours, paper, xlabel="clean error (points)", ylabel="mCE (points)", **more)


def dots(axis):
    return [line for line in axis.lines if line.get_marker() != "None" and len(line.get_xdata())]


def test_arrows_begin_at_no_change_and_end_at_the_change():
    figure = drawn()
    (axis,) = figure.axes
    arrows = [text for text in axis.texts if text.arrow_patch is not None]
    assert {tuple(text.xyann) for text in arrows} == {(0, 0)}
    assert [text.xy for text in arrows] == [(1.7, -3.3), (4.7, 22.5), (-1.0, -8.0)]
    assert legend(figure) == [*OURS, "this run", "the paper"]
    saved(figure)


def test_a_shape_is_a_network_and_a_colour_a_source():
    paper, ours, mine = dots(drawn().axes[0])
    assert [one.get_markeredgecolor() for one in (paper, ours, mine)] == [PAPER, RUN, RUN]
    assert paper.get_marker() == ours.get_marker() != mine.get_marker()
    assert (paper.get_markerfacecolor(), ours.get_markerfacecolor()) == ("none", RUN)


def test_a_dotted_line_says_where_both_change_by_as_much():
    (axis,) = drawn(slopes={"this run": 2.6, "the paper": 1.3}).axes
    lines = [line for line in axis.lines if line.get_linestyle() == ":"]
    for line, slope in zip(lines, (2.6, 1.3), strict=True):
        assert line.get_ydata() == pytest.approx([slope * x for x in line.get_xdata()])
    assert {text.get_text() for text in axis.texts} - {""} == {
        "as much, this run", "as much, the paper",
    }  # fmt: skip


def test_nothing_to_draw_is_refused():
    with pytest.raises(InputError, match="networks that replace others, but got none"):
        drawn({}, {})


def test_the_names_of_two_lines_of_one_slope_do_not_cover_each_other():
    figure = drawn(slopes={"the paper": 1.3, "this run": 1.1})
    figure.draw_without_rendering()
    one, two = (text.get_window_extent() for text in figure.axes[0].texts if text.get_text())
    assert not one.overlaps(two)
