"""Figures of a phone: as wide as its page, panels under each other, nothing lost."""

import re

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from robust_book.figures import (
    bars,
    curves,
    embedding_maps,
    image_grids,
    pairs,
    phone,
    points,
    shapes,
    style,
)
from robust_book.figures.curves import by_distance
from robust_book.figures.dot_plots import dot_plot
from robust_book.figures.heatmaps import models_by_corruption
from tests.figures.drawn import apart, extents, legend, numbers

DOTS = {"ResNet-18": {"Fog": (20.0, 10.0, 30.0), "Snow": (40.0, 30.0, 50.0)}}
LONG = "the network that chose the images of all"


def pixels(figure: Figure) -> float:
    found = re.search(r'viewBox="0 0 ([\d.]+)', style.svg(figure))
    assert found
    return float(found[1]) * 96 / 72


def test_panels_stand_under_each_other_on_a_phone_each_with_the_names_of_its_rows():
    figure = dot_plot({"The paper": DOTS, "This run": DOTS}, ["Fog", "Snow"], xlabel="error (%)")
    before = points.drawn(figure)
    assert pixels(figure) > 600
    assert phone.fitted(figure)
    assert pixels(figure) < 350
    paper, run = figure.axes
    assert paper.get_position().y0 > run.get_position().y1
    assert paper.get_position().x0 == run.get_position().x0
    for axis in (paper, run):
        assert axis.yaxis.get_tick_params()["labelleft"]
    assert (paper.get_xlabel(), run.get_xlabel()) == ("", "error (%)")
    pd.testing.assert_frame_equal(points.drawn(figure), before)


def test_long_names_of_rows_stand_above_them():
    dots = {"this run": {LONG: (20.0, 10.0, 30.0), "Snow": (40.0, 30.0, 50.0)}}
    figure = dot_plot({"": dots}, [LONG, "Snow"], xlabel="error (%)")
    style.svg(figure)
    assert phone.fitted(figure)
    (axis,) = figure.axes
    assert [text.get_text() for text in axis.texts] == [LONG, "Snow"]
    assert not axis.yaxis.get_tick_params()["labelleft"]
    assert axis.get_position().width > 0.85
    assert apart(extents(figure, axis.texts))


def test_names_above_rows_leave_room_for_words_above_bars_and_for_marks():
    steps = {"pool": 900, "kept because every network is wrong": 90, LONG: 9}
    dots = {LONG: (20.0, 10.0, 30.0), "Snow": (40.0, 30.0, 50.0)}
    changes = dict.fromkeys((LONG, f"{LONG} again"), (1.0, 0.0, 2.0))
    figures = [
        bars.funnels({"The paper": steps, "This run": steps}),
        dot_plot({"": dict.fromkeys("abc", dots)}, list(dots), xlabel="error (%)"),
        pairs.differences({"AURRA": changes, "RMS": changes}, xlabel="a", better=["higher"] * 2),
    ]
    for figure in figures:
        style.svg(figure)
        assert phone.fitted(figure)
        first = figure.axes[0]
        assert any(LONG in text.get_text() for text in first.texts)
        boxes = extents(figure, first.texts)
        assert apart(boxes)
        marks = [one for one in first.lines if one.get_marker() != "None" and len(one.get_xdata())]
        assert not any(one.get_window_extent().overlaps(box) for one in marks for box in boxes)


def test_a_line_between_sections_is_above_the_name_of_the_next_row():
    rows = [LONG, "Snow", f"{LONG} again", "Fog"]
    dots = {name: dict.fromkeys(rows, (20.0, 10.0, 30.0)) for name in "ab"}
    sections = {"first": rows[:2], "second": rows[2:]}
    figure = dot_plot({"": dots}, rows, xlabel="accuracy (%)", sections=sections)
    style.svg(figure)
    assert phone.fitted(figure)
    (axis,) = figure.axes
    (parting,) = (one for one in axis.lines if one.get_transform() == axis.get_yaxis_transform())
    marks = [one for one in axis.lines if one.get_marker() != "None" and len(one.get_xdata())]
    boxes = [*extents(figure, axis.texts), *(one.get_window_extent() for one in marks)]
    assert len(boxes) >= 8
    assert not any(parting.get_window_extent().overlaps(box) for box in boxes)


def test_lines_that_look_alike_share_an_entry_and_the_density_of_a_map_is_no_picture():
    rising = {f"a corruption of a long name, {n}": [9.0 + n, 20.0 + n] for n in range(9)}
    figure = curves.rising(rising | {f"falls, {LONG}": [30.0, 20.0]}, ylabel="error (%)")
    style.svg(figure)
    assert phone.fitted(figure)
    assert legend(figure) == [f"falls, {LONG}", "9 others"]
    places = np.random.default_rng(0).normal(size=(9, 2))
    maps = embedding_maps.panels({"training": places, "all": places}, places, "adversarial")
    style.svg(maps)
    assert phone.fitted(maps)
    assert maps.axes[0].get_position().y0 > maps.axes[1].get_position().y1


def test_names_at_the_ends_of_lines_go_into_a_legend_that_stands_above_the_panel():
    names = [f"Faster R-CNN, ResNet-{depth}-like" for depth in (18, 34, 50)]
    lines = {name: {k: (60.0 - k, 50.0, 70.0) for k in (0, 10)} for name in names}
    figure = by_distance({"detection": lines}, ylabel="mAP (%)")
    style.svg(figure)
    assert phone.fitted(figure)
    assert sorted(legend(figure)) == sorted(names)
    assert not figure.axes[0].texts
    box = figure.legends[0].get_window_extent()
    assert box.y0 > figure.axes[0].get_window_extent().y1


def test_a_matrix_keeps_its_numbers_and_its_colour_bar_lies_above():
    frame = pd.DataFrame(100.0, index=["AlexNet", "VGG-11"], columns=["fog", "snow"])
    figure = models_by_corruption([frame, frame], ["The paper", "This run"], unit="CE (%)")
    told = [numbers(axis) for axis in figure.axes[:2]]
    style.svg(figure)
    assert phone.fitted(figure)
    assert [numbers(axis) for axis in figure.axes[:2]] == told
    bar = figure.axes[-1].get_position()
    assert bar.y0 > figure.axes[0].get_position().y1
    assert bar.width > bar.height


def test_a_legend_within_a_panel_stays_there():
    figure = Figure(figsize=(8, 2.5), layout="constrained")
    panels = figure.subplots(1, 4)
    for panel in panels:
        panel.plot([0, 1], [0, 1], label="a")
    panels[0].legend(loc="lower left")
    style.svg(figure)
    assert phone.fitted(figure)
    assert panels[0].get_legend() is not None
    assert not figure.legends


def test_galleries_and_large_matrices_and_what_is_narrow_stay_as_they_are():
    gallery = image_grids.grid([np.zeros((9, 9, 3), dtype=np.uint8)] * 4, ["a"] * 4, columns=4)
    large = pd.DataFrame(1.0, index=[f"ResNet-{n}" for n in range(15)], columns=["fog"])
    narrow = Figure(figsize=(2, 2), layout="constrained")
    narrow.subplots()
    for figure in (gallery, models_by_corruption([large], [""], unit="CE (%)"), narrow):
        style.svg(figure)
        size = tuple(figure.get_size_inches())
        assert not phone.fitted(figure)
        assert tuple(figure.get_size_inches()) == size


def test_a_figure_is_the_same_on_a_phone_whatever_was_made_of_it_before():
    """A page draws it, writes it as PNG, which has finer pixels, and reads its points."""
    steps = {"pool": 900, "with a candidate": 90, "confirmed": 9}
    line = {1: (60.0, 50.0, 70.0), 4: (65.0, 55.0, 75.0)}
    drawn = [
        lambda: bars.funnels({"The paper": steps, "This run": steps}),
        lambda: curves.by_count({"a": line}, xlabel="n", ylabel="error", means={"mean": 59.7}),
    ]
    for draw in drawn:
        plain, used = draw(), draw()
        for figure in (plain, used):
            style.svg(figure)
        style.png(used)
        points.drawn(used)
        assert phone.fitted(plain)
        assert phone.fitted(used)
        assert style.svg(used) == style.svg(plain)


def test_text_beside_a_row_stands_beside_its_name_and_takes_no_room_from_the_panel():
    ours = {"style": {"ResNet-20-like": (42.0, 38.0, 46.0)}}
    rows = shapes.Rows(ours, beside={"ResNet-20-like": "0.1 [−5.5, 5.2]"}, beside_title="gap")
    figure = shapes.on_one_axis([rows], xlabel="accuracy (%)", ends=style.SHARES)
    assert phone.fitted(figure)
    (axis,) = figure.axes
    assert axis.get_position().width > 0.9
    places = {one.get_text(): one.xyann[1] for one in axis.texts}
    assert places["0.1 [−5.5, 5.2]"] == places["ResNet-20-like"]


def test_the_name_of_a_dotted_line_stays_above_the_panel():
    rows = [LONG, "Snow", f"{LONG} again"]
    dots = {"": {"this run": dict.fromkeys(rows, (30.0, 25.0, 35.0))}}
    figure = dot_plot(dots, rows, xlabel="change (points)", lines={"bound": 20.0}, ends=(0, 100))
    style.svg(figure)
    assert phone.fitted(figure)
    (words,) = (one for one in figure.axes[0].texts if one.get_text() == "bound")
    assert words.xyann == words.xy == (20.0, 1.0)
