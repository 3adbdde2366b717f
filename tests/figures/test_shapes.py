"""Several measures in one row: a shape each, this run's in blue, the paper's hollow below."""

import pytest

from robust_book.figures.shapes import Rows, on_one_axis
from robust_book.figures.style import PAPER, RUN, SHARES
from robust_lib.errors import InputError
from tests.figures.drawn import legend, saved

OURS = {
    "style": {"ResNet-20": (55.0, 50.0, 60.0), "MSDNet": (50.0, 45.0, 56.0)},
    "version": {"ResNet-20": (70.0, 66.0, 73.0)},
}
PAPERS = {"style": {"ResNet-20": 58.3, "Shake-Shake": 76.0}}


def drawn(**more):
    first = Rows(OURS, PAPERS, {"ResNet-20": "15.0 [8, 22]"}, "Protocols", "version − style")
    return on_one_axis([first, Rows({"style": {"Google": (80.0,) * 3}})], xlabel="%", **more)


def dots(axis):
    return [line for line in axis.lines if line.get_marker() != "None" and len(line.get_xdata())]


def test_measures_are_shapes_of_one_row_and_the_papers_are_hollow_below():
    figure = drawn(ends=SHARES)
    first, second = figure.axes
    names = [label.get_text() for label in first.get_yticklabels()]
    assert names == ["ResNet-20", "MSDNet", "Shake-Shake"]
    style, version, printed, *_ = dots(first)
    assert style.get_marker() == printed.get_marker() != version.get_marker()
    assert [one.get_color() for one in (style, version)] == [RUN, RUN]
    assert (printed.get_markeredgecolor(), printed.get_markerfacecolor()) == (PAPER, "none")
    assert printed.get_ydata()[0] > style.get_ydata()[0]
    assert first.get_xlim() == second.get_xlim()  # one axis for all that is compared
    assert legend(figure) == ["style", "version", "hollow: the paper"]
    saved(figure)


def test_a_difference_stands_at_the_end_of_its_row():
    texts = {text.get_text(): text.xy[1] for text in drawn().axes[0].texts}
    assert texts["15.0 [8, 22]"] == 0
    assert "version − style" in texts


def test_a_panel_without_rows_is_left_out_and_nothing_at_all_is_refused():
    assert len(on_one_axis([Rows(OURS), Rows({})], xlabel="%").axes) == 1
    with pytest.raises(InputError, match="but got 0 rows"):
        on_one_axis([Rows({})], xlabel="%")
