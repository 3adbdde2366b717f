"""mAP as tables, lines and key numbers take it, and how detectors were trained."""

import pytest

from robust_book.chapters.vid_3_detection import numbers
from robust_lib.config.profiles import load_profile
from robust_lib.protocols.pm_k.detection import TASKS, results
from tests.protocols.pm_k import toys

NAMES = {"fasterrcnn_resnet50": "small", "rfcn_resnet101": "other"}
SCORED = toys.scored({"small": (3, 8), "other": (6, 9)})
ROWS = results(SCORED)
FULL = load_profile("full_trained").networks["detection"]


def test_each_detector_stands_once_per_task_beside_the_papers():
    frame = numbers.map_frame(ROWS, NAMES, 10)
    assert frame["Detector"].tolist() == ["small", "other"] * 2
    assert frame["Task"].tolist() == ["detection"] * 2 + ["localisation"] * 2
    assert frame["The paper|Worst frame"].tolist() == [48.8, 63.7, 64.2, 70.3]
    assert frame.loc[0, ["The paper|Anchor", "The paper|Drop"]].tolist() == [62.8, 14.0]
    first = frame.iloc[0]
    gap = first["This run|Anchor"].value - first["This run|Worst frame"].value
    assert first["This run|Drop"].value == pytest.approx(gap)


def test_lines_end_where_the_table_does():
    lines = numbers.by_distance(SCORED)
    assert set(lines) == {f"{name}, {task}" for name in SCORED for task in TASKS}
    row = ROWS.row(model="small", metric="pm_map", k=10)
    assert lines["small, detection"][10][0] == pytest.approx(100 * row.value)


def test_words_go_from_end_to_end():
    line = {0: (80.0, 80.0, 80.0), 10: (60.0, 60.0, 60.0)}
    assert numbers.in_words({"a": line, "b": line}) == "a from 80 to 60 %; b from 80 to 60 %"


def test_the_prose_names_the_first_detector_and_the_range():
    named = numbers.key_numbers(ROWS, SCORED)
    told = {key: one.text for key, one in named.items()}
    assert [told[key] for key in ("detector", "detectors", "sets", "k")] == [
        "small", "2", "10", "10",
    ]  # fmt: skip
    assert told["detection_anchor"].endswith("%")
    assert named["detection_worst"].value < named["detection_anchor"].value
    assert told["localisation_drop"].startswith("0.0 ")
    drops = [named[f"{which}_drop"].value for which in ("smallest", "median", "largest")]
    assert drops == sorted(drops)


def test_profile_full_has_the_papers_settings():
    rows = numbers.settings(FULL, "imagenet_vid_train")
    for name in ("fasterrcnn_resnet50", "fasterrcnn_resnet101"):
        told = {row.metric: row.value for row in rows.select(model=FULL[name]).rows}
        assert told == {"learning_rate": 0.01, "batch_size": 8.0, "iterations": 40000.0}
    assert {row.dataset for row in rows.rows} == {"imagenet_vid_train"}


def test_both_sides_of_the_settings_stand_in_the_frame():
    frame = numbers.settings_frame(FULL)
    assert frame["The paper|Iterations"].tolist() == ["40k", "40k", "–"]  # R-FCN has no row there
    assert frame.iloc[0, 1:].tolist() == [
        "0.01", "step", "8", "40,000", "1e-2", "Step 20k, 30k", "8", "40k",
    ]  # fmt: skip
    assert set(frame["This run|Iterations"]) == {"40,000"}
