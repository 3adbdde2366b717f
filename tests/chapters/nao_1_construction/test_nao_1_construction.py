"""The chapter on construction: its record, its blocks, and what it refuses."""

import pytest

from robust_book.chapters import nao_1_construction as chapter
from robust_book.chapters.nao_1_construction import numbers
from robust_lib.errors import InputError
from robust_lib.run.start import start
from tests.chapters.nao_1_construction.constructions import BOXES, CONSTRUCTION, NOTHING
from tests.chapters.pages import page as page_of
from tests.layouts import Shapes


@pytest.fixture
def page(build):
    made = page_of(chapter, "toys")
    made.run._sets.update({role: Shapes(name=role) for role in ("coco_val", "nao")})
    made.run._sets["coco_train"] = Shapes(20, name="coco_train")
    made.run._sets["openimages"] = Shapes(30, name="openimages")
    return made


def test_the_filter_is_the_only_detector_and_another_may_take_its_part():
    run = start(chapter.CHAPTER, "mini")
    assert [str(network) for network in run.networks] == ["efficientdet_d7_mini"]
    run = start(chapter.CHAPTER, "mini", detector="faster_rcnn")
    assert [str(network) for network in run.networks] == ["fasterrcnn_layouts_mini"]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ((80.0, 0.5, 5), "80 % is 0.8"),
        ((0.8, 1.0, 5), "of at least 0 and below 1"),
        ((None, 0.5, 4), "an odd number of annotators"),
    ],
)
def test_settings_that_are_none_are_refused(wrong, told):
    chapter.require(None, 0.5, 5)
    with pytest.raises(InputError, match=told):
        chapter.require(*wrong)


def test_every_block_shows_what_was_constructed(page):
    steps = numbers.results(CONSTRUCTION)
    block = str(chapter.steps(page, steps, CONSTRUCTION))
    assert "confident boxes score above 0.8 and have an IoU above 0.5" in block
    assert "most of 5 simulated annotators" in block
    sizes = chapter.counted(page.run, CONSTRUCTION)
    assert "OpenImages: openimages" in str(chapter.in_numbers(page, sizes, CONSTRUCTION))
    images = page.run.image_set("nao")
    block = str(chapter.interface(page, images, CONSTRUCTION))
    assert "two that annotators confirmed" in block
    assert len(block) < 400_000
    found = chapter.sure_mistakes(page.run, images, CONSTRUCTION, iou=0.5)
    assert {one.candidate.image for one in found} == {0, 2, 5, 7}
    block = str(chapter.examples(page, found, images, CONSTRUCTION))
    assert block.count("<image") == 4
    page.save(steps + sizes)


def test_a_release_is_shown_without_its_candidates(page):
    page.run.__dict__["detect"] = lambda role: {"mine": (BOXES,)}
    assert "1.9 million images" in str(chapter.steps(page, numbers.results(None), None))
    sizes = chapter.counted(page.run, None)
    assert {row.dataset for row in sizes.select(metric="images").rows} == {"coco_val", "nao"}
    images = page.run.image_set("nao")
    assert "Images of the release" in str(chapter.interface(page, images, None))
    found = chapter.sure_mistakes(page.run, images, None, iou=0.5)
    assert {one.candidate.image for one in found} == {0, 2, 4, 5, 7, 9}  # nobody dropped any
    block = str(chapter.examples(page, found, images, None))
    assert "of confident boxes that fit no object" in block


def test_a_detector_that_is_sure_of_nothing_leaves_nothing_to_show(page):
    steps = numbers.results(NOTHING)
    assert not steps.select(metric="kept_share").rows
    assert "0.0 %, 0 of 12" in str(chapter.steps(page, steps, NOTHING))
    images = page.run.image_set("nao")
    assert "there is nothing to annotate" in str(chapter.interface(page, images, NOTHING))
    found = chapter.sure_mistakes(page.run, images, NOTHING, iou=0.5)
    shown = str(chapter.examples(page, found, images, NOTHING))
    assert "There is no mistake of this kind." in shown
