"""Other readings of the same boxes, as the chapter shows them."""

from dataclasses import replace

import numpy as np
import pytest

from robust_book.chapters.vid_3_detection import readings
from robust_book.chapters.vid_3_detection.readings import BY_CLASS, ONE_BOX
from robust_lib.metrics.boxes import Detections
from robust_lib.protocols.pm_k import detection
from tests.protocols.pm_k import toys

SETS = toys.frame_sets(40)
TRUTH = detection.truth_of(toys.annotations(SETS))


def hedged(**settings):
    """Every object is found; on half of the sets the nearest frame has a second name on its own.

    One object a frame has its full precision before the second box, so that the anchor is left out.
    """
    (found,) = toys.boxes({"mine": (40, 40)}, SETS).values()
    boxes = found.detections
    twice = SETS.members[:20][SETS.offsets[:20] == -1]
    both = np.concatenate([np.arange(len(boxes.images)), twice])
    said = Detections(
        boxes.images[both], np.append(boxes.classes, 1 - boxes.classes[twice]),
        boxes.boxes[both], np.append(boxes.scores, boxes.scores[twice] - 0.01),
    )  # fmt: skip
    how = detection.Settings(samples=50, anchor=False, **settings)
    return {"mine": detection.scored([replace(found, detections=said)], SETS, TRUTH, how)}


PLAIN = hedged()
OTHER = {BY_CLASS: hedged(by_class=True), ONE_BOX: hedged(one_box=True)}


def test_a_row_for_each_task_and_reading():
    frame = readings.readings_frame(PLAIN, OTHER)
    assert frame["Reading"].tolist() == ["as above", BY_CLASS, "as above", ONE_BOX]
    assert frame["Task"].tolist() == ["detection"] * 2 + ["localisation"] * 2
    assert "one box" in str(readings.readings(PLAIN, OTHER))


def test_what_a_second_name_costs_is_told_and_gone_with_one_box():
    frame = readings.readings_frame(PLAIN, OTHER)
    assert frame["Anchor"].tolist() == pytest.approx([100] * 4)
    told = readings.key_numbers(PLAIN, OTHER)
    assert told["one_box_drop"].value == pytest.approx(0)
    assert (told["one_box_anchor"].text, told["one_box_worst"].text) == ("100.0 %", "100.0 %")
    assert told["second_boxes"].value > 0.05
    assert told["second_boxes"].value == pytest.approx(frame["Drop"][2].value / 100)
    assert told["by_class_drop"].text.endswith("points")
