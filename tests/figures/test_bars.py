"""Bars and points of models, the paper's beside ours; funnels."""

import pytest
from matplotlib.colors import to_rgba

from robust_book.figures import bars, style
from robust_book.figures.bars import funnels
from robust_lib.errors import InputError
from tests.figures.drawn import MODELS, apart, extents, saved, shown


def values(*numbers):
    return {
        model: (value, value - 2, value + 5) for model, value in zip(MODELS, numbers, strict=True)
    }


def architectures():
    return bars.architectures(
        {"mCE": values(100.0, 90.0, 80.0), "Relative mCE": values(100.0, 110.0, 120.0)},
        {
            "mCE": {"AlexNet": 100.0, "VGG-11": 93.5, "ResNet-18": 84.7},
            "Relative mCE": {"AlexNet": 100.0, "VGG-11": 123.3, "ResNet-18": 103.9},
        },
        words=("the paper", "this run"),
    )


def test_architectures_stand_beside_the_papers():
    figure = architectures()
    left, right = figure.axes
    assert [axis.get_title(loc="left") for axis in figure.axes] == ["the paper", "this run"]
    assert shown(left) == shown(right) == ["AlexNet", "VGG-11", "ResNet-18"]
    assert left.get_ylim() == right.get_ylim()
    assert "AlexNet = 100" in left.get_ylabel()
    lines = {c.get_label(): c.lines[0] for axis in figure.axes for c in axis.containers}
    assert lines["mCE"].get_ydata().tolist() == pytest.approx([100, 90, 80])
    assert lines["Relative mCE"].get_ydata().tolist() == pytest.approx([100, 110, 120])
    colours = [[c.lines[0].get_color() for c in axis.containers] for axis in figure.axes]
    assert colours == [[style.PAPER] * 2, [style.RUN] * 2]  # whose the numbers are
    shapes = [[c.lines[0].get_marker() for c in axis.containers] for axis in figure.axes]
    assert shapes[0] == shapes[1]  # a metric keeps its shape from panel to panel
    assert shapes[0][0] != shapes[0][1]
    text = saved(figure)
    assert text.count(">Relative mCE<") == 2


def test_names_of_lines_that_end_alike_do_not_overlap():
    figure = bars.architectures(
        {"mCE": values(100.0, 90.0, 80.1), "Relative mCE": values(100.0, 90.0, 80.0)},
        {},
        words=("the paper", "this run"),
    )
    names = figure.axes[1].texts
    assert len(names) == 2
    assert apart(extents(figure, names))


def test_intervals_of_architectures_are_drawn_where_they_are():
    right = architectures().axes[1]
    segments = right.containers[0].lines[2][0].get_segments()
    assert [sorted(segment[:, 1]) for segment in segments] == [
        pytest.approx([98, 105]),
        pytest.approx([88, 95]),
        pytest.approx([78, 85]),
    ]


def test_a_metric_without_numbers_is_left_out():
    """Without all fifteen corruptions there is no mean."""
    figure = bars.architectures(
        {"mCE": values(100.0, 90.0, 80.0), "Relative mCE": {}}, {}, words=("the paper", "this run")
    )
    assert len(figure.axes[1].containers) == 1
    saved(figure)


def test_too_many_metrics_are_refused():
    five = {name: values(100.0, 100.0, 100.0) for name in "abcde"}
    with pytest.raises(InputError, match=r"4 metrics.*figure"):
        bars.architectures(five, {}, words=("a", "b"))


def test_lines_that_lack_models_keep_the_others_in_their_places():
    figure = bars.architectures(
        {
            "few": {"AlexNet": (90.0, 80.0, 99.0), "ResNet-18": (70.0, 60.0, 80.0)},
            "all": values(100.0, 90.0, 80.0),
        },
        {},
        words=("the paper", "this run"),
    )
    right = figure.axes[1]
    assert shown(right) == ["AlexNet", "VGG-11", "ResNet-18"]
    lines = {bar.get_label(): bar.lines[0] for bar in right.containers}
    assert list(lines["few"].get_xdata()) == [0, 2]
    assert list(lines["all"].get_xdata()) == [0, 1, 2]


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
    assert words == ["7.5 %, 900 of 12,000", "0.0 %, 0 of 900", "none reached this step"]
    assert apart(extents(figure, [text for axis in figure.axes for text in axis.texts]))


def test_the_paper_is_grey_and_this_run_has_the_accent():
    ours, paper = funnels(COUNTS).axes
    assert {bar.get_facecolor() for bar in ours.patches} == {to_rgba(style.RUN)}
    assert {bar.get_facecolor() for bar in paper.patches} == {to_rgba(style.PAPER)}


@pytest.mark.parametrize("counts", [{}, {"a pool": {"candidates": 9}}])
def test_what_has_no_step_is_refused(counts):
    with pytest.raises(
        InputError, match="at least one funnel to draw, each with a pool and a step"
    ):
        funnels(counts)
