"""Points and arrows: who replaces whom, and where both numbers change alike."""

from itertools import combinations

import pytest

from robust_book.figures.arrows import replacements, sides
from robust_lib.errors import InputError


def both(x, y):
    return (x, x - 1, x + 1), (y, y - 2, y + 2)


DOTS = {"ResNet-50": both(24.0, 77.0), "DenseNet-121": both(26.0, 73.0), "mine": both(20.0, 60.0)}


def arrows(axis):
    return [text for text in axis.texts if not text.get_text()]


def test_an_arrow_goes_from_the_network_that_is_replaced_to_the_other():
    figure = replacements(
        {"The paper": {}, "This run": DOTS},
        [("ResNet-50", "DenseNet-121"), ("DenseNet-121", "DenseNet-161")],
        xlabel="clean error (%)",
        ylabel="mCE (%)",
    )
    (axis,) = figure.axes
    (arrow,) = arrows(axis)
    assert (arrow.xyann, arrow.xy) == ((24.0, 77.0), (26.0, 73.0))
    assert {text.get_text() for text in axis.texts if text.get_text()} == set(DOTS)


def test_the_dotted_line_has_slope_one():
    figure = replacements({"a": DOTS}, [("ResNet-50", "mine")], xlabel="x", ylabel="y")
    (line,) = (line for line in figure.axes[0].lines if line.get_linestyle() == ":")
    assert line.get_xdata().tolist() == [24.0, 20.0]
    assert line.get_ydata().tolist() == [77.0, 73.0]


def test_labels_of_close_points_do_not_lie_on_each_other():
    crowd = {f"Network-{n}-like": both(20.0 + 0.4 * n, 70.0 + (-1) ** n) for n in range(6)}
    figure = replacements({"a": crowd | {"far": both(10.0, 70.0)}}, [], xlabel="x", ylabel="y")
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in figure.axes[0].texts]
    for one, other in combinations(boxes, 2):
        wide = min(one.x1, other.x1) - max(one.x0, other.x0)
        high = min(one.y1, other.y1) - max(one.y0, other.y0)
        assert min(wide, high) < 4


def test_labels_stay_within_the_panel():
    figure = replacements({"a": DOTS}, [], xlabel="x", ylabel="y")
    figure.draw_without_rendering()
    panel = figure.axes[0].get_window_extent()
    for text in figure.axes[0].texts:
        box = text.get_window_extent()
        assert panel.x0 - 2 <= box.x0
        assert box.x1 <= panel.x1 + 2


def test_a_label_without_neighbours_stands_to_the_lower_right():
    assert sides({"mine": (50.0, 50.0)}, (200.0, 100.0)) == {"mine": (1, -1)}
    assert sides({"mine": (190.0, 50.0)}, (200.0, 100.0)) == {"mine": (-1, -1)}


def test_every_point_has_its_intervals():
    figure = replacements({"a": {"mine": DOTS["mine"]}}, [], xlabel="x", ylabel="y")
    spans = [(list(line.get_xdata()), list(line.get_ydata())) for line in figure.axes[0].lines]
    assert spans == [([19.0, 21.0], [60.0, 60.0]), ([20.0, 20.0], [58.0, 62.0]), ([20.0], [60.0])]


def test_nothing_to_draw_is_refused():
    with pytest.raises(InputError, match="both numbers, but there is none"):
        replacements({"The paper": {}, "This run": {}}, [], xlabel="x", ylabel="y")
