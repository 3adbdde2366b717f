"""The chapter on mAP in the real layouts: numbers by hand, of a detector that knows the truth."""

import pytest

from robust_lib.chapters import nao
from robust_lib.chapters import nao_2_map as chapter
from robust_lib.chapters.nao_2_map import boxes, failures, gates, planted, prose
from robust_lib.chapters.vid_3_detection.own import losses
from robust_lib.protocols.objects import coco_map, scored_boxes
from robust_lib.run.page import Page
from robust_lib.run.start import start
from tests import photographs, tiny

TRUTH, OWN = "my_detector.py:Truth", "my_detector.py:build"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny.shared(tmp_path_factory, "photographs", photographs.project)


@pytest.fixture
def entered(folder, monkeypatch):
    monkeypatch.chdir(tiny.enter(folder, monkeypatch))
    return folder


def begun(*models, **others):
    return start(chapter.CHAPTER, "full", models=list(models), device="cpu", **others)


def asked(run, detections=None):
    """Everything that the notebook asks before it shows: images, boxes, and numbers."""
    images = tuple(run.image_set(role) for role in (nao.ORDINARY, nao.ADVERSARIAL))
    found = boxes.found(run, detections)
    on_both = boxes.scored(images, found, scored_boxes.Settings(samples=20))
    return images, found, on_both, coco_map.results(on_both, boxes.weights(run))


def test_the_truth_is_whole_and_every_shark_called_a_cat_costs(entered):
    run = begun(TRUTH, OWN)
    _, _, on_both, results = asked(run)
    row = {"model": TRUTH, "item": "nao-tab2"}
    assert results.row(**row, metric="map", dataset="coco_val").value == pytest.approx(1)
    # Two sharks are surer cats than both cats are: precision is 1/3 up to half the recall, then
    # 1/2, and the higher one counts for both; of two classes the car is perfect.
    assert results.row(**row, metric="map", dataset="nao").value == pytest.approx(0.75)
    without = results.row(**row, metric="map_without_ood", dataset="nao")
    assert without.value == pytest.approx(1)
    assert results.row(**row, metric="mar", dataset="nao").value == pytest.approx(1)
    assert results.row(**row, metric="map_drop").value == pytest.approx(0.25)
    assert results.row(**row, metric="relative_drop").value == pytest.approx(0.25)
    assert on_both[TRUTH][1].dropped("overlap") == 2
    assert results.row(metric="images", dataset="coco_val").value == 8
    assert results.row(metric="images", dataset="nao").value == 6


def test_every_block_of_the_page_is_made(entered):
    run = begun(OWN, TRUTH)
    page = Page(run)
    images, found, on_both, results = asked(run)
    assert "No network was trained here" in str(chapter.training(page, losses(run)))
    table = str(chapter.detectors(page, results, on_both))
    for title in ("CBNetV2-HTC", "YOLOv3", "EfficientDet-D7 (chose the pictures)", "17.0", "58.6"):
        assert title in table
    assert str(chapter.comparison(page, results, on_both)).count("<svg") == 1
    assert "From test-dev" in str(chapter.drops(page, results, on_both))
    assert "2 of 5" in str(chapter.foreign_rules(page, results, on_both))
    kinds = boxes.kinds_of_error(images, found)
    assert "Missed" in str(chapter.errors(page, kinds))
    assert kinds[TRUTH][1].counts["missed"] == 0
    told = boxes.confused(images[1], found[1], TRUTH)
    assert [(one.predicted, one.truth, one.pictures) for one in told] == [("cat", "Shark", 2)]
    shown = failures.shown(told, found[1][TRUTH][0], images[1])
    pairs = planted.planted_pairs(images[1])
    assert pairs == ()
    block = chapter.failure_modes(page, shown, told, TRUTH, images[1].name, pairs)
    assert "Shark, called cat" in str(block)
    assert "Planted" not in str(block)
    assert "No gate applies" in str(gates.gates(results, run.paper_names))
    numbers = prose.key_numbers(results, on_both, kinds, told, run.paper_names)
    assert numbers["commonest"].text == "Shark, called cat"
    page.save(results, numbers)
