"""What COCO's files say of each picture: known by hand, against pycocotools, and if it is wrong."""

import contextlib
import io
from pathlib import Path

import numpy as np
import pytest

from robust_lib.config.class_lists import load_classes
from robust_lib.datasets.coco_json import class_of, joined, objects_of, records
from robust_lib.datasets.objects import Foreign
from robust_lib.errors import DataError
from robust_lib.fetch.coco_file import CocoFile, read
from tests import coco_trees

COCO = load_classes("coco")
NAMES = {one.coco_id: one.name for one in COCO.entries}
PERSON, DOG = 0, 16


def file(images, boxes, names=NAMES):
    return CocoFile(Path("val.json"), images, boxes, names)


def box(corners, **others):
    return {"image_id": 7, "category_id": 18, "bbox": corners} | others


IMAGE = {"id": 7, "file_name": "deep/a.jpg", "width": 64, "height": 48}


def test_pictures_are_known_by_their_stems_and_boxes_by_their_corners(tmp_path):
    root = coco_trees.coco(tmp_path)
    found = records(read(root / "annotations" / "instances_val2017.json"), COCO)
    assert list(found) == ["000000397133", "000000396133"]
    first, second = found.values()
    assert first.boxes.tolist() == [[4, 6, 24, 36], [30, 20.5, 42.25, 30.5]]
    assert first.classes.tolist() == [PERSON, DOG]
    assert first.crowd.tolist() == [False, True]
    assert (first.number, first.size) == (397133, (64, 48))
    assert (second.number, len(second.boxes)) == (396133, 0)


@pytest.mark.parametrize("counted", [False, True])
def test_categories_go_by_name_whatever_their_ids(tmp_path, counted):
    root = coco_trees.nao(tmp_path, counted=counted)
    found = records(read(root / "annotations" / "instances_train.json"), COCO)
    assert found["fedcba9876543210"].classes.tolist() == [PERSON, DOG]
    assert found["fedcba9876543210"].number is None
    assert found["fedcba9876543210"].size is None


def test_pycocotools_reads_the_same(tmp_path):
    from pycocotools.coco import COCO as THEIRS

    rng = np.random.default_rng(0)
    names = list(COCO.names)
    many = [
        [
            (names[rng.integers(80)], tuple(np.round(rng.uniform(0, 20, 4), 2).tolist()))
            for _ in range(rng.integers(4))
        ]
        for _ in range(20)
    ]
    path = coco_trees.coco(tmp_path, many) / "annotations" / "instances_val2017.json"
    with contextlib.redirect_stdout(io.StringIO()):
        theirs = THEIRS(str(path))
    for one in records(read(path), COCO).values():
        rows = theirs.loadAnns(theirs.getAnnIds(one.number))
        told = [theirs.cats[row["category_id"]]["name"] for row in rows]
        assert [COCO.names[kind] for kind in one.classes] == told
        assert one.crowd.tolist() == [bool(row["iscrowd"]) for row in rows]
        sizes = np.array([row["bbox"] for row in rows]).reshape(-1, 4)
        np.testing.assert_allclose(one.boxes[:, 2:] - one.boxes[:, :2], sizes[:, 2:])


def test_names_are_compared_without_their_spelling():
    spelled = {number: name.title().replace(" ", "_") for number, name in NAMES.items()}
    assert class_of(file([], [], spelled), COCO) == class_of(file([], []), COCO)


def test_a_category_that_means_two_classes_is_refused_with_both_ids():
    imagenet = load_classes("imagenet_1k")
    assert class_of(file([], [], {1: "Cardigan", 2: "cardigan"}), imagenet) == {1: 264, 2: 474}
    with pytest.raises(DataError, match=r"cardigan.*mean.*n02113186.*n02963159"):
        class_of(file([], [], {1: "cardigan"}), imagenet)


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ({}, "it has none"),
        (NAMES | {12: "street sign"}, "it has street sign"),
        (NAMES | {18: "hound"}, "it has hound"),
    ],
)
def test_categories_that_are_not_the_classes(names, told):
    with pytest.raises(DataError, match=told):
        records(file([IMAGE], [], names), COCO)


@pytest.mark.parametrize(
    ("images", "boxes", "told"),
    [
        ([IMAGE, IMAGE], [], "deep/a.jpg .id 7. occurs twice"),
        ([IMAGE, IMAGE | {"id": 8, "file_name": "a.jpg"}], [], "a.jpg .id 8. occurs twice"),
        ([{"id": 7}], [], "`id` and `file_name` of each image"),
        ([{"file_name": "a.jpg"}], [], "`id` and `file_name` of each image"),
        ([IMAGE], [box([1, 2, 3, 4], image_id=8)], "1 of 1 are in others, such as 8"),
        ([IMAGE], [box([1, 2, 3])], r"one has \[1, 2, 3\]"),
        ([IMAGE], [box([1, 2, 3, 4]), box([1, 2, 3])], r"one has \[1, 2, 3\]"),
        ([IMAGE], [box([1, 2, 3, "4"])], "one has"),
        ([IMAGE], [{"image_id": 7, "category_id": 18}], "one has None"),
        ([IMAGE], [box([1, 2, 3, 4]), box([1, 2, -3, 4])], r"1 of 2 .* such as \[1, 2, -3, 4\]"),
        ([IMAGE], [box([1, float("nan"), 3, 4])], r"such as \[1, nan, 3, 4\]"),
        ([IMAGE], [box([1, 2, 3, float("inf")])], "such as"),
    ],
)
def test_records_that_are_wrong(images, boxes, told):
    with pytest.raises(DataError, match=told) as error:
        records(file(images, boxes), COCO)
    assert "val.json" in str(error.value)


def test_areas_are_those_of_outlines_where_all_objects_have_one(tmp_path):
    root = coco_trees.coco(tmp_path)
    first, second = records(read(root / "annotations" / "instances_val2017.json"), COCO).values()
    assert first.areas.tolist() == [300, 61.25]  # half of their boxes
    assert len(second.areas) == 0
    assert objects_of(first, (64, 48)).areas.tolist() == [300, 61.25]
    for missing in ({}, {"area": None}):
        boxes = [box([1, 2, 3, 4], area=9), box([1, 2, 3, 4], **missing)]
        assert records(file([IMAGE], boxes), COCO)["a"].areas is None


@pytest.mark.parametrize("wrong", [-1, "9", True, float("nan"), [9]])
def test_areas_that_are_none(wrong):
    with pytest.raises(DataError, match=r"`area`.*object.*val\.json"):
        records(file([IMAGE], [box([1, 2, 3, 4], area=wrong)]), COCO)


def test_a_picture_in_two_files():
    one = records(file([IMAGE], []), COCO)
    with pytest.raises(DataError, match=r"a is in val\.json and in val\.json"):
        joined([one, one])


@pytest.mark.parametrize("corners", [[-1, 0, 66, 49], [0, -1, 3, 4], [60, 40, 5, 9], [5, 5, 0, 0]])
def test_a_pixel_outside_is_rounding(corners):
    (record,) = records(file([IMAGE], [box(corners)]), COCO).values()
    assert len(objects_of(record, (64, 48))) == 1


@pytest.mark.parametrize(
    "corners", [[-1.5, 0, 9, 9], [0, -2, 9, 9], [60, 9, 6, 9], [9, 40, 9, 9.5]]
)
def test_boxes_outside_of_their_picture(corners):
    (record,) = records(file([IMAGE], [box(corners)]), COCO).values()
    with pytest.raises(DataError, match=r"boxes.*inside.*64.*48 pixels"):
        objects_of(record, (64, 48))
    assert len(objects_of(record, (64, 48), most=2.0)) == 1


def test_objects_are_the_pictures_and_foreign_ones_beside():
    (record,) = records(file([IMAGE], [box([1, 2, 3, 4], iscrowd=1)]), COCO).values()
    shark = Foreign(np.array([[0, 0, 9, 9]], np.float32), ("Shark",))
    found = objects_of(record, (64, 48), foreign=shark)
    assert (found.width, found.height, found.label) == (64, 48, DOG)
    assert found.boxes.tolist() == [[1, 2, 4, 6]]
    assert found.crowds.tolist() == [True]
    assert found.foreign is shark


def test_a_file_may_list_the_categories_of_its_own_objects_alone():
    (one,) = records(file([IMAGE], [box([1, 2, 3, 4])], {18: "dog"}), COCO).values()
    assert [COCO.names[kind] for kind in one.classes] == ["dog"]
