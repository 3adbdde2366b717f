"""Curves: one line per network, over severities, epochs, difficulty or a count."""

import pandas as pd
import pytest

from robust_book.chapters.nae_2_imagenet_a import difficulty
from robust_book.figures import curves, style
from robust_book.figures.curves import by_count
from robust_lib.metrics.intervals import clopper_pearson
from tests.figures.drawn import CORRUPTIONS, MODELS, legend, saved


def by_severity():
    return pd.DataFrame(
        [
            {"corruption": c, "severity": s, "model": m, "error": 10.0 * s + 5 * i}
            for c in CORRUPTIONS
            for i, m in enumerate(MODELS)
            for s in range(6)
        ]
    )


@pytest.mark.parametrize("columns", [2, 3, 5])
def test_a_panel_a_corruption(columns):
    figure = curves.by_severity(by_severity(), columns=columns)
    used = [axis for axis in figure.axes if axis.lines]
    assert [axis.get_title(loc="left") for axis in used] == ["Fog", "JPEG", "Gaussian noise"]
    assert len(figure.axes) % columns == 0
    assert not any(axis.axison for axis in figure.axes[3:])
    for axis in used:
        assert [line.get_color() for line in axis.lines] == [style.colour(m) for m in MODELS]
        assert [line.get_label() for line in axis.lines] == ["AlexNet", "VGG-11", "ResNet-18"]
        assert axis.lines[1].get_xdata().tolist() == [0, 1, 2, 3, 4, 5]
        assert axis.lines[1].get_ydata().tolist() == [5, 15, 25, 35, 45, 55]
        assert axis.get_ylim() == (0, 100)
        assert axis.get_xticks().tolist() == [0, 1, 2, 3, 4, 5]
    beside = [text.get_text() for text in used[-1].texts]
    named = beside if len(used) % columns else legend(figure)  # where the last row has room
    assert sorted(named) == sorted(MODELS)
    looks = {(line.get_marker(), str(line._unscaled_dash_pattern)) for line in used[0].lines}
    assert len(looks) == 3  # told apart without colours
    assert figure.get_supylabel() == "top-1 error (%)"
    assert "severity" in figure.get_supxlabel()
    saved(figure)


def test_training_curves():
    curved = {"AlexNet": [[2.0, 1.0, 0.5]], "mine": [[1.0, 0.9]]}
    figure = curves.training(curved, ylabel="loss")
    (axis,) = figure.axes
    assert [line.get_xdata().tolist() for line in axis.lines] == [[1, 2, 3], [1, 2]]
    assert axis.lines[0].get_color() == style.colour("AlexNet")
    assert axis.lines[0].get_color() != axis.lines[1].get_color()
    assert legend(figure) == ["AlexNet", "mine"]
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("epoch", "loss")
    saved(figure)


def test_networks_of_one_model_share_its_colour_and_its_place_in_the_legend():
    figure = curves.training({"AlexNet": [[2.0, 1.0], [1.5, 0.5]]}, ylabel="loss")
    first, second = figure.axes[0].lines
    assert first.get_color() == second.get_color()
    assert (first.get_marker(), second.get_marker()) == ("o", "")
    assert first.get_linewidth() > second.get_linewidth()
    assert legend(figure) == ["AlexNet"]


def test_many_networks_are_told_apart_by_dashes_and_have_room():
    names = [f"net{place}" for place in range(12)]
    figure = curves.training({name: [[0.1, 0.2]] for name in names}, ylabel="accuracy")
    (axis,) = figure.axes
    looks = {(line.get_color(), str(line._unscaled_dash_pattern)) for line in axis.lines}
    assert len(looks) == 12
    assert len(axis.get_legend().get_texts()) == 12


def test_curves_by_difficulty_have_names_and_bands_of_their_counts():
    rows = [(0.2, 50, 5, 10.0, 80.0, 20.0), (0.5, 10, 0, 0.0, 60.0, float("nan"))]
    (axis,) = curves.by_difficulty(
        pd.DataFrame(rows, columns=difficulty.COLUMNS), words="accuracy"
    ).axes
    assert [text.get_text() for text in axis.get_legend().get_texts()] == [
        "accuracy on all candidates",
        "share that passes the filter",
        "accuracy on those that pass",
    ]
    assert axis.lines[2].get_ydata()[0] == 20.0
    low, high = (100 * end for end in clopper_pearson(40, 50))
    box = axis.collections[0].get_paths()[0]
    assert {round(float(y), 6) for x, y in box.vertices if x == 0.2} == {
        round(low, 6),
        round(high, 6),
    }


BY_K = {0: (70.0, 65.0, 75.0), 10: (50.0, 45.0, 55.0)}


def test_panels_by_distance_have_one_axis_from_zero_and_names_at_the_ends():
    panels = {task: {"a": BY_K, "b": BY_K} for task in ("detection", "localisation")}
    figure = curves.by_distance(panels, ylabel="mAP (%)")
    first, second = figure.axes
    assert first.get_ylim() == second.get_ylim() == (0, 100)
    assert [axis.get_title(loc="left") for axis in figure.axes] == list(panels)
    told = dict(reversed(text.get_text().split(" ")) for text in second.texts)
    assert sorted(told) == ["a", "b"]
    assert told["a"] != told["b"]  # the shape of the line's dots
    looks = {(str(line._unscaled_dash_pattern), line.get_marker()) for line in first.lines}
    assert len(looks) == 2  # told apart without colours
    saved(figure)


def test_a_band_is_the_interval():
    figure = curves.by_distance({"": {"a": {0: (70.0, 65.0, 75.0)}}}, ylabel="accuracy (%)")
    (band,) = figure.axes[0].collections
    assert sorted({float(y) for y in band.get_paths()[0].vertices[:, 1]}) == [65.0, 75.0]


def test_the_papers_ends_are_rings_in_grey():
    printed = {"": {"a": {0: 62.8, 10: 48.8}}}
    figure = curves.by_distance({"": {"a": BY_K}}, ylabel="mAP (%)", printed=printed)
    dotted, rings, _ = figure.axes[0].lines
    assert list(rings.get_ydata()) == list(dotted.get_ydata()) == [62.8, 48.8]
    assert (rings.get_markeredgecolor(), rings.get_markerfacecolor()) == (style.PAPER, "none")
    assert dotted.get_gid() == "joint"  # it is no number
    assert legend(figure) == ["the paper"]


LINES = {
    "seen": {2: (20.0, 15.0, 25.0), 1: (10.0, 5.0, 15.0)},
    "unseen": {1: (50.0, 40.0, 60.0), 2: (60.0, 50.0, 70.0)},
}


def drawn(**given):
    return by_count(LINES, xlabel="held out", ylabel="error (%)", **given).axes[0]


def test_a_line_goes_from_the_least_number_to_the_greatest():
    line = drawn().lines[0]
    assert (line.get_xdata().tolist(), line.get_ydata().tolist()) == ([1, 2], [10.0, 20.0])


def test_a_band_spans_the_interval():
    box = drawn().collections[1].get_paths()[0].get_extents()
    assert (box.y0, box.y1) == (40.0, 70.0)


def test_a_mean_is_dotted_in_the_papers_grey():
    *lines, seen, unseen = drawn(means={"paper, seen": 13.2, "paper, unseen": 59.7}).lines
    assert [line.get_ydata()[0] for line in (seen, unseen)] == [13.2, 59.7]
    assert {line.get_color() for line in (seen, unseen)} == {style.PAPER}
    assert {line.get_color() for line in lines} == {style.RUN}
    assert len({line.get_marker() for line in lines}) == 2
    assert {line.get_linestyle() for line in (seen, unseen)} == {":"}


def test_axes_begin_at_zero_and_say_what_they_are():
    axis = drawn()
    assert axis.get_ylim() == (0, 100)
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("held out", "error (%)")
