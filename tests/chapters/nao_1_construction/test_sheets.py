"""The sheets in the page: which pictures, how large, and that they are whole."""

import html
import re

import numpy as np

from robust_book.chapters.nao_1_construction import sheets
from tests.chapters.nao_1_construction.constructions import CONSTRUCTION, SHAPES
from tests.curation.sheets import data
from tests.layouts import Shapes

CANDIDATES = CONSTRUCTION.filtration.candidates


def test_pictures_that_stay_and_fall_are_shown():
    chosen = sheets.places(CONSTRUCTION.filtration)
    assert chosen == (0, 2, 4, 9)  # two that are confirmed, one by the class, one as blurry
    assert sheets.places(CONSTRUCTION.filtration, most=3) == (0, 2, 4)


def test_both_sheets_travel_with_their_pictures():
    found, addresses = sheets.found(SHAPES, SHAPES.annotations, (0, 2), CANDIDATES)
    block = str(sheets.embedded(found, addresses))
    pages = [html.unescape(page) for page in re.findall(r'srcdoc="(.*?)" loading', block, re.S)]
    first, second = map(data, pages)
    assert [one["file"] for one in first["pictures"]] == ["shape000", "shape002"]
    assert [one["class"] for one in first["tasks"]] == ["disc", "disc"]
    assert {one["address"].split(",")[0] for one in first["pictures"]} == {"data:image/webp;base64"}
    assert [one["name"] for one in second["categories"]] == list(SHAPES.class_names)
    assert [len(one["proposals"]) for one in second["pictures"]] == [1, 1]
    assert block.count("<iframe") == block.count("</iframe>") == 2
    assert len(block) < 150_000


def test_large_pictures_are_shown_smaller_and_their_boxes_with_them():
    large = Shapes(3, side=768, name="large")
    asked = sheets.of_release(large.annotations)
    assert [one.predicted for one in asked] == [one.truth for one in asked] == [0, 1, 2]
    found, _ = sheets.found(large, large.annotations, [0], asked)
    (one,) = found.photographs
    assert (one.width, one.height) == (sheets.SIDE, sheets.SIDE)
    expected = large.annotations[0].boxes[0] / 2
    assert np.allclose(found.candidates[0].box, expected, atol=0.1)
    assert np.allclose(found.proposals[0][0].box, expected, atol=0.1)


def test_pictures_without_objects_are_asked_nothing_of():
    asked = sheets.of_release(SHAPES.annotations, most=20)
    assert [one.image for one in asked] == [0, 1, 2, 3, 5, 6, 7, 8, 10, 11]
