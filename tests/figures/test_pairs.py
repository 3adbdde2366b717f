"""Pairs of related networks: two points and a line, told apart without colours, too."""

import pytest

from robust_book.figures import pairs, style
from robust_lib.errors import InputError
from tests.figures.drawn import legend, saved
from tests.toys import unchecked


def around(value):
    return value, value - 2, value + 3


PAIRS = {
    "calibration error": {
        "ResNet-18": (around(60.0), around(50.0)),
        "ResNet-50": (around(50.0), around(45.0)),
    },
    "AURRA": {"ResNet-18": (around(10.0), around(20.0)), "ResNet-50": (around(20.0), around(30.0))},
}
WORDS = ("without SE", "with SE")


def paired(**more):
    return pairs.paired(PAIRS, words=WORDS, better=["lower", "higher"], **more)


def test_a_panel_a_metric_and_a_line_a_pair():
    figure = paired()
    left, right = figure.axes
    assert left.get_xlabel() == "calibration error (%)\nlower is better"
    assert right.get_xlabel() == "AURRA (%)\nhigher is better"
    assert [t.get_text() for t in left.get_yticklabels()] == ["ResNet-18", "ResNet-50"]
    assert legend(figure) == list(WORDS)
    for axis, by_name in zip(figure.axes, PAIRS.values(), strict=True):
        rows = [axis.lines[start : start + 5] for start in (0, 5)]
        for place, (pair, row) in enumerate(zip(by_name.values(), rows, strict=True)):
            (first, second), (joined, one, other, ring, dot) = pair, row
            assert list(joined.get_xdata()) == pytest.approx([first[0], second[0]])
            assert list(one.get_xdata()) == pytest.approx([first[1], first[2]])
            assert list(other.get_xdata()) == pytest.approx([second[1], second[2]])
            assert ring.get_xdata() == pytest.approx(first[0])
            assert dot.get_xdata() == pytest.approx(second[0])
            assert set(ring.get_ydata()) == set(dot.get_ydata()) == {place}
            assert ring.get_markerfacecolor() == "none"  # told apart without colours, too
            assert dot.get_markerfacecolor() == dot.get_color() == other.get_color()
            assert ring.get_markeredgecolor() == one.get_color() == style.RUN
    saved(figure)


def test_what_the_paper_prints_stands_below_in_grey():
    figure = paired(paper={"AURRA": {"ResNet-50": (12.0, 18.0), "another": (50.0, 60.0)}})
    left, right = figure.axes
    joined, ring, _ = right.lines[10:]
    assert list(joined.get_xdata()) == pytest.approx([12, 18])
    assert ring.get_xdata() == pytest.approx(12)
    assert legend(figure) == [*WORDS, "the paper"]
    drawn = [line for line in left.lines if len(line.get_xdata())]
    assert len(drawn) == 10
    saved(figure)


def test_a_pair_may_lack_a_metric():
    values = {
        "AURRA": PAIRS["AURRA"],
        "calibration error": {"ResNet-50": PAIRS["AURRA"]["ResNet-50"]},
    }
    figure = pairs.paired(values, words=WORDS, better=["higher", "lower"])
    assert set(figure.axes[1].lines[4].get_ydata()) == {1}
    saved(figure)


def test_metrics_without_a_direction_are_refused():
    for values, better in (({}, []), (PAIRS, ["lower"])):
        with (
            unchecked(),
            pytest.raises(InputError, match=f"{len(values)} metrics and {len(better)}"),
        ):
            pairs.paired(values, words=WORDS, better=better)
