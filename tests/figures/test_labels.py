"""Names at the ends of lines: each beside its own, none on another."""

from itertools import pairwise

from matplotlib.figure import Figure

from robust_book.figures.labels import LINE, at_ends
from tests.figures.drawn import apart, extents


def test_names_of_lines_that_end_together_share_the_room_above_and_below():
    figure = Figure(figsize=(4, 3))
    axis = figure.subplots()
    axis.set_ylim(0, 100)
    ends = {"a": (1.0, 50.0), "b": (1.0, 50.5), "c": (1.0, 51.0), "far": (1.0, 100.0)}
    at_ends(axis, ends, dict.fromkeys(ends, "black"), height=160)
    shifts = {text.get_text(): text.xyann[1] for text in axis.texts}
    assert shifts["far"] == 0
    assert abs(shifts["b"]) < 1  # the middle one stays
    assert shifts["c"] - shifts["a"] > 1.5 * LINE
    assert apart(extents(figure, axis.texts))


def test_names_of_lines_that_end_at_the_top_stay_in_the_panel():
    figure = Figure(figsize=(4, 3))
    axis = figure.subplots()
    axis.set_ylim(0, 100)
    ends = {str(number): (1.0, 99.0) for number in range(8)}
    at_ends(axis, ends, dict.fromkeys(ends, "black"), height=150)
    heights = sorted(1.5 * 99 + text.xyann[1] for text in axis.texts)
    assert heights[-1] <= 150
    assert min(after - before for before, after in pairwise(heights)) > LINE - 0.01
