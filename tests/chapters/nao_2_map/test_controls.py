"""What the pool costs and what the choice, as the chapter shows it."""

import pytest

from robust_book.chapters.nao_2_map import controls
from robust_lib.protocols.objects import at_random, coco_map
from tests.protocols.objects import toys

NAMES = {"efficientdet_d7": "mine"}
ON_BOTH = toys.maps({"mine": (60, 20), "other": (60, 40)})
POOL = {name: both[0] for name, both in ON_BOTH.items()}
ROWS = coco_map.results(ON_BOTH) + at_random.results(ON_BOTH, POOL)


def test_a_line_for_each_detector_with_foreign_objects_and_without():
    frame = controls.choice_frame(ROWS, ON_BOTH, POOL, NAMES)
    assert frame["Counted"].tolist() == ["everything", "without OOD objects"] * 2
    assert frame["Detector"].iloc[0] == "mine (selected the images)"
    line = frame.iloc[0]
    lost = line["Drop due to the pool"].value + line["Drop due to the selection"].value
    assert lost == pytest.approx(line["Ordinary"] - line["Adversarial"])


def test_the_prose_counts_the_others_to_which_the_choice_passes_on():
    named = controls.key_numbers(ROWS, ON_BOTH, POOL, NAMES)
    assert named["choice_passes"].text == "1 of 1"
    assert named["pool_drop"].value == pytest.approx(0, abs=1e-9)
    assert named["choice_drop"].value > 0.1
    assert named["foreign_beyond"].text == "2 of 2"


def test_where_there_is_no_pool_nothing_is_claimed():
    rows = coco_map.results(ON_BOTH) + at_random.results(ON_BOTH, {})
    named = controls.key_numbers(rows, ON_BOTH, {}, NAMES)
    assert named["choice_passes"].text == named["pool_drop"].text == "not measured"
    assert "not computed" in str(controls.pool_or_choice(None, rows, ON_BOTH, {}))
