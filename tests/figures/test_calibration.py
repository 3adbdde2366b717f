"""Figures of calibration: curves with bands, diagrams with their counts."""

import numpy as np
import pytest

from robust_book.figures import calibration, style
from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.metrics.calibration import reliability
from robust_lib.metrics.intervals import clopper_pearson
from tests.figures.drawn import apart, extents, legend, saved

RATES = range(1, 101)


def curve(first, last):
    """Return a straight curve with an interval of two points to either side."""
    values = np.linspace(first, last, 100)
    return {rate: (one, one - 2, one + 2) for rate, one in zip(RATES, values, strict=True)}


CURVES = {"AlexNet": curve(50, 10), "VGG-11": curve(60, 11), "ResNet-18": curve(80, 30)}


def test_curves_with_bands_and_marks():
    figure = calibration.response_rate(CURVES)
    (axis,) = figure.axes
    for (name, drawn), line, dots, band in zip(
        CURVES.items(), axis.lines[::2], axis.lines[1::2], axis.collections, strict=True
    ):
        assert list(line.get_xdata()) == list(RATES)
        assert line.get_ydata() == pytest.approx([value for value, _, _ in drawn.values()])
        box = band.get_paths()[0].get_extents()
        assert (box.y0, box.y1) == pytest.approx((drawn[100][1], drawn[1][2]))
        assert list(dots.get_xdata()) == [10, 50, 100]
        assert list(dots.get_ydata()) == pytest.approx([drawn[rate][0] for rate in (10, 50, 100)])
        assert line.get_color() == dots.get_color() == style.colour(name)
    texts = {text.get_text(): text for text in axis.texts}
    assert list(texts) == ["AlexNet", "VGG-11", "ResNet-18"]  # from the lowest end up
    assert [text.xy[1] for text in texts.values()] == pytest.approx([10, 11, 30])
    assert axis.get_ylim() == (0, 100)
    saved(figure)


def test_names_of_curves_do_not_overlap():
    curves = {name: curve(50, 49 - place) for place, name in enumerate(CURVES)}
    figure = calibration.response_rate(curves)
    names = figure.axes[0].texts
    assert len(names) == len(curves)
    assert apart(extents(figure, names))


def test_a_curve_that_starts_late_has_no_mark_before_it():
    late = {20: (40.0, 30.0, 50.0), 50: (32.5, 30.0, 35.0), 100: (20.0, 15.0, 25.0)}
    figure = calibration.response_rate({"AlexNet": late})
    assert list(figure.axes[0].lines[1].get_xdata()) == [50, 100]
    assert list(figure.axes[0].lines[1].get_ydata()) == pytest.approx([32.5, 20])


@pytest.mark.parametrize("rates", [[], [10, 50]])
def test_rates_that_do_not_end_at_all_images_are_refused(rates):
    short = dict.fromkeys(rates, (10.0, 5.0, 15.0))
    with pytest.raises(InputError, match=r"100 %.*those.*AlexNet end"):
        calibration.response_rate({"AlexNet": short})
    with pytest.raises(InputError, match="at least one curve"):
        calibration.response_rate({})


def record(name, images=500):
    rng = seeds.generator("record", name)
    confidence = 0.2 + 0.8 * rng.random(images)
    return reliability(confidence, rng.random(images) < confidence / 2)


@pytest.mark.parametrize(("count", "columns", "rows"), [(1, 2, 1), (2, 2, 1), (3, 2, 2), (3, 3, 1)])
def test_a_diagram_a_network_with_all_kinds_of_images_and_a_strip_below(count, columns, rows):
    kinds = {"hard": record("hard"), "ordinary": record("ordinary")}
    names = list(CURVES)[:count]
    figure = calibration.reliability_diagrams(dict.fromkeys(names, kinds), columns=columns)
    assert len(figure.axes) == 2 * rows * min(columns, count)
    diagrams = [axis for axis in figure.axes if axis.get_title(loc="left")]
    assert [axis.get_title(loc="left") for axis in diagrams] == names
    for axis in diagrams:
        dots = [line for line in axis.lines if line.get_marker() == "o"]
        for kind, drawn in kinds.items():
            own = [dot for dot in dots if dot.get_markeredgecolor() == style.colour(kind)]
            filled = drawn.count > 0
            sure = [float(dot.get_xdata()[0]) for dot in own]
            right = [float(dot.get_ydata()[0]) for dot in own]
            assert sure == pytest.approx(100 * drawn.confidence[filled])
            assert right == pytest.approx(100 * drawn.accuracy[filled])
        assert len(dots) == 16  # nothing is less confident than 20 %
    strips = [axis for axis in figure.axes if axis.patches]
    share = strips[0].patches[0].get_data()
    assert share.values == pytest.approx(kinds["hard"].count / 5)
    assert len({axis.get_ylim() for axis in strips}) == 1
    assert legend(figure) == ["hard", "ordinary", "fewer than 5 images"]
    saved(figure)


def test_a_dot_says_how_many_images_its_bin_has():
    confidence = np.repeat([0.15, 0.55, 0.95], [4, 20, 80])
    right = np.arange(104) % 2 == 0
    drawn = calibration.reliability_diagrams({"net": {"hard": reliability(confidence, right)}})
    axis = drawn.axes[0]
    few, more, most = (line for line in axis.lines if line.get_marker() == "o")
    assert few.get_markerfacecolor() == "none" != more.get_markerfacecolor()
    assert few.get_markersize() < more.get_markersize() < most.get_markersize()
    assert most.get_markersize() == pytest.approx(2 * more.get_markersize())  # four times the area
    bars = [line for line in axis.lines[1:] if line.get_marker() == "None"]
    assert list(bars[0].get_ydata()) == pytest.approx(100 * np.array(clopper_pearson(2, 4)))


def test_no_network_is_no_diagram():
    with pytest.raises(InputError, match="at least one model"):
        calibration.reliability_diagrams({})
