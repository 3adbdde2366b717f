"""Pairs of related networks: differences on one axis; classes: what each loses."""

import pytest

from robust_book.figures import pairs, style
from robust_lib.errors import InputError
from tests.figures.drawn import legend, saved
from tests.toys import unchecked

GAINS = {
    "calibration error": {"ResNet-18": (-10.0, -12.0, -8.0), "ResNet-50": (0.5, -2.0, 3.0)},
    "AURRA": {"ResNet-18": (10.0, 5.0, 15.0)},
}


def drawn(values=GAINS, better=("lower", "higher"), **more):
    return pairs.differences(values, xlabel="with SE minus without", better=better, **more)


def dots(axis):
    return [line for line in axis.lines if line.get_marker() == "o" and len(line.get_xdata())]


def test_a_difference_stands_in_its_row_with_its_interval_on_one_axis():
    figure = drawn()
    left, right = figure.axes
    assert (left.get_xlabel(), right.get_xlabel()) == ("lower is better", "higher is better")
    assert figure.get_supxlabel() == "with SE minus without (points)"
    assert left.get_xlim() == right.get_xlim()  # the panels are compared
    assert [t.get_text() for t in left.get_yticklabels()] == ["ResNet-18", "ResNet-50"]
    for axis, of_pair in zip(figure.axes, GAINS.values(), strict=True):
        zero, *lines = axis.lines
        assert list(zero.get_xdata()) == [0, 0]
        spans = [line for line in lines if line.get_marker() == "None"]
        for (value, low, high), dot, span in zip(of_pair.values(), dots(axis), spans, strict=True):
            assert dot.get_xdata()[0] == value
            assert list(span.get_xdata()) == [low, high]
            assert dot.get_color() == span.get_color() == style.RUN
    assert [text.get_text() for text in left.texts] == ["\N{MINUS SIGN}10.0", "+0.5"]
    assert not figure.legends
    saved(figure)


def test_what_the_paper_prints_is_a_grey_ring_also_where_this_run_has_nothing():
    figure = drawn({"AUPR": {}}, ["higher"], paper={"AUPR": {"ResNet-50": 2.0}})
    (ring,) = dots(figure.axes[0])
    assert (ring.get_xdata()[0], ring.get_markeredgecolor()) == (2.0, style.PAPER)
    assert ring.get_markerfacecolor() == "none"
    assert legend(figure) == ["this run", "the paper"]
    saved(figure)


@pytest.mark.parametrize(("values", "better"), [({}, []), (GAINS, ["lower"]), ({"A": {}}, ["x"])])
def test_no_pairs_and_metrics_without_a_direction_are_refused(values, better):
    with unchecked(), pytest.raises(InputError, match=f"metrics and {len(better)} directions"):
        drawn(values, better)


def test_classes_stand_by_what_they_lose_and_those_of_few_sets_are_grey():
    values = {
        "cat": ((80.0, 70.0, 90.0), (75.0, 60.0, 80.0)),
        "owl": ((90.0, 80.0, 95.0), (40.0, 20.0, 60.0)),
        "bee": ((60.0, 50.0, 70.0), (60.0, 50.0, 70.0)),
    }
    figure = pairs.drops(values, {"cat": 9, "owl": 4, "bee": 30}, ("anchor", "worst frame"))
    (axis,) = figure.axes
    labels = [label.get_text() for label in axis.get_yticklabels()]
    assert labels == ["owl, n = 4", "cat, n = 9", "bee, n = 30"]
    found = dots(axis)
    assert [float(dot.get_xdata()[0]) for dot in found] == [90, 40, 80, 75, 60, 60]
    assert [dot.get_markerfacecolor() == "none" for dot in found] == [False, True] * 3
    assert [dot.get_markeredgecolor() for dot in found[:3]] == [style.GREY] * 2 + [style.RUN]
    assert axis.get_xlim() == (-1, 101)
    assert legend(figure) == ["anchor", "worst frame", "grey: fewer than 5 sets"]
    saved(figure)
