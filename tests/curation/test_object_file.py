"""Files of objects: classes by name, pictures by path, and boxes inside of them."""

import json

import numpy as np
import pytest

from robust_lib.curation import object_file
from robust_lib.curation.candidate_set import Category, Labelled, Photograph
from robust_lib.errors import DataError

PICTURES = (Photograph("b.jpg", 64, 48), Photograph("a.jpg", 32, 32))


def record():
    return {
        "images": [
            {"id": 7, "file_name": "a.jpg", "width": 32, "height": 32},
            {"id": 9, "file_name": "b.jpg"},
            {"id": 3, "file_name": "elsewhere.jpg"},
        ],
        "annotations": [
            {"id": 1, "image_id": 9, "category_id": 2, "bbox": [10, 20, 30.5, 28], "area": 4},
            {"id": 2, "image_id": 9, "category_id": 5, "bbox": [0, 0, 64, 48], "iscrowd": 1},
            {"id": 3, "image_id": 9, "category_id": 4, "bbox": [1, 2, 3, 4]},
            {"id": 4, "image_id": 3, "category_id": 5, "bbox": [500, 500, 9, 9]},
        ],
        "categories": [
            {"id": 2, "name": "cat", "supercategory": "animal"},
            {"id": 4, "name": "shark"},
            {"id": 5, "name": "dog"},
        ],
    }


def saved(tmp_path, change=lambda of: None):
    content = record()
    change(content)
    path = tmp_path / "truth.json"
    path.write_text(json.dumps(content))
    return path


def test_what_is_of_no_class_is_foreign(tmp_path):
    first, second = object_file.objects(saved(tmp_path), PICTURES, ("dog", "cat"))
    assert (first.width, first.height) == (64, 48)
    assert first.boxes.tolist() == [[10, 20, 40.5, 48], [0, 0, 64, 48]]
    assert first.classes.tolist() == [1, 0]
    assert first.crowds.tolist() == [False, True]
    assert first.foreign.names == ("shark",)
    assert first.foreign.boxes.tolist() == [[1, 2, 4, 6]]
    assert len(second) == len(second.foreign) == 0


def test_what_is_written_is_read_back_here_and_elsewhere(tmp_path):
    from pycocotools.coco import COCO

    path = tmp_path / "made" / "boxes.json"
    boxes = ((Labelled((1.5, 2.0, 11.5, 22.0), 1),), (Labelled((0.0, 0.0, 32.0, 32.0), 0),))
    object_file.write(path, PICTURES, (Category(18, "dog"), Category(17, "cat")), boxes)
    told = object_file.objects(path, PICTURES, ("dog", "cat"))
    assert [one.boxes.tolist() for one in told] == [[[1.5, 2, 11.5, 22]], [[0, 0, 32, 32]]]
    assert [one.classes.tolist() for one in told] == [[1], [0]]
    peer = COCO(str(path))
    (cat,) = peer.loadAnns(peer.getAnnIds(catIds=[17]))
    assert (cat["bbox"], cat["area"]) == ([1.5, 2, 10, 20], 200)
    assert peer.loadImgs([cat["image_id"]])[0]["file_name"] == "b.jpg"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda of: of.pop("categories"), "categories: Field required"),
        (lambda of: of["images"][0].update(file_name="b.jpg"), r"the image b\.jpg occurs twice"),
        (lambda of: of["images"][0].update(id=9), "an image id or a category id occurs twice"),
        (
            lambda of: of["categories"][1].update(name="cat"),
            "cat is the name of the categories 2 and 4",
        ),
        (lambda of: of["images"].pop(0), r"1 are not in it, such as a\.jpg"),
        (lambda of: of["images"][0].update(width=33), r"a\.jpg is 32 x 32 pixels, not \(33, 32\)"),
        (lambda of: of["annotations"][0].update(image_id=1), "a box is in image 1, which"),
        (
            lambda of: of["annotations"][0].update(category_id=1),
            "category 1, which the file does not list",
        ),
        (lambda of: of["annotations"][0].update(bbox=[9, 9, 64, 9]), r"b\.jpg is 64 x 48 pixels"),
        (lambda of: of["annotations"][0].update(bbox=[9, 9, -1, 9]), "is not a box in it"),
        (lambda of: of["annotations"][0].update(bbox=[9, 9, 9]), "at least 4 items"),
        (lambda of: of["annotations"][0].update(bbox=[9, 9, 9, None]), "valid number"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path, change, told):
    with pytest.raises(DataError, match=told):
        object_file.objects(saved(tmp_path, change), PICTURES, ("dog", "cat"))


def test_classes_of_other_names_are_noticed(tmp_path):
    with pytest.raises(DataError, match=r"it has cat, shark, dog\. Use the same names"):
        object_file.objects(saved(tmp_path), PICTURES, ("person", "car"))
    with pytest.raises(DataError, match="there is no such file"):
        object_file.read(tmp_path / "absent.json")
    (tmp_path / "nan.json").write_text(json.dumps(record()).replace("30.5", "NaN"))
    with pytest.raises(DataError, match="finite number"):
        object_file.read(tmp_path / "nan.json")


def test_an_empty_file_has_no_objects(tmp_path):
    empty = saved(tmp_path, lambda of: of.update(annotations=[]))
    (first, _) = object_file.objects(empty, PICTURES, ("dog",))
    assert first.boxes.shape == (0, 4)
    assert first.boxes.dtype == np.float32
