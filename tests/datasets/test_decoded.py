import json

import numpy as np
import pytest

from robust_lib.datasets import ImageSet, batch
from robust_lib.datasets.decoded import Decoded, decode, decoded
from robust_lib.datasets.image_folder import ImageFolder
from robust_lib.errors import CacheError, DataError, InputError
from robust_lib.preprocessing import Preprocessing
from tests import trees

SMALL = Preprocessing(16, 12)


@pytest.fixture
def pictures(tmp_path):
    return ImageFolder(trees.class_folders(tmp_path / "val"), trees.class_list())


@pytest.fixture
def store(tmp_path):
    return tmp_path / "store"


def kinds(store):
    return sorted(path.suffix for path in store.iterdir())


def test_the_array_holds_what_reading_gives(pictures, store):
    array = decoded(pictures, SMALL, store)
    assert (array.shape, array.dtype) == ((8, 12, 12, 3), np.uint8)
    assert isinstance(array, np.memmap)
    for index in range(8):
        np.testing.assert_array_equal(array[index], pictures.read(index, SMALL))
    assert kinds(store) == [".json", ".npy"]


def test_a_second_call_decodes_nothing(pictures, store, monkeypatch):
    first = np.array(decoded(pictures, SMALL, store))
    monkeypatch.setattr(ImageFolder, "read", lambda *_: pytest.fail("decoded again"))
    np.testing.assert_array_equal(decoded(pictures, SMALL, store), first)


def test_other_pictures_and_other_preprocessing_have_other_arrays(pictures, store, tmp_path):
    decoded(pictures, SMALL, store)
    decoded(pictures, Preprocessing(16, 12, "bicubic"), store)
    more = ImageFolder(tmp_path / "val", trees.class_list(), limit=4)
    assert len(decoded(more, SMALL, store)) == 4
    assert len(list(store.glob("*.npy"))) == 3


def test_an_interrupted_decoding_leaves_nothing(pictures, store, tmp_path):
    (tmp_path / "val" / pictures.ids[5]).write_bytes(b"broken")
    with pytest.raises(DataError, match=pictures.ids[5]):
        decoded(pictures, SMALL, store)
    assert list(store.iterdir()) == []


def test_an_array_without_its_seal_counts_as_not_there(pictures, store):
    decoded(pictures, SMALL, store)
    next(store.glob("*.json")).unlink()
    array = next(store.glob("*.npy"))
    array.write_bytes(b"half written")
    np.testing.assert_array_equal(decoded(pictures, SMALL, store)[3], pictures.read(3, SMALL))


@pytest.mark.parametrize("fault", ["cut", "altered", "gone", "seal"])
def test_a_damaged_array_is_never_read_as_whole(pictures, store, fault):
    decoded(pictures, SMALL, store)
    array, seal = next(store.glob("*.npy")), next(store.glob("*.json"))
    content = array.read_bytes()
    if fault == "cut":
        array.write_bytes(content[:-1])
    elif fault == "altered":
        array.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    elif fault == "gone":
        array.unlink()
    else:
        seal.write_text("{")
    with pytest.raises(CacheError, match=r"cut short or altered\. Delete them"):
        decoded(pictures, SMALL, store)


def test_the_seal_says_what_the_array_is(pictures, store):
    decoded(pictures, SMALL, store)
    seal = json.loads(next(store.glob("*.json")).read_text())
    assert seal["digest"] == pictures.digest
    assert seal["preprocessing"] == {"resize": 16, "crop": 12, "interpolation": "bilinear"}
    assert seal["images"] == 8


def test_pictures_of_different_sizes_are_refused(tmp_path, store):
    root = trees.imagenet_a(tmp_path) / "imagenet-a"
    with pytest.raises(InputError, match=r"different sizes, .*Set a crop"):
        decoded(ImageFolder(root, trees.class_list()), Preprocessing(None, None), store)
    assert list(store.iterdir()) == []


def test_a_decoded_set_is_the_same_set(pictures, store):
    ready = decode(pictures, SMALL, store)
    assert isinstance(ready, ImageSet)
    for what in ("name", "digest", "ids", "classes", "class_names"):
        assert getattr(ready, what) == getattr(pictures, what)
    assert ready.labels is pictures.labels
    assert len(ready) == 8
    ours, theirs = batch(ready, [1, 6], SMALL), batch(pictures, [1, 6], SMALL)
    np.testing.assert_array_equal(ours.numpy(), theirs.numpy())
    ready.read(0, SMALL)[:] = 0  # a copy: the store stays as it is
    np.testing.assert_array_equal(ready.read(0, SMALL), pictures.read(0, SMALL))


def test_a_decoded_set_refuses_another_preprocessing(pictures, store):
    ready = decode(pictures, SMALL, store)
    assert isinstance(ready, Decoded)
    with pytest.raises(InputError, match=r"decoded for .*resize=16.* wants .*resize=20"):
        ready.read(0, Preprocessing(20, 12))
