"""Dots with intervals: right numbers in right rows, sections marked, others' numbers as rings."""

from itertools import pairwise

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from robust_book.figures import style
from robust_book.figures.dot_plots import dot_plot
from robust_lib.errors import InputError
from tests.figures.drawn import legend, saved
from tests.toys import unchecked

DOTS = {
    "ours": {"Fog": (0.2, 0.1, 0.4), "Snow": (0.5, 0.5, 0.5)},
    "the paper": {"Fog": (0.3, 0.3, 0.3)},
}
ROWS = ["Noise", "Fog", "Snow"]


def drawn(panels=None, rows=ROWS, **more):
    return dot_plot({"set1": DOTS} if panels is None else panels, rows, xlabel="CE (%)", **more)


def marked(axis):
    return [line for line in axis.lines if line.get_marker() != "None" and len(line.get_xdata())]


def test_a_dot_stands_in_its_row_with_its_interval():
    figure = drawn(others="the paper")
    (axis,) = figure.axes
    assert [label.get_text() for label in axis.get_yticklabels()] == ROWS
    assert axis.get_ylim() == (2.5, -0.5)  # the first one on top
    fog, snow, printed = marked(axis)
    assert [round(float(line.get_ydata()[0])) for line in (fog, snow, printed)] == [1, 2, 1]
    assert [float(line.get_xdata()[0]) for line in (fog, snow, printed)] == [0.2, 0.5, 0.3]
    assert fog.get_ydata()[0] != printed.get_ydata()[0]  # apart, though in one row
    spans = [list(line.get_xdata()) for line in axis.lines if line.get_marker() == "None"]
    assert spans[0] == [0.1, 0.4]
    assert printed.get_markerfacecolor() == "none"
    assert fog.get_markerfacecolor() != "none"
    assert legend(figure) == ["ours", "the paper"]
    saved(figure)


def test_panels_stand_side_by_side_and_share_their_rows():
    figure = drawn(
        {"set1": DOTS, "Border": {"ours": {"Noise": (0.1, 0.0, 0.2)}}}, lines={"": 100.0}
    )
    assert [axis.get_title(loc="left") for axis in figure.axes] == ["set1", "Border"]
    assert [len(marked(axis)) for axis in figure.axes] == [3, 1]
    assert all(100 in line.get_xdata() for line in (axis.lines[-1] for axis in figure.axes[1:]))


def test_sections_are_parted_and_named():
    figure = drawn(sections={"set1": ["Noise", "Fog"], "set2": ["Snow"]})
    (axis,) = figure.axes
    assert [text.get_text() for text in axis.texts] == ["set1", "set2"]
    across = [line.get_ydata()[0] for line in axis.lines if list(line.get_xdata()) == [0, 1]]
    assert across == [1.5]
    saved(figure)


def test_rows_without_a_number_stay_empty():
    figure = drawn({"": {"ours": {}}})
    assert marked(figure.axes[0]) == []
    saved(figure)


@pytest.mark.parametrize(
    ("panels", "rows", "words"),
    [
        ({}, ROWS, "but got 0 panels, 3 rows"),
        ({"": DOTS}, [], "1 panels, 0 rows"),
        ({"": {name: {} for name in "abcde"}}, ROWS, "the sources a, b, c, d, e"),
    ],
)
def test_what_cannot_be_told_apart_is_refused(panels, rows, words):
    with unchecked(), pytest.raises(InputError, match=words):
        drawn(panels, rows)


def test_the_dotted_line_has_its_name_and_kinds_of_pictures_their_colours():
    one = {"Fog": (0.2, 0.1, 0.4)}
    figure = drawn({"": {"hard": one, "ordinary": one}}, lines={"chance 10": 0.1})
    (axis,) = figure.axes
    (words,) = [text for text in axis.texts if text.get_text() == "chance 10"]
    assert words.xy[0] == 0.1
    assert [line.get_markeredgecolor() for line in marked(axis)] == [style.HARD, style.ORDINARY]
    saved(figure)


def test_means_are_dotted_lines_of_their_sources_colours():
    figure = drawn({"": {"ordinary": DOTS["ours"], "hard": DOTS["ours"]}}, means={"hard": 0.35})
    dotted = [line for line in figure.axes[0].lines if line.get_linestyle() == ":"]
    assert [(line.get_color(), line.get_xdata()[0]) for line in dotted] == [(style.HARD, 0.35)]


def test_measures_of_one_run_have_its_colour_and_a_shape_each():
    panels = {"": {"one": DOTS["ours"], "two": DOTS["ours"]}}
    dots = marked(drawn(panels, measures=("one", "two")).axes[0])
    assert {dot.get_markeredgecolor() for dot in dots} == {style.RUN}
    assert [dot.get_marker() for dot in dots] == ["o", "o", "s", "s"]


def test_the_axis_may_have_the_ends_of_its_unit():
    (axis,) = drawn(ends=style.SHARES).axes
    low, high = axis.get_xlim()
    assert low < 0 < 100 < high < 105


def test_panels_have_one_axis_unless_their_units_differ():
    panels = {"a": {"x": {"row": (1.0, 1.0, 1.0)}}, "b": {"x": {"row": (50.0, 40.0, 60.0)}}}
    for alike in (True, False):
        first, second = dot_plot(panels, ["row"], xlabel="mAP (%)", alike=alike).axes
        assert (first.get_xlim() == second.get_xlim()) == alike


def test_a_long_title_of_a_narrow_panel_has_two_lines():
    figure = drawn({f"EfficientDet-D{number}-like": DOTS for number in range(4)})
    FigureCanvasAgg(figure).draw()
    titles = figure.findobj(lambda one: isinstance(one, Text) and "Efficient" in one.get_text())
    assert [title.get_text()[-6:] for title in titles] == ["-\nlike"] * 4
    boxes = [title.get_window_extent() for title in titles]
    assert all(one.x1 < other.x0 for one, other in pairwise(boxes))
