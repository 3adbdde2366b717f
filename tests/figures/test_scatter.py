"""The same things measured twice: right dots, light intervals, what is left out counted."""

import pytest

from robust_book.figures.scatter import against, agreement
from robust_book.figures.style import MARKS
from robust_lib.errors import InputError
from tests.figures.drawn import legend, saved

DOTS = {
    "two noises": {"shot + impulse": ((0.9, 0.8, 1.0), (0.95, 0.9, 1.2))},
    "others": {
        "fog + snow": ((0.1, 0.0, 0.2), (0.2, 0.1, 0.3)),
        "fog + frost": ((0.3, 0.2, 0.4), (0.25, 0.2, 0.3)),
    },
}


def drawn(dots=DOTS, left_out=102):
    return agreement(dots, xlabel="one", ylabel="other", left_out=left_out)


def test_a_dot_a_thing_with_both_its_intervals():
    figure = drawn()
    (axis,) = figure.axes
    identity, *lines = axis.lines
    assert list(identity.get_xdata()) == list(identity.get_ydata()) == [0, 1.2]
    dots = [line for line in lines if line.get_marker() != "None"]
    assert [line.get_marker() for line in dots] == ["o", "s"]
    assert [list(line.get_xdata()) for line in dots] == [[0.9], [0.1, 0.3]]
    assert [list(line.get_ydata()) for line in dots] == [[0.95], [0.2, 0.25]]
    light = [line for line in lines if line.get_marker() == "None"]
    assert len(light) == 6
    assert list(light[0].get_xdata()) == [0.8, 1.0]
    assert list(light[1].get_ydata()) == [0.9, 1.2]
    assert all(line.get_linewidth() < 1 for line in light)
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("one", "other")
    assert axis.get_xlim() == axis.get_ylim()
    assert legend(figure) == ["two noises", "others"]
    saved(figure)


def test_what_is_left_out_is_counted():
    assert [text.get_text() for text in drawn().axes[0].texts] == ["102 not judged in both"]


def test_where_nothing_is_judged_the_figure_says_so():
    figure = drawn({"others": {}}, 105)
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert texts == ["105 not judged in both", "no pair is judged in both"]
    assert legend(figure) == []
    saved(figure)


def test_too_many_kinds_are_refused():
    kinds = {str(place): {} for place in range(len(MARKS) + 1)}
    with pytest.raises(InputError, match=r"7 groups.*0, 1, 2, 3, 4"):
        drawn(kinds)


def both(x, y):
    return ((x, x - 5, x + 5), (y, y - 5, y + 5))


def test_dots_of_a_network_and_the_line_through_ours():
    groups = {
        "stills": {"a": both(60.0, 40.0), "b": both(80.0, 60.0)},
        "the paper": {"c": both(20.0, 10.0)},
    }
    figure = against(groups, xlabel="anchor", ylabel="worst", line=(1.0, -20.0), others="the paper")
    (line,) = [one for one in figure.axes[0].lines if one.get_label().startswith("line through")]
    assert line.get_xdata().tolist() == [60.0, 80.0]  # of ours, not of the paper's
    assert line.get_ydata().tolist() == [40.0, 60.0]
    told = [text.get_text() for text in figure.legends[0].get_texts()]
    assert told == ["the paper", "stills", "line through these networks"]


def test_kinds_that_cannot_be_told_apart_are_refused():
    groups = {f"kind {number}": {} for number in range(9)}
    for wrong in ({}, groups):
        with pytest.raises(InputError, match=r"7 groups.*networks"):
            against(wrong, xlabel="x", ylabel="y")
