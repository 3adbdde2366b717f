"""mAP as tables, lines and key numbers take it."""

import pytest

from robust_book.chapters.vid_3_detection import tables
from robust_lib.protocols.pm_k.detection import results
from tests.protocols.pm_k import toys

NAMES = {"fasterrcnn_resnet50": "small", "rfcn_resnet101": "other"}
SCORED = toys.scored({"small": (3, 8), "other": (6, 9)})
ROWS = results(SCORED)


def test_each_detector_stands_once_a_task_beside_the_papers():
    frame = tables.map_frame(ROWS, NAMES, 10)
    assert frame["Task"].tolist() == ["detection"] * 2 + ["localisation"] * 2
    assert frame["The paper|Worst frame"].tolist() == [48.8, 63.7, 64.2, 70.3]
    first = frame.iloc[0]
    gap = first["This run|Anchor"].value - first["This run|Worst frame"].value
    assert first["This run|Drop"].value == pytest.approx(gap)


def test_lines_end_where_the_table_does():
    lines = tables.by_distance(SCORED)
    assert set(lines) == {f"{name}, {task}" for name in SCORED for task in tables.TASKS}
    row = ROWS.row(model="small", metric="pm_map", k=10)
    assert lines["small, detection"][10][0] == pytest.approx(100 * row.value)


def test_the_prose_names_the_first_detector_and_the_range():
    numbers = tables.key_numbers(ROWS, SCORED)
    told = {key: one.text for key, one in numbers.items()}
    assert (told["detector"], told["detectors"], told["sets"], told["k"]) == (
        "small",
        "2",
        "10",
        "10",
    )
    assert told["detection_anchor"].endswith("%")
    assert told["localisation_drop"].startswith("0.0 ")
    drops = [numbers[f"{which}_drop"].value for which in ("smallest", "median", "largest")]
    assert drops == sorted(drops)


def test_words_go_from_end_to_end():
    lines = {"a": {0: (80.0, 80.0, 80.0), 10: (60.0, 60.0, 60.0)}}
    assert tables.in_words(lines) == "a from 80 to 60 %"
