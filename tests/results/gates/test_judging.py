"""Which rows a gate looks at, and which it leaves aside, with the reason."""

import pytest

from robust_lib.results.gates.gate import Gate
from robust_lib.results.gates.judging import judged
from robust_lib.results.row import Row

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
    assert one(GATE, row(0.26)).words == "FAILED by 20 pictures (2 allowed)"


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
        ([row(0.24, n=200)], "200 of 1,000 pictures"),
        ([row(0.24, n=200, n_full=200)], "200 of 1,000 pictures"),
    ],
)
def test_other_networks_data_and_parts_are_not_judged(rows, why):
    assert one(GATE, *rows).words == f"not run: {why}"


def cells(values, convention="archive", **changes):
    on = {"dataset": "imagenet_c", "corruption": "fog", "convention": convention} | changes
    return [row(value, severity=place, **on) for place, value in enumerate(values, start=1)]


def test_a_corruption_is_the_mean_of_five_severities_of_the_archive():
    assert one(FOG, *cells([0.3, 0.4, 0.5, 0.6, 0.7])).words == "same"
    assert one(FOG, *cells([0.3, 0.4, 0.5, 0.6, 0.71])).words.startswith("within 8 pictures")
    assert one(FOG, *cells([0.3, 0.4, 0.5, 0.6, 0.8])).outcome == "FAILED"
    assert one(FOG, *cells([0.3, 0.4])).words == "not run: 2 of 5 severities"
    assert one(FOG, *cells([0.5] * 5, "jpeg85")).words == "not run: no number of it"
    assert one(FOG, *cells([0.5] * 5, n=200)).words == "not run: 200 of 1,000 pictures"


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
