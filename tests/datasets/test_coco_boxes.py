"""COCO and the release of [nao] as image sets, in their own layouts."""

import json

import numpy as np
import pytest
from PIL import Image

from robust_lib.config.class_lists import load_classes
from robust_lib.datasets import ImageSet, coco_boxes, open_picture
from robust_lib.datasets.coco_boxes import CocoBoxes
from robust_lib.errors import DataError, InputError
from robust_lib.preprocessing import Preprocessing
from robust_lib.training.detection import BoxedImages
from robust_lib.types import UNKNOWN
from tests import coco_trees, trees

COCO = load_classes("coco")
AS_IT_IS = Preprocessing(None, None)
SPLITS = ("train", "validation", "test")
PERSON, DOG = 0, 16


def val(root, **others):
    files = {"val": root / "annotations" / "instances_val2017.json"}
    return CocoBoxes(root / "val2017", files, COCO, name="coco_val", **others)


def nao(root, **others):
    files = {split: root / "annotations" / f"instances_{split}.json" for split in SPLITS}
    return CocoBoxes(root / "images", files, COCO, name="nao", **({"unlisted": True} | others))


def test_pictures_stand_by_name_and_those_without_objects_stay(tmp_path):
    images = val(coco_trees.coco(tmp_path))
    assert isinstance(images, ImageSet)
    assert isinstance(images, BoxedImages)
    assert images.ids == ("000000396133", "000000397133")
    assert images.labels.tolist() == [UNKNOWN, PERSON]
    assert [len(one) for one in images.annotations] == [0, 2]
    assert images.annotations[1].crowds.tolist() == [False, True]
    assert all((one.width, one.height) == (64, 48) for one in images.annotations)
    assert all(one.foreign is None for one in images.annotations)
    assert images.image_numbers == {396133: 0, 397133: 1}
    assert (images.categories[18], images.categories[90], len(images.categories)) == (16, 79, 80)


def test_a_picture_is_read_at_its_own_size(tmp_path):
    images = val(coco_trees.coco(tmp_path))
    file = tmp_path / "val2017" / "000000397133.jpg"
    np.testing.assert_array_equal(images.read(1, AS_IT_IS), np.asarray(open_picture(file)))


def test_no_picture_is_opened_where_the_file_tells_its_size(tmp_path, monkeypatch):
    coco_trees.coco(tmp_path)

    def refuse(*_):
        raise AssertionError("a picture was opened")

    monkeypatch.setattr(Image, "open", refuse)
    assert len(val(tmp_path)) == 2


def test_a_nested_copy_is_the_same_set(tmp_path):
    flat = val(coco_trees.coco(tmp_path / "flat"))
    root = coco_trees.coco(tmp_path / "nested")
    inside = root / "val2017" / "000000"
    inside.mkdir()
    for file in list((root / "val2017").glob("*.jpg")):
        file.rename(inside / file.name)
    nested = val(root)
    assert nested.digest == flat.digest
    assert nested.ids == flat.ids
    np.testing.assert_array_equal(nested.read(0, AS_IT_IS), flat.read(0, AS_IT_IS))


def test_the_digest_is_of_what_is_asked(tmp_path):
    root = coco_trees.coco(tmp_path)
    first = val(root).digest
    path = root / "annotations" / "instances_val2017.json"
    content = json.loads(path.read_text())
    for change, same in (
        ({"segmentation": []}, True),
        ({"bbox": [4, 6, 20, 31]}, False),
        ({"category_id": 19}, False),
        ({"iscrowd": 1}, False),
    ):
        boxes = [content["annotations"][0] | change, content["annotations"][1]]
        coco_trees.write(path, content | {"annotations": boxes})
        assert (val(root).digest == first) is same, change


def test_the_release_is_three_files_of_one_folder(tmp_path):
    root = coco_trees.nao(tmp_path)
    images = nao(root)
    assert images.ids == tuple(sorted(coco_trees.nao_stems(root)))
    found = dict(zip(images.ids, images.annotations, strict=True))
    train, without, validation, test = (found[stem] for stem in coco_trees.nao_stems(root))
    assert train.classes.tolist() == [PERSON, DOG]
    assert train.crowds.tolist() == [False, False]  # it says nothing of crowds
    assert (len(without), len(validation), test.boxes.tolist()) == (0, 0, [[1, 2, 31, 42]])
    assert (train.width, train.height) == (64, 48)  # nor of sizes
    assert images.image_numbers == {}


def test_the_release_may_list_its_pictures_without_objects_or_not(tmp_path):
    listed = nao(coco_trees.nao(tmp_path / "listed"))
    others = nao(coco_trees.nao(tmp_path / "others", listed=False, counted=True))
    assert others.digest == listed.digest
    with pytest.raises(DataError, match=r"but it has 2 more"):
        nao(tmp_path / "others", unlisted=False)


@pytest.mark.parametrize(("splits", "count"), [(["test"], 1), (["train", "test"], 3), (SPLITS, 4)])
def test_a_part_of_the_release(tmp_path, splits, count):
    root = coco_trees.nao(tmp_path)
    trees.save(root / "images" / "0000000000000000.jpg", 9, 64, 48)  # of no split
    images = nao(root, splits=splits)
    assert len(images) == count + (splits == SPLITS)
    with pytest.raises(InputError, match="a split of nao to be one of train, validation, test"):
        nao(root, splits=["val"])


def test_a_limit_is_a_part(tmp_path):
    many = [[("dog", (1, 2, 30, 40))], [("cat", (1, 2, 30, 40))]] * 4
    root = coco_trees.coco(tmp_path, many)
    whole, part = val(root), val(root, limit=4)
    assert sorted(part.labels.tolist()) == [15, 15, DOG, DOG]
    places = [whole.ids.index(stem) for stem in part.ids]
    assert [one.label for one in part.annotations] == [
        whole.annotations[place].label for place in places
    ]
    numbers = {place: number for number, place in whole.image_numbers.items()}
    assert part.image_numbers == {numbers[place]: n for n, place in enumerate(places)}


def test_pictures_that_are_missing_or_too_many(tmp_path):
    root = coco_trees.coco(tmp_path)
    trees.save(root / "val2017" / "000000000001.jpg", 5)
    with pytest.raises(DataError, match=r"but it has 1 more .000000000001"):
        val(root)
    (root / "val2017" / "000000397133.jpg").unlink()
    with pytest.raises(DataError, match=r"2 images.*1.*missing .000000397133"):
        val(root)
    trees.save(root / "val2017" / "again" / "000000000001.png", 5)
    with pytest.raises(DataError, match="have the same name"):
        val(root)
    with pytest.raises(DataError, match="Expected a folder of images"):
        CocoBoxes(root / "none", {}, COCO, name="none")


def test_a_picture_whose_size_nobody_knows(tmp_path):
    root = coco_trees.nao(tmp_path)
    (root / "images" / f"{coco_trees.nao_stems(root)[0]}.jpg").write_bytes(b"no picture")
    with pytest.raises(DataError, match=r"not read the image .*fedcba9876543210\.jpg"):
        nao(root)


def test_ids_of_two_meanings_cannot_number_detections(tmp_path):
    root = coco_trees.nao(tmp_path)
    path = root / "annotations" / "instances_test.json"
    coco_trees.rewrite(path, annotations=[], categories=coco_trees.categories(counted=True))
    images = nao(root)
    with pytest.raises(DataError, match="one meaning for each category id of nao"):
        _ = images.categories


def test_manifests_name_the_files(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path))
    coco_trees.coco(tmp_path / "coco_val")
    coco_trees.coco(tmp_path / "coco_train", split="train2017")
    coco_trees.nao(tmp_path / "nao")
    sets = [coco_boxes.load(name) for name in ("coco_val", "coco_train", "nao")]
    assert [len(one) for one in sets] == [2, 2, 4]
    assert all(one.classes == "coco" for one in sets)
    assert len({one.digest for one in sets}) == 3
    with pytest.raises(InputError, match=r"imagenet_a.*images.*boxes"):
        coco_boxes.load("imagenet_a")


def boxes_beside(folder, stems):
    shark, dog = ("Shark", (0.25, 0.5, 0.75, 1.0)), ("Dog", (0, 0, 0.5, 0.5))
    return coco_trees.openimages_boxes(folder, {stem: [shark, dog] for stem in stems})


def test_other_objects_are_those_of_openimages_where_they_lie_beside(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path))
    stems = coco_trees.nao_stems(coco_trees.nao(tmp_path / "nao"))
    without = coco_boxes.load("nao")
    assert {one.foreign for one in without.annotations} == {None}
    boxes_beside(tmp_path / "openimages_boxes", stems)
    images = coco_boxes.load("nao")
    assert images.digest != without.digest
    for one, before in zip(images.annotations, without.annotations, strict=True):
        assert one.boxes.tolist() == before.boxes.tolist()  # the release's own, not OpenImages'
        assert one.foreign.names == ("Shark",)
        assert one.foreign.boxes.tolist() == [[16, 24, 48, 48]]


def test_a_picture_in_which_nobody_looked_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path))
    stems = coco_trees.nao_stems(coco_trees.nao(tmp_path / "nao"))
    boxes_beside(tmp_path / "openimages_boxes", stems[1:])
    with pytest.raises(
        DataError, match=rf"boxes of the 4 images of nao .* 1 have none .*{stems[0]}"
    ):
        coco_boxes.load("nao")
