"""COCO's files of annotations as they lie on disk, and everything that may be wrong with them."""

import json

import pytest

from robust_lib.errors import DataError
from robust_lib.fetch.coco_file import counts, read
from tests import coco_trees

NAMES = {"categories": [{"id": 1, "name": "person"}, {"id": 18, "name": "dog"}]}
BOX = {"image_id": 7, "category_id": 18, "bbox": [1, 2, 3, 4]}
WHOLE = {"images": [{"id": 7, "file_name": "7.jpg"}], "annotations": [BOX]} | NAMES


def written(folder, content):
    path = folder / "instances.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_all_is_read_but_the_outlines(tmp_path):
    root = coco_trees.coco(tmp_path)
    found = read(root / "annotations" / "instances_val2017.json")
    assert len(found.categories) == 80
    assert (found.categories[1], found.categories[90]) == ("person", "toothbrush")
    assert found.links == ("id", "image_id")
    assert [one["bbox"] for one in found.annotations] == [[4, 6, 20, 30], [30, 20.5, 12.25, 10]]
    assert not any("segmentation" in one for one in found.annotations)


def test_the_release_links_by_text(tmp_path):
    root = coco_trees.nao(tmp_path)
    found = read(root / "annotations" / "instances_train.json")
    assert found.links == ("_image_id", "_image_id")


def test_files_are_counted_together_and_crowds_as_objects(tmp_path):
    one = read(coco_trees.coco(tmp_path) / "annotations" / "instances_val2017.json")
    root = coco_trees.nao(tmp_path / "nao")
    others = [read(path) for path in sorted((root / "annotations").iterdir())]
    assert (counts([one]).objects, counts([one]).pictures, counts([one]).crowds) == (2, 1, 1)
    found = counts(others)
    assert (found.objects, found.pictures, found.crowds) == (3, 2, 0)
    assert (found.by_class["dog"], found.by_class["person"], found.by_class["zebra"]) == (2, 1, 0)
    assert len(found.by_class) == 80


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("image_id,category_id", "it is not JSON"),
        ([BOX | {"score": 0.5}], r"holds list\. It looks like a file of detections"),
        ({"images": [], "annotations": []}, "holds an object without categories"),
        (WHOLE | {"annotations": [3]}, "some entries are not records"),
        (WHOLE | {"annotations": [BOX | {"category_id": 19}]}, r"have no name \(19\)"),
        (WHOLE | {"annotations": [{"image_id": 7}]}, r"have no name \(None\)"),
        (WHOLE | {"categories": [{"id": 18}]}, "a text as `name` of each category"),
        (WHOLE | {"categories": [{"id": "18", "name": "dog"}]}, "a number as `id`"),
        (WHOLE | {"categories": NAMES["categories"] * 2}, "the id 1 occurs twice"),
        (
            WHOLE | {"categories": [{"id": n, "name": "dog"} for n in (18, 19)]},
            r"the name 'dog' occurs twice: dog \(18\) and dog \(19\)\.",
        ),
    ],
)
def test_files_of_another_kind_are_refused(tmp_path, content, told):
    path = written(tmp_path, content)
    with pytest.raises(DataError, match=told) as error:
        read(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_file(tmp_path):
    with pytest.raises(DataError, match=r"there is no such file\. Fetch"):
        read(tmp_path / "absent.json")
