"""Figures of calibration: curves with marks, diagrams with their counts, pairs of networks."""

import numpy as np
import pytest

from robust_book.figures import calibration, style
from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.metrics.calibration import reliability
from tests.figures.drawn import apart, extents, saved

RATES = np.arange(1, 101) / 100
CURVES = {
    "AlexNet": (RATES, 0.5 - 0.4 * RATES),
    "VGG-11": (RATES, 0.6 - 0.49 * RATES),
    "ResNet-18": (RATES, 0.8 - 0.5 * RATES),
}


def test_curves_in_percent_with_marks():
    figure = calibration.response_rate(CURVES)
    (axis,) = figure.axes
    for (name, (_, accuracy)), line, dots in zip(
        CURVES.items(), axis.lines[::2], axis.lines[1::2], strict=True
    ):
        assert line.get_xdata() == pytest.approx(100 * RATES)
        assert line.get_ydata() == pytest.approx(100 * accuracy)
        assert list(dots.get_xdata()) == [10, 50, 100]
        assert list(dots.get_ydata()) == pytest.approx(100 * accuracy[[9, 49, 99]])
        assert line.get_color() == dots.get_color() == style.colour(name)
    texts = {text.get_text(): text for text in axis.texts}
    assert list(texts) == ["AlexNet", "VGG-11", "ResNet-18"]  # from the lowest end up
    assert [text.xy[1] for text in texts.values()] == pytest.approx([10, 11, 30])
    assert axis.get_ylim()[0] == 0
    saved(figure)


def test_names_of_curves_do_not_overlap():
    curves = {name: (RATES, 0.5 - 0.01 * i * RATES) for i, name in enumerate(CURVES)}
    figure = calibration.response_rate(curves)
    names = figure.axes[0].texts
    assert len(names) == len(curves)
    assert apart(extents(figure, names))


def test_a_curve_that_starts_late_has_no_mark_before_it():
    figure = calibration.response_rate({"AlexNet": (np.array([0.2, 1.0]), np.array([0.4, 0.2]))})
    assert list(figure.axes[0].lines[1].get_xdata()) == [50, 100]
    assert list(figure.axes[0].lines[1].get_ydata()) == pytest.approx([32.5, 20])


@pytest.mark.parametrize("rates", [[], [0.1, 0.5], [0.5, 0.1, 1.0], [0.5, 0.5, 1.0], [10, 100.0]])
def test_rates_that_do_not_rise_to_one_are_refused(rates):
    curve = np.array(rates, float)
    with pytest.raises(InputError, match="rise to 1, but those of AlexNet do not"):
        calibration.response_rate({"AlexNet": (curve, curve)})
    with pytest.raises(InputError, match="at least one curve"):
        calibration.response_rate({})


def record(name, images=500):
    rng = seeds.generator("record", name)
    confidence = 0.2 + 0.8 * rng.random(images)
    return reliability(confidence, rng.random(images) < confidence / 2)


@pytest.mark.parametrize(("count", "columns", "rows"), [(1, 2, 1), (2, 2, 1), (3, 2, 2), (3, 3, 1)])
def test_a_diagram_a_model(count, columns, rows):
    records = {name: record(name) for name in list(CURVES)[:count]}
    figure = calibration.reliability_diagrams(records, columns=columns)
    assert len(figure.axes) == rows * min(columns, count)
    used = [axis for axis in figure.axes if axis.lines]
    assert [axis.get_title(loc="left") for axis in used] == list(records)
    assert not any(axis.axison for axis in figure.axes[count:])
    for axis, (name, drawn) in zip(used, records.items(), strict=True):
        diagonal, line = axis.lines
        assert list(diagonal.get_xdata()) == list(diagonal.get_ydata()) == [0, 100]
        filled = drawn.count > 0
        assert filled.sum() == 8  # nothing is less sure than 20 %
        assert line.get_xdata() == pytest.approx(100 * drawn.confidence[filled])
        assert line.get_ydata() == pytest.approx(100 * drawn.accuracy[filled])
        assert line.get_color() == style.colour(name)
        share = axis.patches[0].get_data()
        assert share.values == pytest.approx(drawn.count / 5)
        assert share.edges == pytest.approx(10 * np.arange(11))
        assert axis.get_ylim() == axis.get_xlim()
    assert "share of the images" in figure.get_supylabel()
    saved(figure)


def test_the_lowest_panel_of_each_column_has_its_ticks():
    records = {name: record(name) for name in CURVES}
    figure = calibration.reliability_diagrams(records)
    saved(figure)
    ticks = [axis.xaxis.get_tick_params()["labelbottom"] for axis in figure.axes[:3]]
    assert ticks == [False, True, True]
    with pytest.raises(InputError, match="at least one model"):
        calibration.reliability_diagrams({})
