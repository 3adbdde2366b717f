"""Which failures are shown, and what is right about a box."""

import numpy as np
import pytest

from robust_book.chapters.vid_3_detection.failures import boxes_of, failures, kind_of
from robust_lib.metrics.boxes import Detections, Truth
from robust_lib.predict.found_boxes import FoundBoxes
from robust_lib.protocols.pm_k import detection
from tests.protocols.pm_k import toys

SETS = toys.frame_sets()
TRUTH = detection.truth_of(toys.annotations(SETS))
CLASSES = ("lion", "monkey", "neither")


def shown(right, **settings):
    (one,) = toys.scored(right, SETS, **settings).values()
    (found,) = toys.boxes(right, SETS, **settings).values()
    return failures(one, found, TRUTH, toys.swatch_frames(SETS))


def test_one_a_kind_of_failure_and_anchors_first():
    found = shown({"mine": (3, 9)})  # all are lost in one way
    assert found.captions == ("anchor", "3 frames later: another name")
    named = [[box.words.split()[0] for box in boxes if box.words] for boxes in found.boxes]
    assert sorted(map(str, named)) == ["['lion']", "['monkey']"]
    assert shown({"mine": (3, 9)}, lost="place").captions[1] == "3 frames later: elsewhere"


@pytest.mark.parametrize(
    ("box", "label", "kind"),
    [
        (toys.BOX, 1, "another name"),
        ((4.0, 4.0, 20.0, 10.0), 0, "elsewhere"),
        ((4.0, 4.0, 20.0, 10.0), 1, "elsewhere"),
        (None, 0, "missed"),
    ],
)
def test_kinds_of_failure(box, label, kind):
    truth = Truth(np.array([0]), np.array([0]), np.array([toys.BOX]))
    score = 0.9 if box else 0.4
    said = Detections(
        np.array([0]), np.array([label]), np.array([box or toys.BOX]), np.array([score])
    )
    found = FoundBoxes("mine", "toys", ("a",), said, 0.05, 100)
    assert kind_of(0, found, truth) == kind


def test_a_detector_without_failures_shows_none():
    assert shown({"mine": (10, 10)}).count == 0


def test_anchors_that_are_wrong_themselves_are_not_shown():
    assert shown({"mine": (0, 0)}).count == 0


@pytest.mark.parametrize(
    ("box", "label", "score", "kinds"),
    [
        (toys.BOX, 0, 0.9, ["truth", "right"]),
        (toys.BOX, 1, 0.9, ["truth", "wrong"]),
        (toys.BOX, 0, 0.4, ["truth"]),  # not sure enough
        ((4.0, 4.0, 20.0, 10.0), 0, 0.9, ["truth", "wrong"]),  # covers too little
    ],
)
def test_a_box_is_right_by_class_and_place(box, label, score, kinds):
    truth = Truth(np.array([0]), np.array([0]), np.array([toys.BOX]))
    said = Detections(np.array([0]), np.array([label]), np.array([box]), np.array([score]))
    found = FoundBoxes("mine", "toys", ("a",), said, 0.05, 100)
    assert [one.kind for one in boxes_of(0, found, truth, CLASSES)] == kinds


def test_a_second_box_on_one_object_is_wrong():
    truth = Truth(np.array([0]), np.array([0]), np.array([toys.BOX]))
    said = Detections(
        np.array([0, 0]), np.array([0, 0]), np.array([toys.BOX] * 2), np.array([0.6, 0.9])
    )
    found = FoundBoxes("mine", "toys", ("a",), said, 0.05, 100)
    told = {one.words: one.kind for one in boxes_of(0, found, truth, CLASSES) if one.words}
    assert told == {"lion 90 %": "right", "lion 60 %": "wrong"}
