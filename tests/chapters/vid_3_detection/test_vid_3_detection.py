"""The chapter on detection: what its blocks show of known boxes."""

import pytest

from robust_book.chapters import learning
from robust_book.chapters import vid_3_detection as chapter
from robust_book.chapters.vid_3_detection import failures, numbers
from robust_lib.protocols.pm_k import detection
from tests.chapters.pages import page as page_of
from tests.chapters.toys import texts
from tests.protocols.pm_k import toys

RIGHT = {"fasterrcnn_resnet50_mini": (20, 36)}
SETS = toys.frame_sets(40)


@pytest.fixture
def page(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    return page_of(chapter)


@pytest.fixture
def scored():
    return toys.scored(RIGHT, SETS)


def test_both_tasks_stand_beside_the_papers(page, scored):
    block = chapter.detectors(page, detection.results(scored), scored)
    cells = texts(block, "td")
    assert cells[0] == "detection"
    assert "62.8" in cells  # the paper's
    assert "n = 40 sets of frames, k = 10; IoU 0.5" in str(block)
    assert "Faster R-CNN, ResNet-50-like, detection from" in str(block)


def test_failures_show_anchors_above_their_worst_frames(page, scored):
    (one,) = scored.values()
    (found,) = toys.boxes(RIGHT, SETS).values()
    truth = detection.truth_of(toys.annotations(SETS))
    shown = failures.failures(one, found, truth, toys.swatch_frames(SETS))
    block = str(chapter.worst_frames(page, shown, "fasterrcnn_resnet50_mini", one.settings))
    assert block.count("<image") == 2  # the detector fails in one way
    assert "3 frames later: another name" in block


def test_a_detector_that_loses_nothing_says_so(page):
    none = failures.Failures((), (), ())
    block = str(chapter.worst_frames(page, none, "mine", detection.Settings()))
    assert "On no set does the detector lose what it found on the anchor." in block


def test_scores_are_those_of_the_runs_own_frames(page):
    assert chapter.scored(page.run, {}, detection.Settings()) == {}


def test_recipes_stand_beside_table_5(page):
    rows = numbers.settings(page.run.paper_names, "clips_train_large")
    block = chapter.recipes(page, rows)
    assert texts(block, "td")[:3] == ["0.0015", "cosine", "8"]
    assert "Step 20k, 30k" in str(block)


def test_losses_are_folded(page, monkeypatch):
    monkeypatch.setattr(learning, "losses", lambda run: {"mine": [[2.0, 1.0]]})
    block = str(chapter.training(page))
    assert "How the detectors learned: loss by epoch" in block
