"""Figures of anomaly detection: the right numbers, names beside what they name, chance marked."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

from robust_book.figures import anomaly, style
from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.metrics.image_statistics import STATISTICS
from tests.figures.drawn import apart, extents, saved
from tests.toys import unchecked

SETS = {
    "ordinary images": seeds.generator("in").normal(0, 1, 3000),
    "ImageNet-O": seeds.generator("out").normal(0.2, 1, 600),
    "Bernoulli noise": seeds.generator("noise").normal(2.5, 0.5, 600),
}
VALUES = {
    "AlexNet": (15.0, 14.0, 17.0),
    "VGG-11": (16.8, 15.0, 18.0),
    "ResNet-18": (21.0, 20.0, 23.0),
}


def written(figure):
    return {text.get_text(): text for text in figure.axes[0].texts}


def boxes(figure, names):
    return extents(figure, [written(figure)[name] for name in names])


def test_a_curve_says_which_share_of_a_set_has_at_least_a_score():
    figure = anomaly.scores_by_set(SETS, xlabel="energy")
    (axis,) = figure.axes
    for (name, values), line in zip(SETS.items(), axis.lines, strict=True):
        assert line.get_label() == name
        scores, shares = line.get_data()
        for place in (0, len(scores) // 3, len(scores) - 1):
            assert shares[place] == pytest.approx(100 * np.mean(values >= scores[place]))
    assert len({line.get_color() for line in axis.lines}) == 3
    assert axis.get_xlabel() == "energy"
    saved(figure)


def test_equal_sets_lie_on_each_other():
    same = dict.fromkeys(("ordinary images", "ImageNet-O"), SETS["ImageNet-O"])
    first, second = anomaly.scores_by_set(same, xlabel="energy").axes[0].lines
    assert np.array_equal(first.get_data(), second.get_data())


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        ({}, "at least one set"),
        (
            {"ordinary": np.ones((2, 4)), "others": np.zeros((0, 4))},
            "one image of others and .* but got 0",
        ),
        (
            {"ordinary": np.array([[0, np.nan, 0, np.inf]])},
            "of ordinary and .* but got 1 images and 2 numbers",
        ),
    ],
)
def test_sets_that_cannot_be_drawn(sets, message):
    with unchecked(), pytest.raises(InputError, match=message):
        anomaly.scores_by_set(sets, xlabel="energy")
    with unchecked(), pytest.raises(InputError, match=message):
        anomaly.statistics_panels(sets)


def test_bars_with_their_intervals_and_chance():
    figure = anomaly.aupr_bars(VALUES, 100 / 6, xlabel="AUPR (%)")
    (axis,) = figure.axes
    assert [bar.get_width() for bar in axis.patches] == pytest.approx([15, 16.8, 21])
    assert {to_hex(bar.get_facecolor()).upper() for bar in axis.patches} == {style.RUN}
    *intervals, dotted = axis.lines
    assert [line.get_xdata() for line in intervals] == [
        pytest.approx([14, 17]), pytest.approx([15, 18]), pytest.approx([20, 23]),
    ]  # fmt: skip
    assert list(dotted.get_xdata()) == pytest.approx([100 / 6] * 2)
    assert [t.get_text() for t in axis.get_yticklabels()] == ["AlexNet", "VGG-11", "ResNet-18"]
    assert {"15.0", "16.8", "21.0", "chance 16.7"} == set(written(figure))
    assert axis.get_xlabel() == "AUPR (%)"
    saved(figure)


def test_who_chose_is_hatched_and_the_papers_rates_are_rings_in_their_rows():
    printed = {"VGG-11": 40.0, "another": 90.0}
    figure = anomaly.aupr_bars(VALUES, 10.0, xlabel="AUPR (%)", marked=["VGG-11"], paper=printed)
    (axis,) = figure.axes
    (hatched,) = [bar for bar in axis.patches if bar.get_hatch()]
    assert hatched.get_y() + hatched.get_height() / 2 == pytest.approx(1)
    (rings,) = [line for line in axis.lines if line.get_label() == "the paper"]
    assert (list(rings.get_xdata()), list(rings.get_ydata())) == (pytest.approx([40]), [1])
    assert rings.get_markeredgecolor() == style.PAPER
    assert rings.get_markerfacecolor() == "white"  # they lie on bars
    assert axis.get_xlim()[1] > 40
    saved(figure)


def test_numbers_stand_beside_their_bars_and_the_dotted_line():
    figure = anomaly.aupr_bars(VALUES, 19.0, xlabel="AUPR (%)", words="chance")
    names = ["15.0", "16.8", "21.0", "chance 19.0"]
    placed = boxes(figure, names)
    assert apart(placed)
    (axis,) = figure.axes
    line = axis.transData.transform((19, 0))[0]
    ends = [axis.transData.transform((high, 0))[0] for _, _, high in VALUES.values()]
    for box, end in zip(placed[:3], ends, strict=True):
        assert box.x0 > max(line, end)
        assert box.x1 <= axis.bbox.x1 + 1


def test_bars_of_accuracies_have_no_chance():
    figure = anomaly.aupr_bars(VALUES, None, xlabel="accuracy (%)")
    assert len(figure.axes[0].lines) == 3
    assert set(written(figure)) == {"15.0", "16.8", "21.0"}
    figure = anomaly.aupr_bars(VALUES, 1.0, xlabel="accuracy (%)", words="guessing")
    assert "guessing 1.0" in written(figure)
    saved(anomaly.aupr_bars({"AlexNet": (0.0, 0.0, 0.0)}, None, xlabel="accuracy (%)"))
    with pytest.raises(InputError, match="at least one model"):
        anomaly.aupr_bars({}, None, xlabel="accuracy (%)")


def tables():
    return {
        name: np.column_stack([values, values + 10, values / 2, values - 2])
        for name, values in SETS.items()
    }


def test_a_panel_a_statistic_and_a_row_a_set():
    figure = anomaly.statistics_panels(tables())
    assert len(figure.axes) == len(STATISTICS) == 4
    assert [axis.get_title(loc="left") for axis in figure.axes] == [
        "mean intensity", "contrast", "mean gradient per pixel", "slope of the spectrum",
    ]  # fmt: skip
    assert [t.get_text() for t in figure.axes[0].get_yticklabels()] == list(SETS)
    for column, axis in enumerate(figure.axes):
        rows = [axis.lines[start : start + 3] for start in range(0, 9, 3)]
        for place, (name, (thin, thick, dot)) in enumerate(zip(SETS, rows, strict=True)):
            values = tables()[name][:, column]
            assert list(thin.get_xdata()) == pytest.approx(np.percentile(values, [5, 95]))
            assert list(thick.get_xdata()) == pytest.approx(np.percentile(values, [25, 75]))
            assert dot.get_xdata() == pytest.approx(np.median(values))
            assert set(thin.get_ydata()) == set(thick.get_ydata()) == {place}
        band = axis.patches[0]
        first = np.percentile(tables()["ordinary images"][:, column], [5, 95])
        assert [band.get_x(), band.get_x() + band.get_width()] == pytest.approx(first.tolist())
    saved(figure)


def test_sets_without_spread_can_be_drawn():
    saved(anomaly.statistics_panels({"ordinary": np.ones((3, 4)), "one picture": np.ones((1, 4))}))
