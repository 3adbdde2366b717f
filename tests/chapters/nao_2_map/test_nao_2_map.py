"""The chapter on mAP: what its blocks show of known boxes, and that each claim can fail."""

import pytest

from robust_book.chapters import learning
from robust_book.chapters import nao_2_map as chapter
from robust_book.chapters.nao_2_map import failures
from robust_lib.protocols.objects import coco_map
from robust_lib.run.papers import nao
from tests.chapters.pages import page as page_of
from tests.chapters.toys import texts
from tests.protocols.objects import toys

CHOSE, OTHER = "efficientdet_d7_mini", "fasterrcnn_layouts_mini"
HOLDS = (60, 20)


@pytest.fixture
def page(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    return page_of(chapter)


def words_of(page, right):
    """Sentence of a claim -> its verdict."""
    on_both = toys.maps(right, iou=0.5)
    chapter.detectors(page, coco_map.results(on_both), on_both)
    verdicts = page._items["nao-tab2"]["verdicts"]
    return {one["sentence"]: one["verdict"] for one in verdicts if one["sentence"]}


EVERY = "Every detector does worse on the adversarial objects than on COCO."
OTHERS = "Detectors that took no part in the choice of the pictures do worse on them, too."
BETTER = "Every detector does better where no foreign object counts."
STILL = "Even without foreign objects, every detector does worse than on COCO."


def test_the_claims_hold_where_detectors_drop(page):
    words = words_of(page, {CHOSE: HOLDS, OTHER: HOLDS})
    assert [words[one] for one in (EVERY, OTHERS, BETTER, STILL)] == ["holds"] * 4


def test_the_drop_need_not_transfer(page):
    words = words_of(page, {CHOSE: HOLDS, OTHER: (25, 60)})
    assert words[EVERY] == words[OTHERS] == "does not hold"
    assert words_of(page, {CHOSE: (25, 60), OTHER: HOLDS})[OTHERS] == "holds"


def test_leaving_foreign_objects_out_may_close_the_gap(page):
    words = words_of(page, {CHOSE: (40, 60), OTHER: (40, 60)})
    assert words[STILL] == "does not hold"


def test_a_detector_that_finds_little_decides_nothing(page):
    words = words_of(page, {CHOSE: (4, 4), OTHER: (4, 4)})
    assert {words[one] for one in (EVERY, OTHERS, BETTER, STILL)} == {"premise fails"}


def test_losses_are_folded(page, monkeypatch):
    monkeypatch.setattr(learning, "losses", lambda run: {"mine": [[2.0, 1.0]]})
    block = str(chapter.training(page))
    assert "How the detectors learned: loss by epoch" in block
    assert "Loss on training pictures by epoch" in block


def test_numbers_stand_beside_the_papers(page):
    on_both = toys.maps({CHOSE: HOLDS, OTHER: HOLDS})
    rows = coco_map.results(on_both)
    block = str(chapter.detectors(page, rows, on_both))
    assert "n = 60 ordinary and 60 adversarial pictures; IoU .5 to .95" in block
    assert "58.2" in texts(chapter.detectors(page, rows, on_both), "td")  # CBNetV2 on val
    figure = str(chapter.comparison(page, rows, on_both))
    assert "CBNetV2-HTC" in figure
    assert "this run, adversarial: from" in figure
    assert "19.1" in " ".join(texts(chapter.drops(page, rows, on_both), "td"))
    assert (
        "without all that finds no object"
        in str(chapter.foreign_rules(page, rows, on_both)).lower()
    )


def test_kinds_of_error_are_drawn_and_told(page):
    kinds = toys.kinds_of_error({CHOSE: (12, 0), OTHER: (12, 12)})
    block = str(chapter.errors(page, kinds))
    assert "EfficientDet-D7-like, adversarial: from" in block
    assert "(TIDE)" in block


def test_failures_are_shown_and_may_be_none(page):
    images = toys.pictures()[1]
    found = toys.object_boxes({CHOSE: 0}, images)
    told = nao.confused(images, found, CHOSE)
    shown = failures.shown(told, found[CHOSE][0], images)
    block = str(chapter.failure_modes(page, shown, told, CHOSE, "nao", toys.PAIRS))
    assert block.count("<image") == len(shown.pictures)
    assert "2 of the 2 planted pairs are among them" in block
    none = failures.Shown((), (), ())
    assert "takes nothing for anything else" in str(
        chapter.failure_modes(page, none, (), CHOSE, "nao")
    )
