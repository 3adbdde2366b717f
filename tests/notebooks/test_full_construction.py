"""The chapter on construction in the release's own layout: shown as it is, without candidates."""

import pytest

from robust_book.chapters import nao_1_construction as chapter
from robust_book.chapters.nao_1_construction import numbers
from robust_book.page import Page
from robust_lib.run.start import start
from tests import tiny
from tests.notebooks.test_full_objects import layouts


@pytest.fixture
def run(tmp_path_factory, monkeypatch):
    released = tiny.shared(tmp_path_factory, "objects", layouts)
    tiny.enter(released, monkeypatch)
    monkeypatch.chdir(released)
    return start(chapter.CHAPTER, "full", detector="my_detector.py:build", device="cpu")


def test_the_release_is_counted_annotated_and_searched(run):
    page, images = Page(run), run.images
    made = numbers.construction(run, detector="my_detector.py:build", iou=0.5, annotators=5)
    assert made is None
    assert "not published" in str(chapter.steps(page, numbers.results(made), made))
    sizes = chapter.counted(run, made)
    assert sizes.row(dataset="nao", metric="objects").value == 2
    assert "COCO val: coco_val" in str(chapter.in_numbers(page, sizes, made))
    assert str(chapter.interface(page, images, made)).count("<iframe") == 2
    found = chapter.sure_mistakes(run, images, made, iou=0.5, score=0.06)
    chapter.examples(page, found, images, made)
    assert found
    assert {one.truth for one in found} <= {"cat", "car", "Shark", ""}
