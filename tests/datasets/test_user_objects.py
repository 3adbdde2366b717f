"""A user's images with boxes: the two paths of their name, their classes, and a changed picture."""

import json

import pytest
from PIL import Image

from robust_lib.config.class_lists import load_classes
from robust_lib.datasets.user_folder import class_list
from robust_lib.datasets.user_objects import annotated_images
from robust_lib.errors import DataError, InputError
from robust_lib.preprocessing import Preprocessing


def tree(folder, categories=("cat", "dog"), pictures=("a", "b")):
    """Two pictures, one object of the first category in the first, and COCO's file of them."""
    (folder / "my, pictures").mkdir(parents=True)
    for stem in pictures:
        Image.new("RGB", (64, 48), (200, 30, 30)).save(folder / "my, pictures" / f"{stem}.jpg")
    images = [
        {"id": number, "file_name": f"{stem}.jpg", "width": 64, "height": 48}
        for number, stem in enumerate("ab")
    ]
    box = {"id": 1, "image_id": 0, "category_id": 1, "bbox": [4, 4, 20, 30], "area": 600}
    named = [{"id": number, "name": name} for number, name in enumerate(categories, start=1)]
    content = {"images": images, "annotations": [box | {"iscrowd": 0}], "categories": named}
    (folder / "cats.json").write_text(json.dumps(content))
    return f"coco:{folder / 'cats.json'},{folder / 'my, pictures'}"


def test_annotations_and_pictures_are_named_together(tmp_path, monkeypatch):
    """The last comma divides them, and a path may be that of the folder one is in."""
    with pytest.raises(DataError, match="pictures"):
        annotated_images(tree(tmp_path / "odd"))  # its last comma is in the folder's name
    (tmp_path / "odd" / "my, pictures").rename(tmp_path / "odd" / "pictures")
    monkeypatch.chdir(tmp_path / "odd")
    found = annotated_images("coco:cats.json,pictures")
    assert (found.name, found.ids, found.classes) == ("coco:cats", ("a", "b"), "coco")
    assert [len(one) for one in found.annotations] == [1, 0]
    assert found.annotations[0].classes.tolist() == [load_classes("coco").names.index("cat")]
    assert found.read(0, Preprocessing(None, None)).shape == (48, 64, 3)


@pytest.mark.parametrize("name", ["coco:cats.json", "coco:,pictures", "coco:cats.json,"])
def test_half_a_name_is_refused(name):
    with pytest.raises(InputError, match=r"JSON file.*images"):
        annotated_images(name)


def test_a_picture_that_changes_makes_another_set(tmp_path):
    tree(tmp_path)
    (tmp_path / "my, pictures").rename(tmp_path / "pictures")
    name = f"coco:{tmp_path / 'cats.json'},{tmp_path / 'pictures'}"
    before, told = annotated_images(name).digest, annotated_images(name).contents
    assert annotated_images(name).digest == before
    size = (tmp_path / "pictures" / "a.jpg").stat().st_size
    whole = bytearray((tmp_path / "pictures" / "a.jpg").read_bytes())
    whole[-3] ^= 1
    (tmp_path / "pictures" / "a.jpg").write_bytes(whole)
    assert (tmp_path / "pictures" / "a.jpg").stat().st_size == size
    changed = annotated_images(name).contents
    assert (changed["a"] != told["a"], changed["b"]) == (True, told["b"])
    assert annotated_images(name).digest != before


def test_categories_are_those_of_the_role_that_the_images_play(tmp_path):
    tree(tmp_path, categories=("gadget", "widget"))
    (tmp_path / "my, pictures").rename(tmp_path / "pictures")
    name = f"coco:{tmp_path / 'cats.json'},{tmp_path / 'pictures'}"
    space = class_list("things", ["widget", "gadget"])
    assert annotated_images(name, spaces=[space]).annotations[0].classes.tolist() == [1]
    with pytest.raises(DataError, match="gadget"):
        annotated_images(name)
