"""Worked numbers: the arithmetic that a sentence shows gives the number that the run has."""

import re
from dataclasses import replace

import pytest

from robust_book.chapters import worked
from robust_lib.datasets.objects import truth_of
from robust_lib.metrics.boxes import Detections
from robust_lib.metrics.calibration import aurra, rms_calibration_error
from robust_lib.protocols.corruption_error import results
from robust_lib.protocols.corruption_error.normaliser import measured
from robust_lib.results.table import Results
from tests.chapters import toys
from tests.protocols.corruption_error.toys import grid_of, models

NUMBER = r"[−\d.,]+"


def quotient(text):
    """The two numbers of a fraction in a sentence, and what it says that they give."""
    found = re.search(rf"({NUMBER}) / ({NUMBER}) = ({NUMBER})", text.rpartition(": ")[2])
    return [float(one.replace("−", "-").replace(",", "").rstrip(".")) for one in found.groups()]


def test_corruption_errors_are_the_quotients_that_the_sentences_show():
    grid = grid_of(models())
    normaliser = measured(grid, "weak")
    rows = results(grid, normaliser, samples=20)
    found = worked.corruption_errors(rows, grid, normaliser)
    for key, metric in (("worked_ce", "ce"), ("worked_relative_ce", "relative_ce")):
        above, below, told = quotient(found[key].text)
        row = rows.row(metric=metric, model=grid.models[-1], corruption="gaussian_noise")
        assert found[key].value == pytest.approx(row.value)
        assert told == pytest.approx(100 * row.value, abs=0.05)
        assert 100 * above / below == pytest.approx(told, abs=0.2)
    mean = rows.row(metric="mce", model=grid.models[-1])
    assert found["worked_mce"].value == mean.value
    assert "The 15 CEs" in found["worked_mce"].text


def test_a_run_without_the_corruption_has_no_example():
    grid = toys.grid("alexnet_mini", "resnet18_mini")
    found = worked.corruption_errors(Results(), grid, toys.normaliser(grid))
    assert set(found.values()) == {worked.NOTHING}


def test_an_overlap_needs_a_pair_that_is_judged():
    one = toys.judged("fog", "snow")["resnet18"]
    apart = replace(one, judged=replace(one.judged, narrow=one.judged.narrow & False))
    assert worked.overlap({"resnet18": apart})["worked_overlap"] == worked.NOTHING
    assert worked.overlap({"resnet18": one})["worked_overlap"].value == pytest.approx(0.1)


def test_calibration_is_that_of_the_metrics():
    masked = toys.masked("hard", {"mine": 60}, images=250)
    (one,) = masked.predictions["mine"]
    right = one.predicted == one.labels
    found = worked.calibration(masked, "mine")
    error = rms_calibration_error(one.confidence, right, "all-bins")
    assert found["worked_error"].value == error
    assert found["worked_aurra"].value == aurra(one.confidence, right)
    few = worked.calibration(toys.masked("hard", {"mine": 6}), "mine")
    assert few["worked_error"] == worked.NOTHING


def test_frame_sets_are_counted_and_means_over_seeds_are_not():
    rows = toys.pm_k_rows({"mine": (6, 9)}, {})
    assert quotient(worked.pm_k(rows, "mine", 10)["worked_pm_k"].text) == [6, 10, 60]
    halves = Results.of(
        replace(row, value=0.55, low=None, high=None)
        for row in rows.select(metric="pm_accuracy").rows
    )
    assert worked.pm_k(halves, "mine", 10)["worked_pm_k"] == worked.NOTHING


def test_a_mean_average_precision_is_the_mean_over_classes():
    def rows(mean):
        parts = {"nao/cat": 0.2, "nao/dog": 0.4}
        counts = [toys.rows("nao-tab2", "objects", {None: 3.0}, part) for part in parts]
        maps = [toys.rows("nao-tab2", "map", {"mine": v}, part) for part, v in parts.items()]
        return sum([*counts, *maps], toys.rows("nao-tab2", "map", {"mine": mean}, "nao"))

    text = worked.average_precisions(rows(0.3), "mine", "nao")["worked_map"].text
    assert "from 20.0 % (cat) to 40.0 % (dog)" in text
    assert "the 2 classes that occur is its mAP: 30.0 %" in text
    assert worked.average_precisions(rows(0.5), "mine", "nao")["worked_map"] == worked.NOTHING


def test_an_iou_is_of_a_box_that_fits_fairly_well():
    ordinary, _ = toys.pictures()
    truth = truth_of(list(ordinary.annotations))
    boxes = truth.boxes.astype(float)
    boxes[:, 2] = boxes[:, 0] + 0.6 * (boxes[:, 2] - boxes[:, 0])
    (found,) = toys.object_boxes({"mine": 12})["mine"]
    scores = 1 - truth.images / 100
    found = replace(found, detections=Detections(truth.images, truth.classes, boxes, scores))
    above, below, told = quotient(worked.box_overlap(ordinary, found)["worked_iou"].text)
    assert told == pytest.approx(0.6, abs=0.01)
    assert above / below == pytest.approx(0.6, abs=0.01)
