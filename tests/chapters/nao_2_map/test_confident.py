"""Confident wrong boxes, counted by hand, and mAP at one overlap."""

import pytest

from robust_book.chapters.nao_2_map import confident
from robust_lib.metrics.detection import map_of
from tests.protocols.objects import toys

ON_BOTH = toys.maps({"mine": (60, 20), "other": (60, 60)})


def by_hand(name, right):
    """The toys' boxes above .8: those on foreign shapes, as far as their scores go."""
    images = toys.SETS[1]
    found = toys.object_boxes({name: right}, images)[name][0].detections
    return int((found.scores > 0.8).sum()) / len(images)


def test_boxes_above_the_score_that_fit_nothing_are_counted_per_picture():
    assert confident.per_picture(ON_BOTH["mine"][1]) == pytest.approx(by_hand("mine", 20))
    assert confident.per_picture(ON_BOTH["mine"][1]) > 0
    assert confident.per_picture(ON_BOTH["mine"][1], without_foreign=True) == 0
    assert confident.per_picture(ON_BOTH["other"][0]) == 0


def test_the_mean_over_the_overlaps_is_what_single_ones_average_to():
    one = toys.maps({"mine": (60, 20)}, iou=0.5)["mine"][1]
    line = confident.frame({"mine": (one, one)}, {}).iloc[0]
    assert line["At 0.50"] == pytest.approx(100 * map_of(one.matches[0]))
    assert "At 0.75" not in line.index
    both = confident.frame(ON_BOTH, {"efficientdet_d7": "mine"})
    assert both["Detector"].iloc[0] == "mine (selected the images)"
    assert {"At 0.50", "At 0.75"} <= set(both.columns)


def test_the_prose_names_the_chooser_and_the_others():
    named = confident.key_numbers(ON_BOTH, {"efficientdet_d7": "mine"}, "efficientdet_d7")
    assert named["wrong_ordinary"].text == "0.00"
    assert named["wrong_others"].value > 0
    alone = confident.key_numbers({"mine": ON_BOTH["mine"]}, {}, "efficientdet_d7")
    assert alone["wrong_others"].text == "not measured"
