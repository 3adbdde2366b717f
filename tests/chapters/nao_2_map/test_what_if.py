"""IoU and score that a reader moves: where they begin, and what a page can carry."""

import json
import re

from robust_book.chapters.nao_2_map.what_if import thresholds
from tests.chapters.toys import texts
from tests.protocols.objects.toys import coco_maps, maps, without_marks

RIGHT = {"mine": (12, 6), "other": (9, 3)}


def stored(block):
    return json.loads(re.search(r'application/json">(.*?)</script>', str(block), re.DOTALL)[1])


def test_it_begins_with_the_pages_map():
    on_both = coco_maps(RIGHT)
    shown = texts(thresholds(on_both), "td")
    wanted = [f"{100 * one.map().value:.1f}" for both in on_both.values() for one in both]
    assert [shown[place] for place in (0, 1, 4, 5)] == wanted


def test_one_threshold_is_the_only_choice():
    assert texts(thresholds(coco_maps(RIGHT, iou=0.5)), "option") == ["0.50"]
    assert texts(thresholds(coco_maps(RIGHT)), "option")[0] == "0.50 to 0.95, the mean"


def test_boxes_that_are_simply_false_are_not_stored():
    on_both = coco_maps(RIGHT)
    classes = stored(thresholds(on_both))["detectors"][1]["ordinary"][0]
    boxes = [box for one in classes for box in one["boxes"]]
    assert all(finds or spared or foreign for _, finds, spared, foreign, _ in boxes)
    (matches,) = on_both["other"][0].matches
    assert 0 < len(boxes) == matches.found.any(0).sum() < len(matches.scores)
    assert sum(one["objects"] for one in classes) == len(matches.objects)


def test_what_a_page_cannot_carry_is_named():
    block = thresholds(coco_maps(RIGHT), most=1)
    assert len(stored(block)["detectors"]) == 1
    assert "Not stored in the page: other." in str(block)


def test_without_marked_foreign_objects_there_is_nothing_to_leave_out():
    shown = tuple(map(without_marks, maps.__defaults__[0]))
    block = str(thresholds(maps({"mine": (60, 20)}, shown, iou=0.5)))
    assert 'name="foreign"' not in block
    assert 'name="foreign"' in str(thresholds(coco_maps(RIGHT)))
