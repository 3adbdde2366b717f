"""COCO, the release of [nao] and OpenImages in their own layouts, asked through a run of `full`."""

import json
import shutil

import numpy as np
import pytest

from robust_lib.errors import DataError
from robust_lib.fetch.verification import verify
from robust_lib.run.boxes_of_files import with_file
from robust_lib.run.chapter import Chapter, OnBoxes
from robust_lib.run.image_kinds import as_objects
from robust_lib.run.start import start
from robust_lib.types import UNKNOWN
from tests import coco_trees, tiny
from tests.photographs import OWN

CAT, CAR = ("cat", (2, 2, 30, 40)), ("car", (34, 8, 28, 20))
VAL = [[CAT], [CAR], [CAT, CAR], []]
NAO = {"train": [[CAT], []], "validation": [[CAR]], "test": [[], []]}
ROLES = ("coco_val", "nao")
CHAPTER = Chapter("objects", networks="nao", role="nao", shows=(OnBoxes(ROLES),))


def layouts(folder):
    """The manifests of `full`; only counts are cut to those of a few pictures."""
    shutil.copytree(tiny.REPOSITORY / "data_manifests", folder / "data_manifests")
    manifests, data = folder / "data_manifests" / "datasets", folder / "data"
    coco_trees.coco(data / "coco_val", VAL)
    coco_trees.coco(data / "coco_train", VAL[:3], split="train2017")
    coco_trees.nao(data / "nao", NAO, listed=False)
    stems = coco_trees.nao_stems(data / "nao")
    shark, dog = ("Shark", (0.25, 0.5, 0.75, 1.0)), ("Dog", (0.0, 0.0, 1.0, 1.0))
    coco_trees.openimages_boxes(
        data / "openimages_boxes", {stem: [shark, dog] for stem in stems}, hierarchy=True
    )
    coco_trees.openimages(data / "openimages_train", stems[:3])
    (data / "openimages_boxes" / "train-annotations-bbox.csv").rename(
        data / "openimages_boxes" / "oidv6-train-annotations-bbox.csv"
    )
    tiny.change(
        manifests / "coco_val.yaml",
        contents=[
            {"path": "val2017", "images": 4},
            {"path": "annotations/instances_val2017.json", "objects": {"objects": 4, "crowds": 1}},
        ],
    )
    tiny.change(manifests / "coco_train.yaml", contents=[{"path": "train2017", "images": 3}])
    stated = {"objects": 2, "pictures": 2, "by_class": {"cat": 1, "toilet": 0}}
    tiny.change(
        manifests / "nao.yaml",
        contents=[
            {"path": "images", "images": [4, 5]},
            {"path": "annotations/instances_test.json", "objects": {"pictures": 0}},
            {"path": "annotations/instances_*.json", "matches": 3, "objects": stated},
        ],
    )
    (folder / "my_detector.py").write_text(OWN)


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    return tiny.shared(tmp_path_factory, "objects", layouts)


@pytest.fixture
def run(released, monkeypatch):
    tiny.enter(released, monkeypatch)
    monkeypatch.chdir(released)
    return start(CHAPTER, "full", models=["my_detector.py:build"], device="cpu")


def test_photographs_are_verified_and_have_objects(run):
    val, nao = (run.image_set(role) for role in ROLES)
    assert [len(one) for one in as_objects(val)] == [0, 2, 1, 1]
    assert sorted(len(one) for one in as_objects(nao)) == [0, 0, 0, 1, 1]
    assert {one.label for one in as_objects(nao)} == {15, 2, UNKNOWN}
    assert {one.foreign.names for one in as_objects(nao)} == {("Shark",)}
    assert len(run.image_set("coco_train")) == 3


def test_the_pool_knows_its_objects_and_foreign_ones(run):
    pool = as_objects(run.image_set("openimages"))
    assert [one.classes.tolist() for one in pool] == [[16]] * 3
    assert [len(one.foreign) for one in pool] == [1] * 3


def test_a_users_detector_is_shown_both(run):
    for role in ROLES:
        ((found,),) = run.detect(role).values()
        images = run.image_set(role)
        assert found.model == "my_detector"
        assert found.ids == images.ids
        assert (found.detections.classes < 80).all()
        assert len(found.detections.images)
        assert found.detections.boxes.max() <= 64


def test_boxes_of_a_file_are_numbered_by_coco_or_by_name(run, released, tmp_path):
    entry = {"category_id": 17, "bbox": [2, 2, 30, 40], "score": 0.9}
    names = {"coco_val": 397133, "nao": coco_trees.nao_stems(released / "data" / "nao")[0]}
    for role, name in names.items():
        coco_trees.write(tmp_path / role / "yolov3.json", [entry | {"image_id": name}])
        with pytest.warns(UserWarning, match="joined to the images by their ids alone"):
            boxes = with_file({}, run, role, str(tmp_path / "{role}" / "yolov3.json"))
        found = boxes["yolov3"][0]
        place = found.detections.images[0]
        np.testing.assert_array_equal(found.detections.boxes[0], [2, 2, 32, 42])
        assert run.image_set(role).labels[place] == found.detections.classes[0] == 15


@pytest.mark.parametrize("dataset", ["coco_val", "nao", "openimages_boxes", "openimages_train"])
def test_the_copies_are_whole(run, dataset):
    assert verify(dataset).problems == ()


def test_a_picture_too_few_is_told_before_any_is_shown(run, released, tmp_path, monkeypatch):
    folder = tiny.copy(released, tmp_path / "copy")
    monkeypatch.setenv("ROBUST_DATA", str(folder / "data"))
    next((folder / "data" / "coco_val" / "val2017").iterdir()).unlink()
    with pytest.raises(DataError, match=r"4 images.*found 3"):
        run.detect("coco_val")
    path = folder / "data" / "nao" / "annotations" / "instances_test.json"
    path.write_text(json.dumps([{"image_id": 1, "category_id": 1, "bbox": [], "score": 1}]))
    with pytest.raises(DataError, match="It looks like a file of detections"):
        run.detect("nao")
