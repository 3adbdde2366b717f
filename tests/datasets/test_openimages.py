"""Pictures of OpenImages with their boxes."""

import numpy as np
import pytest
from PIL import Image

from robust_lib.datasets import ImageSet, open_picture, openimages
from robust_lib.errors import DataError, InputError
from robust_lib.preprocessing import Preprocessing
from robust_lib.training.detection import BoxedImages
from robust_lib.types import UNKNOWN
from tests import coco_trees

AS_IT_IS = Preprocessing(None, None)
PERSON, DOG = 0, 16
FIRST, SECOND, UNSEEN = (f"{number:016x}" for number in (7, 3, 5))
ROWS = {
    FIRST: [("Person", (0.0, 0.25, 0.5, 1.0)), ("Dog", (0.0, 0.0, 1.0, 1.0))],
    SECOND: [("Shark", (0.5, 0.5, 0.75, 1.0))],
    "f" * 16: [("Dog", (0.5, 0.5, 0.75, 1.0))],  # a picture that nobody has here
}


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path))
    coco_trees.openimages_boxes(tmp_path / "openimages_boxes", ROWS)
    coco_trees.openimages(tmp_path / "openimages_train", [FIRST, SECOND, UNSEEN])
    return tmp_path


def test_pictures_with_boxes_are_the_set():
    images = openimages.load("openimages_train")
    assert isinstance(images, ImageSet)
    assert isinstance(images, BoxedImages)
    assert (images.name, images.classes) == ("openimages_train", "coco")
    assert images.ids == (SECOND, FIRST)
    assert images.labels.tolist() == [UNKNOWN, DOG]


def test_boxes_are_pixels_of_each_picture():
    images = openimages.load("openimages_train")
    shark, pair = (images.annotations[place] for place in range(len(images.annotations)))
    assert (shark.width, shark.height) == (68, 48)
    assert shark.foreign.boxes.tolist() == [[34, 24, 51, 48]]
    assert pair.boxes.tolist() == [[0, 12, 32, 48], [0, 0, 64, 48]]
    assert [images.annotations[place].label for place in range(2)] == images.labels.tolist()


def test_no_picture_is_opened_while_the_set_is_made(monkeypatch):
    def refuse(*_):
        raise AssertionError("a picture was opened")

    monkeypatch.setattr(Image, "open", refuse)
    assert len(openimages.load("openimages_train", limit=1)) == 1


def test_pictures_are_read_wherever_they_lie(data):
    before = openimages.load("openimages_train")
    folder = data / "openimages_train" / "images"
    (folder / "a").mkdir()
    (folder / f"{FIRST}.jpg").rename(folder / "a" / f"{FIRST}.jpg")
    images = openimages.load("openimages_train")
    assert images.digest == before.digest
    expected = np.asarray(open_picture(folder / "a" / f"{FIRST}.jpg"))
    np.testing.assert_array_equal(images.read(1, AS_IT_IS), expected)


def test_pictures_of_other_names(data):
    folder = data / "openimages_train" / "images"
    for number, file in enumerate(sorted(folder.iterdir())):
        file.rename(folder / f"picture {number}.jpg")
    with pytest.raises(DataError, match=r"boxes of the 3 pictures .* has none of any"):
        openimages.load("openimages_train")
    with pytest.raises(InputError, match="nao to be OpenImages' pictures, but it is coco_boxes"):
        openimages.load("nao")
