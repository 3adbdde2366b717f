"""What figures show can be taken away: every number that is handed in is read back from them."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from robust_book.chapters.nae_2_imagenet_a import difficulty
from robust_book.figures import (
    arrows,
    bars,
    calibration,
    curves,
    dot_plots,
    embedding_maps,
    heatmaps,
    image_grids,
    overlap_matrix,
    overlap_method,
    pairs,
    scatter,
    shapes,
)
from robust_book.figures.points import COLUMNS, drawn
from robust_lib.metrics.calibration import reliability

ONE, TWO, THREE = (41.0, 37.0, 45.0), (52.0, 47.0, 59.0), (63.0, 61.0, 67.0)
DOTS = {"this run": {"Fog": ONE, "Snow": TWO}, "the paper": {"Fog": (71.5,) * 3}}
ENDS = {41.0, 37.0, 45.0, 52.0, 47.0, 59.0, 71.5}
SCORES = pd.DataFrame([[1, 0.2], [0.2, 1]], ["fog", "snow"], ["fog", "snow"])
SEVERITIES = pd.DataFrame(
    [("fog", severity, "ResNet-18", 20.0 + severity, 11.0, 33.0) for severity in range(3)],
    columns=["corruption", "severity", "model", "error", "low", "high"],
)
DIFFICULTY = pd.DataFrame([(0.2, 50, 25, 10.0, 80.0, 12.0)], columns=difficulty.COLUMNS)
PLACES = np.array([[41.0, 37.0], [52.0, 47.0]])
FIGURES = {
    "dots": lambda: dot_plots.dot_plot(
        {"set1": DOTS}, ["Fog", "Snow"], xlabel="CE", others="the paper",
        lines={"chance": 5.0}, means={"this run": 46.5},
    ),
    "shapes": lambda: shapes.on_one_axis(
        [shapes.Rows({"style": DOTS["this run"]}, {"version": {"Fog": 71.5}})], xlabel="accuracy"
    ),
    "arrows": lambda: arrows.changes(
        {"A to B": (ONE, TWO)}, {"A to B": (THREE, THREE)}, xlabel="error", ylabel="mCE",
        slopes={"this run": 1.3},
    ),
    "pairs": lambda: pairs.differences(
        {"AURRA": {"ResNet": ONE}}, xlabel="larger minus smaller", better=["higher"],
        paper={"AURRA": {"ResNet": 71.5}},
    ),
    "drops": lambda: pairs.drops({"cat": (ONE, TWO)}, {"cat": 9}, ("anchor", "worst")),
    "lines": lambda: bars.architectures(
        {"mCE": {"VGG-11": ONE}}, {"mCE": {"VGG-11": 71.5}}, words=("The paper", "This run")
    ),
    "funnels": lambda: bars.funnels({"The paper": {"candidates": 800, "kept": 200}}),
    "severities": lambda: curves.by_severity(SEVERITIES, columns=1),
    "rising": lambda: curves.rising({"Fog": [41.0, 37.0]}, ylabel="error"),
    "training": lambda: curves.training({"VGG-11": [[41.0, 52.0]]}, ylabel="accuracy"),
    "difficulty": lambda: curves.by_difficulty(DIFFICULTY, words="accuracy"),
    "distances": lambda: curves.by_distance(
        {"": {"VGG-11": {0: ONE, 10: TWO}}}, ylabel="accuracy", printed={"": {"VGG-11": {0: 71.5}}}
    ),
    "counts": lambda: curves.by_count(
        {"seen": {1: ONE}}, xlabel="held out", ylabel="error", means={"the paper": 71.5}
    ),
    "agreement": lambda: scatter.agreement(
        {"noise": {"shot": (ONE, TWO)}}, xlabel="a", ylabel="b", left_out=0
    ),
    "against": lambda: scatter.against({"nets": {"VGG-11": (ONE, TWO)}}, xlabel="a", ylabel="b"),
    "heat": lambda: heatmaps.models_by_corruption(
        [SCORES * 41], ["this run"], unit="CE (%)", unsure=[["fog"]]
    ),
    "matrix": lambda: overlap_matrix.matrices([SCORES], [SCORES.mean()], ["ResNet-18"]),
    "turned": lambda: bars.turned({"grey": (30, 20)}, {"grey": ONE}, images=200),
    "reliability": lambda: calibration.reliability_diagrams(
        {"VGG-11": {"hard": reliability(np.repeat(0.65, 50), np.arange(50) < 20)}}
    ),
    "maps": lambda: embedding_maps.panels({"pool": PLACES}, PLACES, "adversarial"),
    "rates": lambda: calibration.response_rate({"VGG-11": {50: ONE, 100: TWO}}),
}  # fmt: skip
NUMBERS = {
    "dots": ENDS | {46.5},
    "shapes": ENDS,
    "arrows": {*ONE, *TWO, *THREE},
    "pairs": {*ONE, 71.5},
    "drops": {41.0, 52.0, 37.0, 45.0, 47.0, 59.0},
    "lines": {*ONE, 71.5},
    "funnels": {25.0},
    "severities": {20.0, 21.0, 22.0, 11.0, 33.0},
    "rising": {41.0, 37.0},
    "training": {41.0, 52.0},
    "difficulty": {80.0, 10.0, 12.0},
    "distances": {*ONE, *TWO, 71.5},
    "counts": {*ONE, 71.5},
    "agreement": {*ONE, *TWO},
    "against": {*ONE, *TWO},
    "heat": {41.0, 8.2},
    "matrix": {1.0, 0.2, 0.6},
    "turned": {-15.0, 10.0, *ONE},
    "reliability": {65.0, 40.0, 100.0},
    "maps": {41.0, 37.0, 52.0, 47.0},
    "rates": {*ONE, *TWO},
}
NAMES = {
    "dots": {"Fog", "Snow", "this run", "the paper", "set1", "this run, mean", "everywhere"},
    "shapes": {"Fog", "style", "style, interval", "version, the paper"},
    "pairs": {"ResNet"},
    "lines": {"VGG-11", "mCE", "mCE, interval", "This run", "The paper"},
    "funnels": {"kept", "The paper"},
    "turned": {"grey", "broken", "corrected", "net change"},
    "reliability": {"hard, n = 50", "hard, share of the images", "VGG-11"},
    "maps": {"pool", "adversarial"},
    "heat": {"Fog", "Snow", "this run"},
    "counts": {"seen", "the paper"},
}


@pytest.mark.parametrize("kind", FIGURES)
def test_every_number_that_is_drawn_is_a_point_with_its_names(kind):
    frame = drawn(FIGURES[kind]())
    cells = frame.to_numpy(dtype=object).ravel().tolist()
    read = {round(float(cell), 6) for cell in cells if isinstance(cell, (int, float))}
    assert NUMBERS[kind] <= read
    assert NAMES.get(kind, set()) <= {cell for cell in cells if isinstance(cell, str)}
    assert kind != "dots" or 5.0 not in read  # a bound is no number of anybody's
    assert not frame.duplicated().any()


@pytest.mark.parametrize("kind", FIGURES)
def test_no_mark_and_no_interval_is_paler_than_its_colour(kind):
    """Colours have a contrast of 3 : 1 on both grounds, half of them has not; bands are none."""
    lines = [line for axis in FIGURES[kind]().axes for line in axis.lines]
    assert {str(line.get_label()): line.get_alpha() for line in lines if line.get_alpha()} == {}


def test_pictures_and_drawings_have_no_points():
    pictures = image_grids.grid([np.zeros((8, 8, 3), np.uint8)], ["x"], columns=1)
    for figure in (pictures, overlap_method.method("fog", "snow"), Figure()):
        assert drawn(figure).empty
        assert tuple(drawn(figure).columns) == COLUMNS
