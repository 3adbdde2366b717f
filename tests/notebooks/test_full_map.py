"""The chapter on mAP in the real layouts: numbers by hand, of a detector that knows the truth."""

import json

import pytest

from robust_book.chapters import gates
from robust_book.chapters import nao_2_map as chapter
from robust_book.chapters.nao_2_map import numbers, sizes
from robust_book.page import Page
from robust_lib.errors import DataError, RobustLibError
from robust_lib.passport.evaluation import evaluate
from robust_lib.protocols.objects import coco_map, scored_boxes
from robust_lib.run.papers import nao
from robust_lib.run.start import start
from tests import coco_trees, photographs, tiny

TRUTH, OWN = "my_detector.py:Truth", "my_detector.py:build"
KNOWN = "truth"  # what the first calls itself, and so its rows


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
    found = nao.found(run, detections)
    on_both = nao.scored(images, found, scored_boxes.Settings(samples=20))
    return images, found, on_both, coco_map.results(on_both, nao.weights(run))


def test_the_truth_is_whole_and_every_shark_called_a_cat_costs(entered):
    run = begun(TRUTH, OWN)
    _, _, on_both, results = asked(run)
    row = {"model": KNOWN, "item": "nao-tab2"}
    assert results.row(**row, metric="map", dataset="coco_val").value == pytest.approx(1)
    # Two sharks are surer cats than both cats are: precision is 1/3 up to half the recall, then
    # 1/2, and the higher one counts for both; of two classes the car is perfect.
    assert results.row(**row, metric="map", dataset="nao").value == pytest.approx(0.75)
    without = results.row(**row, metric="map_without_ood", dataset="nao")
    assert without.value == pytest.approx(1)
    assert results.row(**row, metric="mar", dataset="nao").value == pytest.approx(1)
    assert results.row(**row, metric="map_drop").value == pytest.approx(0.25)
    assert results.row(**row, metric="relative_drop").value == pytest.approx(0.25)
    assert on_both[KNOWN][1].dropped("overlap") == 2
    assert results.row(metric="images", dataset="coco_val").value == 8
    assert results.row(metric="images", dataset="nao").value == 6


def test_every_block_of_the_page_is_made(entered):
    run = begun(OWN, TRUTH)
    page = Page(run)
    images, found, on_both, results = asked(run)
    assert "No network was trained in this run" in str(chapter.training(page))
    table = str(chapter.detectors(page, results, on_both))
    for title in ("CBNetV2-HTC", "YOLOv3", "EfficientDet-D7 (selected the images)", "17.0", "58.6"):
        assert title in table
    assert (
        str(chapter.comparison(page, results, on_both)).count("<svg") == 2
    )  # for a desk and a phone
    assert "From test-dev" in str(chapter.drops(page, results, on_both))
    told = str(chapter.foreign_rules(page, results, on_both, images[1]))
    assert ">2</td>" in told
    assert "bbox_labels_600_hierarchy.json" in told
    parts = nao.by_size_and_class(images, found, on_both, scored_boxes.Settings(samples=20))
    told = str(sizes.by_size(page, parts, on_both, images))
    # COCO's file says half of each box; the release says nothing.
    assert "large objects, by the area of their outlines. Adversarial" in told
    assert "objects, by the area of their boxes, since outlines are not known" in told
    assert "car" in str(sizes.by_class(page, parts, on_both))
    kinds = nao.kinds_of_error(images, found)
    assert "Missed" in str(chapter.errors(page, kinds))
    assert kinds[KNOWN][1].counts["missed"] == 0
    told = nao.confused(images[1], found[1], KNOWN)
    assert [(one.predicted, one.truth, one.pictures) for one in told] == [("cat", "Shark", 2)]
    shown = chapter.shown(told, found[1][KNOWN][0], images[1])
    pairs = chapter.planted_pairs(images[1])
    assert pairs == ()
    block = chapter.failure_modes(page, shown, told, KNOWN, images[1].name, pairs)
    assert "Shark, predicted as cat" in str(block)
    assert "Planted" not in str(block)
    assert "No reference check applies" in str(gates.block(results, "coco_val", "nao"))
    named = numbers.key_numbers(results, on_both, kinds, told, run.paper_names)
    assert named["commonest"].text == "Shark, predicted as cat"
    page.save(results, named)


def test_a_network_of_the_paper_stands_in_its_row_and_is_held_to_its_gates(entered):
    run = begun(photographs.MASKS)
    page = Page(run)
    _, _, on_both, results = asked(run)
    table = chapter.detectors(page, results, on_both)
    size = results.row(item="nao-tab2", model=photographs.MASKS, metric="parameters").value
    assert round(size / 1e6) == 44  # as the paper has it
    assert str(table).count("Mask R-CNN (ResNet-50)") >= 2  # the paper's and ours
    verdicts = {
        (one["metric"], one["dataset"], one["verdict"])
        for one in page._items["nao-tab2"]["verdicts"]
        if one["model"] == photographs.MASKS
    }
    assert ("map", "coco_val", "differs") in verdicts
    told = str(gates.block(results, "coco_val", "nao"))
    assert told.count("FAILED by") == 2  # COCO and the release
    assert "2 FAILED" in told


def test_boxes_of_a_file_stand_beside_a_users_detector(entered, tmp_path):
    stem = coco_trees.nao_stems(entered / "data" / "nao")[0]
    entry = {"category_id": 17, "bbox": [2, 2, 30, 40], "score": 0.9}
    for role, picture in (("coco_val", 397133), ("nao", stem)):
        coco_trees.write(tmp_path / role / "yolov3.json", [entry | {"image_id": picture}])
    run = begun(TRUTH)
    with pytest.warns(UserWarning, match="by their ids alone"):
        _, _, on_both, results = asked(run, str(tmp_path / "{role}" / "yolov3.json"))
    # One of two cats is found, and no car: recall up to .5 of one class of two.
    row = results.row(item="nao-tab2", model="yolov3", metric="map", dataset="nao")
    assert row.value == pytest.approx(51 / 101 / 2)
    assert "62" in str(chapter.detectors(Page(run), results, on_both))


def test_a_passport_of_a_detector_needs_no_imagenet(entered):
    assert not (entered / "data" / "imagenet_val").exists()
    found = evaluate(TRUTH, benchmarks=["nao"], profile="full", device="cpu").passport
    (section,) = found.sections
    assert section.left_out is None
    assert [one.number.value for one in section.headlines] == pytest.approx([1, 0.75, 1])


def test_images_with_boxes_of_ones_own_are_named_by_two_paths(entered):
    """Those of coco_val under another name have its number, in a passport and in the chapter."""
    own = entered / "data" / "coco_val"
    name = f"coco:{own / 'annotations' / 'instances_val2017.json'},{own / 'val2017'}"
    found = evaluate(TRUTH, profile="full", device="cpu", images=name).passport
    taken = {one.benchmark: one for one in found.sections if one.left_out is None}
    assert list(taken) == ["nao"]
    (headline,) = taken["nao"].headlines
    assert (headline.title, headline.number.value) == ("mAP", pytest.approx(1))
    assert taken["nao"].sets == ("coco:instances_val2017",)
    corrupted = {"benchmarks": ["coco_c"], "images": name, "limit": 1}
    (section,) = evaluate(TRUTH, profile="full", device="cpu", **corrupted).passport.sections
    assert section.left_out is None
    assert section.sets == ("coco:instances_val2017",)
    assert [one.title.partition(",")[0] for one in section.headlines] == ["mAP", "mPC", "rPC"]
    folder = evaluate(
        TRUTH, benchmarks=["nao"], profile="full", device="cpu", images="folder:nowhere"
    ).passport  # told before it is read
    assert folder.sections[0].left_out == (
        "--images folder:... provides images only for Common Corruptions."
    )
    _, _, _, results = asked(begun(TRUTH, images=name))
    row = results.row(item="nao-tab2", model=KNOWN, metric="map", dataset="coco:instances_val2017")
    assert row.value == pytest.approx(1)
    assert results.row(model=KNOWN, metric="map", dataset="coco_val").value == pytest.approx(1)


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("nowhere.py:build", "nowhere.py"),
        ("my_detector.py:none", "none"),
        ("resnet18", "Expected a detector, but resnet18 is a classifier"),
    ],
)
def test_a_detector_that_is_none_is_told_in_one_paragraph(entered, model, told):
    with pytest.raises(RobustLibError) as caught:
        nao.found(begun(model))
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_data_that_are_missing_or_of_another_kind_are_told_before_any_model_runs(
    folder, tmp_path, monkeypatch
):
    broken = tiny.copy(folder, tmp_path / "copy")
    monkeypatch.chdir(tiny.enter(broken, monkeypatch))
    data = broken / "data"
    (data / "coco_val" / "val2017").rename(data / "coco_val" / "elsewhere")
    with pytest.raises(DataError, match="val2017") as caught:
        nao.found(begun(OWN))
    assert "\n" not in str(caught.value)
    (data / "coco_val" / "elsewhere").rename(data / "coco_val" / "val2017")
    captions = data / "coco_val" / "annotations" / "instances_val2017.json"
    content = json.loads(captions.read_text())
    coco_trees.write(
        captions, content | {"annotations": [{"image_id": 397133, "caption": "a cat"}]}
    )
    with pytest.raises(DataError, match=r"instances_val2017\.json") as caught:
        nao.found(begun(OWN))
    assert "\n" not in str(caught.value)
