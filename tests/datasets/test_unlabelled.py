"""Pictures without labels: folders of any shape, and sets that lose theirs."""

import numpy as np
import pytest

from robust_lib import datasets
from robust_lib.datasets import ImageSet, open_picture, unlabelled
from robust_lib.datasets.image_folder import ImageFolder
from robust_lib.datasets.imagenet_c import Corrupted
from robust_lib.datasets.unlabelled import Unlabelled, UnlabelledFolder
from robust_lib.errors import DataError, InputError
from robust_lib.fetch.archives import extract
from robust_lib.manifests import load_classes, load_dataset
from robust_lib.predict import predict
from robust_lib.predictions import UNKNOWN
from robust_lib.preprocessing import Preprocessing
from tests import toys, trees

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


@pytest.fixture
def base(tmp_path):
    return ImageFolder(trees.class_folders(tmp_path / "val"), trees.class_list())


def test_a_set_may_lose_its_labels_and_nothing_else(base):
    bare = Unlabelled(base, "pair", ("one", "other"))
    assert isinstance(bare, ImageSet)
    assert (bare.name, bare.ids, len(bare)) == (base.name, base.ids, len(base))
    assert (bare.classes, bare.class_names) == ("pair", ("one", "other"))
    assert bare.labels.tolist() == [UNKNOWN] * len(base)
    np.testing.assert_array_equal(bare.read(3, SMALL), base.read(3, SMALL))
    digests = {base.digest, bare.digest, Unlabelled(base, "pair", ("one", "two")).digest}
    assert len(digests) == 3


def test_sets_that_make_batches_are_asked_for_them(base):
    whole = Corrupted(base, "gaussian_noise", 2)
    bare = Unlabelled(whole, "small", base.class_names)
    expected = datasets.batch(whole, [6, 2], Preprocessing(48, 32))
    assert (datasets.batch(bare, [6, 2], Preprocessing(48, 32)) == expected).all()


def test_networks_answer_where_nobody_knows_the_answer(tmp_path):
    from robust_lib.cache import Store

    bare = Unlabelled(toys.Swatches(), "colours", toys.COLOURS)
    store = Store(tmp_path / "store")
    for _ in range(2):  # computed, then read
        said = predict(toys.brightest(), bare, cache=store)
        assert set(said.labels.tolist()) == {UNKNOWN}
        assert not said.correct.any()
        assert said.predicted.tolist() == toys.Swatches().labels.tolist()
