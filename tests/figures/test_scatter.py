"""The same things measured twice: right dots, light intervals, what is left out counted."""

import pytest

from robust_lib.errors import InputError
from robust_lib.figures.scatter import agreement
from robust_lib.figures.style import MEASURES
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
    dots = [line for line in lines if line.get_marker() == "o"]
    assert [list(line.get_xdata()) for line in dots] == [[0.9], [0.1, 0.3]]
    assert [list(line.get_ydata()) for line in dots] == [[0.95], [0.2, 0.25]]
    light = [line for line in lines if line.get_marker() != "o"]
    assert len(light) == 6
    assert list(light[0].get_xdata()) == [0.8, 1.0]
    assert list(light[1].get_ydata()) == [0.9, 1.2]
    assert all(line.get_alpha() < 0.5 for line in light)
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
    kinds = {str(place): {} for place in range(len(MEASURES) + 1)}
    with pytest.raises(InputError, match="at most 4 kinds of things, but got 0, 1, 2, 3, 4"):
        drawn(kinds)
