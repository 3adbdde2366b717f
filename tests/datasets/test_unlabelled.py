"""Pictures without labels, in folders of any shape."""

import numpy as np
import pytest

from robust_lib.config.class_lists import load_classes
from robust_lib.config.manifests import load_dataset
from robust_lib.datasets import ImageSet, open_picture, unlabelled
from robust_lib.datasets.unlabelled import UnlabelledFolder
from robust_lib.errors import DataError, InputError
from robust_lib.fetch.archives import extract
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import UNKNOWN
from tests import trees

SMALL = Preprocessing(16, 12)


@pytest.fixture
def folder(tmp_path):
    """Pictures at three depths, and what is no picture."""
    trees.save(tmp_path / "set" / "b.jpg", 0)
    trees.save(tmp_path / "set" / "one" / "a.jpg", 1)
    trees.save(tmp_path / "set" / "one" / "two" / "c.png", 2, 20, 60)
    trees.save(tmp_path / "set" / ".hidden" / "d.jpg", 3)
    (tmp_path / "set" / "README.txt").write_text("Not a picture.")
    return tmp_path / "set"


def test_pictures_at_any_depth_have_unknown_labels(folder):
    pictures = UnlabelledFolder(folder, trees.class_list())
    assert isinstance(pictures, ImageSet)
    assert pictures.ids == ("b.jpg", "one/a.jpg", "one/two/c.png")
    assert pictures.labels.tolist() == [UNKNOWN] * 3
    assert (pictures.name, pictures.classes) == ("set", "small")
    assert len(pictures.class_names) == len(trees.WNIDS)
    expected = SMALL.apply(open_picture(folder / "one/two/c.png"))
    np.testing.assert_array_equal(pictures.read(2, SMALL), expected)


def test_a_limit_chooses_the_same_ones_each_time(folder):
    two = UnlabelledFolder(folder, trees.class_list(), limit=2)
    one = UnlabelledFolder(folder, trees.class_list(), limit=1)
    assert len(two) == 2
    assert set(one.ids) < set(two.ids)
    assert len({UnlabelledFolder(folder, trees.class_list()).digest, one.digest, two.digest}) == 3


def test_a_missing_and_an_empty_folder_are_errors(tmp_path):
    with pytest.raises(DataError, match=r"folder of pictures at .*none, but there is none"):
        UnlabelledFolder(tmp_path / "none", trees.class_list())
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="but found none"):
        UnlabelledFolder(tmp_path / "empty", trees.class_list())


def test_the_real_manifest_reads_the_textures_as_they_unpack(tmp_path):
    """The archive has lists beside the pictures, and files of the desktop among them."""
    archive = trees.tar(trees.textures(tmp_path / "source"), tmp_path / "dtd.tar.gz", mode="w:gz")
    pictures = unlabelled.load("dtd", extract(archive, tmp_path / "data"))
    assert pictures.ids == (
        "banded/banded_0002.jpg",
        "banded/banded_0004.jpg",
        "waffled/waffled_0002.jpg",
        "waffled/waffled_0004.jpg",
    )
    assert len({open_picture(pictures.folder / item).size for item in pictures.ids}) == 4
    assert (pictures.name, pictures.classes) == ("dtd", "imagenet_o")
    assert pictures.class_names == load_classes("imagenet_o").names


def test_the_real_manifest_reads_the_places_as_they_unpack(tmp_path):
    archive = trees.tar(trees.places(tmp_path / "source"), tmp_path / "val_256.tar")
    pictures = unlabelled.load("places365_val", extract(archive, tmp_path / "data"), limit=2)
    assert len(pictures) == 2
    assert all(item.startswith("Places365_val_0000000") for item in pictures.ids)


def test_the_archives_are_those_that_torchvision_knows():
    from torchvision.datasets import DTD, Places365

    (textures,), (places,) = (load_dataset(name).files for name in ("dtd", "places365_val"))
    assert (textures.url, textures.md5) == (DTD._URL, DTD._MD5)
    name, md5 = Places365._IMAGES_META["val", True]
    assert (places.url, places.md5) == (Places365._BASE_URL + name, md5)


def test_a_manifest_of_another_kind_is_an_input_error():
    with pytest.raises(InputError, match="Expected imagenet_a to be pictures without labels"):
        unlabelled.load("imagenet_a")
