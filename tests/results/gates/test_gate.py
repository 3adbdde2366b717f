"""A gate: what rounds to the published number is the same, then pictures are counted."""

from dataclasses import replace

import pytest

from robust_lib.results.gates.gate import (
    Gate,
    Judged,
    gate_frame,
    has_failed,
    is_judged,
    judged,
    summary,
)
from robust_lib.results.row import Row
from robust_lib.vocabulary import COMMON


def gate(**changes):
    plain = {"model": "m", "dataset": "d", "metric": "accuracy", "source": "a paper"}
    plain |= {"value": 0.76130, "step": 0.00001, "tolerance": 0.0005, "pictures": 50000}
    return Gate(**plain | changes)


@pytest.mark.parametrize(
    ("right", "words"),
    [
        (38065, "same"),
        (38066, "within 1 image (25 allowed)"),
        (38064, "within 1 image (25 allowed)"),
        (38090, "within 25 images (25 allowed)"),
        (38091, "FAILED by 26 images (25 allowed)"),
        (38000, "FAILED by 65 images (25 allowed)"),
    ],
)
def test_pictures_are_counted_on_either_side(right, words):
    assert gate().judged(right / 50000).words == words


def test_all_that_rounds_to_a_coarse_number_is_the_same():
    coarse = gate(value=0.0187, step=0.0001, tolerance=0.001, pictures=7500)
    assert [coarse.judged(right / 7500).outcome for right in (140, 141, 147, 148, 149)] == [
        "same", "within", "within", "FAILED", "FAILED",
    ]  # fmt: skip
    assert coarse.allowed == "7 images"


def test_a_few_pictures_allow_none():
    assert gate(pictures=60, value=0.5).judged(29 / 60).words.startswith("FAILED by 1 image (0")


def test_scores_that_count_no_pictures_are_held_in_points():
    score = gate(metric="map", value=0.379, step=0.001, tolerance=0.001, pictures=None)
    assert score.allowed == "0.1 points"
    assert [score.judged(value).words for value in (0.3794, 0.3799, 0.3768)] == [
        "same", "within 0.04 points (0.1 points allowed)",
        "FAILED by 0.17 points (0.1 points allowed)",
    ]  # fmt: skip


CLEAN = {"model": "resnet50", "dataset": "imagenet_val", "n": 1000, "n_full": 1000}
GATE = Gate(
    model="resnet50", dataset="imagenet_val", metric="accuracy", value=0.76, step=0.001,
    tolerance=0.002, pictures=1000, source="others",
)  # fmt: skip
FOG = Gate(
    model="resnet50", dataset="imagenet_c", metric="accuracy", corruption="fog", value=0.5,
    step=0.001, tolerance=0.002, pictures=5000, source="others",
)  # fmt: skip
FRAMES = "largest logit; anchor included; each frame's own labels"


def row(value, metric="error", **changes):
    return Row(**CLEAN | {"item": "inc-tab1", "metric": metric, "value": value} | changes)


def one(gate, *rows):
    (found,) = judged([gate], rows)
    return found


def test_an_error_is_an_accuracy():
    assert one(GATE, row(0.24)).words == "same"
    assert one(GATE, row(0.76, "accuracy")).words == "same"
    assert one(GATE, row(0.26)).words == "FAILED by 20 images (2 allowed)"


def test_of_several_runs_the_worst_counts():
    rows = [row(0.24, run="full/inc_2_mce"), row(0.3, run="full/inc_3_enhancements")]
    assert one(GATE, *rows).outcome == one(GATE, *rows[::-1]).outcome == "FAILED"
    assert one(GATE, row(0.3, n=9, run="full/x"), rows[0]).outcome == "same"


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([], "no number of it"),
        ([row(0.24, model="resnet50_mini")], "no number of it"),
        ([row(0.24, dataset="scenes_val")], "no number of it"),
        ([row(0.24, corruption="fog")], "no number of it"),
        ([row(0.24, "mce")], "no number of it"),
        ([row(0.24, n=200)], "200 of 1,000 images"),
        ([row(0.24, n=200, n_full=200)], "200 of 1,000 images"),
    ],
)
def test_other_networks_data_and_parts_are_not_judged(rows, why):
    assert one(GATE, *rows).words == f"not run: {why}"


def cells(values, convention="archive", **changes):
    on = {"dataset": "imagenet_c", "corruption": "fog", "convention": convention} | changes
    return [row(value, severity=place, **on) for place, value in enumerate(values, start=1)]


def test_a_corruption_is_the_mean_of_five_severities_of_the_archive():
    assert one(FOG, *cells([0.3, 0.4, 0.5, 0.6, 0.7])).words == "same"
    assert one(FOG, *cells([0.3, 0.4, 0.5, 0.6, 0.71])).words.startswith("within 8 images")
    assert one(FOG, *cells([0.3, 0.4, 0.5, 0.6, 0.8])).outcome == "FAILED"
    assert one(FOG, *cells([0.3, 0.4])).words == "not run: 2 of 5 severities"
    assert one(FOG, *cells([0.5] * 5, "jpeg85")).words == "not run: no number of it"
    assert one(FOG, *cells([0.5] * 5, n=200)).words == "not run: 200 of 1,000 images"


def test_a_mean_accuracy_is_over_all_cells_of_the_fifteen_corruptions():
    mean = replace(FOG, corruption=None, metric="mean_accuracy", pictures=75000)
    fifteen = [
        one
        for place, name in enumerate(COMMON)
        for one in cells([0.3 + 0.1 * (place == 0), 0.4, 0.5, 0.6, 0.7], corruption=name)
    ]
    assert one_of(mean, *fifteen).startswith("within")
    assert one_of(mean, *fifteen, *cells([1.0] * 5, corruption="saturate")).startswith("within")
    assert one_of(mean, *fifteen[1:]) == "not run: 74 of 75 cells"
    assert one_of(mean, *cells([0.5] * 5, "jpeg85")) == "not run: no number of it"


def one_of(gate, *rows):
    return one(gate, *rows).words


def test_an_mce_is_divided_by_the_published_errors():
    gate = Gate(
        model="resnet50", dataset="imagenet_c", metric="mce", value=0.767, step=0.001,
        tolerance=0.001, pictures=None, source="others",
    )  # fmt: skip
    on = {"dataset": "imagenet_c", "metric": "mce"}
    published = "archive, divided by AlexNet's published errors on ImageNet-C"
    assert one(gate, row(0.7671, convention=published, **on)).words == "same"
    assert one(gate, row(0.782, convention=published, **on)).outcome == "FAILED"
    measured = one(gate, row(0.767, convention="archive, divided by alexnet, measured", **on))
    assert measured.words.startswith("not run: another convention: archive")
    assert one(gate, row(0.767, convention=published, n=9, **on)).words.startswith("not run: 9 of")


def test_frames_are_judged_by_the_authors_convention():
    gate = Gate(
        model="resnet50", dataset="imagenet_vid_robust", metric="pm_accuracy", k=10, value=0.5248,
        step=0.0001, tolerance=0.002, pictures=1109, source="others",
    )  # fmt: skip
    on = {"dataset": "imagenet_vid_robust", "metric": "pm_accuracy", "n": 1109, "n_full": 1109}
    assert one(gate, row(582 / 1109, k=10, convention=FRAMES, **on)).words == "same"
    assert one(gate, row(579 / 1109, k=10, convention=FRAMES, **on)).outcome == "FAILED"
    assert one(gate, row(582 / 1109, k=0, convention=FRAMES, **on)).outcome == "not run"
    other = FRAMES.replace("anchor included", "anchor left out")
    assert "another convention" in one(gate, row(582 / 1109, k=10, convention=other, **on)).words


FRAMES_GATE = Gate(
    model="resnet50", dataset="imagenet_a", metric="pm_accuracy", k=10, value=0.5, step=0.001,
    tolerance=0.01, pictures=1000, source="others",
)  # fmt: skip
ABSENT = Judged(FRAMES_GATE, None, "not run", 0.0, "no number of it")


def test_a_row_says_what_others_found_and_what_became_of_it():
    assert gate_frame([FRAMES_GATE.judged(0.53)]).iloc[0].tolist() == [
        "resnet50", "imagenet_a", "pm-10", 50.0, 53.0, "FAILED by 30 images (10 allowed)",
        "10 images", "others",
    ]  # fmt: skip


def test_outcomes_are_counted_in_a_line():
    found = [
        FRAMES_GATE.judged(0.5),
        FRAMES_GATE.judged(0.505),
        FRAMES_GATE.judged(0.6),
        ABSENT,
        ABSENT,
    ]
    assert summary(found) == "Gates: 1 same, 1 within, 1 FAILED, 2 not run."
    assert [is_judged(one) for one in found] == [True, True, True, False, False]
    assert has_failed(found)
    assert not has_failed([found[0], found[1], ABSENT])
