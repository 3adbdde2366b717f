import errno
import json
import signal
import subprocess
import sys

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
    return sorted(path.suffix for path in store.glob("[!.]*"))


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


def test_an_interrupted_decoding_goes_on_where_it_was(pictures, store, tmp_path, monkeypatch):
    monkeypatch.setattr("robust_lib.datasets.decoded.PART", 2 * 12 * 12 * 3)  # two pictures
    whole = (tmp_path / "val" / pictures.ids[5]).read_bytes()
    (tmp_path / "val" / pictures.ids[5]).write_bytes(b"broken")
    with pytest.raises(DataError, match=pictures.ids[5]):
        decoded(pictures, SMALL, store)
    assert not [path for path in store.iterdir() if path.name[0] != "."], "half of it can be read"
    (tmp_path / "val" / pictures.ids[5]).write_bytes(whole)
    read, seen = ImageFolder.read, []
    monkeypatch.setattr(ImageFolder, "read", lambda *given: seen.append(given[1]) or read(*given))
    array = decoded(pictures, SMALL, store)
    assert sorted(set(seen)) == [0, 4, 5, 6, 7]  # the first one says of which size they are
    for index in range(8):
        np.testing.assert_array_equal(array[index], pictures.read(index, SMALL))
    assert kinds(store) == [".json", ".npy"]


@pytest.mark.parametrize("harm", ["line", "pixels", "journal"])
def test_what_a_power_cut_left_is_not_trusted(pictures, store, tmp_path, monkeypatch, harm):
    monkeypatch.setattr("robust_lib.datasets.decoded.PART", 2 * 12 * 12 * 3)
    whole = (tmp_path / "val" / pictures.ids[5]).read_bytes()
    (tmp_path / "val" / pictures.ids[5]).write_bytes(b"broken")
    with pytest.raises(DataError):
        decoded(pictures, SMALL, store)
    (tmp_path / "val" / pictures.ids[5]).write_bytes(whole)
    (part,), (journal,) = store.glob(".*.part"), store.glob(".*.journal")
    if harm == "line":
        journal.write_text(journal.read_text()[:-70])
    elif harm == "pixels":
        content = part.read_bytes()
        part.write_bytes(content[:128] + bytes(len(content) - 128))
    else:
        journal.unlink()
    array = decoded(pictures, SMALL, store)
    for index in range(8):
        np.testing.assert_array_equal(array[index], pictures.read(index, SMALL))


KILLED = """
import os, signal, sys, time
from pathlib import Path
from robust_lib.datasets import decoded
from robust_lib.datasets.image_folder import ImageFolder
from tests import trees
from tests.datasets.test_decoded import SMALL

decoded.PART = 2 * 12 * 12 * 3
read, seen = ImageFolder.read, []

def counted(*given):
    seen.append(given[1])
    if len(seen) == 7:  # the first is read twice
        journal, = (folder / "store").glob(".*.journal")
        while journal.read_text().count("\\n") < 2:  # another thread writes it
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGKILL)
    return read(*given)

ImageFolder.read = counted
folder = Path(sys.argv[1])
decoded.decoded(ImageFolder(folder / "val", trees.class_list()), SMALL, folder / "store")
"""


@pytest.mark.slow
def test_a_killed_process_leaves_its_parts_to_the_next(pictures, store, tmp_path, monkeypatch):
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], timeout=120)
    assert done.returncode == -signal.SIGKILL
    monkeypatch.setattr("robust_lib.datasets.decoded.PART", 2 * 12 * 12 * 3)
    read, seen = ImageFolder.read, []
    monkeypatch.setattr(ImageFolder, "read", lambda *given: seen.append(given[1]) or read(*given))
    array = decoded(pictures, SMALL, store, workers=2)
    assert sorted(set(seen)) == [0, 4, 5, 6, 7]
    np.testing.assert_array_equal(array[2], pictures.read(2, SMALL))
    assert kinds(store) == [".json", ".npy"]


def test_a_run_that_was_killed_before_the_seal_is_made_again(pictures, store, monkeypatch):
    first = np.array(decoded(pictures, SMALL, store))
    (array,), (seal,) = store.glob("*.npy"), store.glob("*.json")
    seal.unlink()
    array.with_name(f".{array.stem}.journal").write_text("0 ab\n", "utf-8")
    np.testing.assert_array_equal(decoded(pictures, SMALL, store), first)
    assert kinds(store) == [".json", ".npy"]
    assert not list(store.glob(".*.journal"))


def test_any_number_of_threads_makes_the_same_file(pictures, store, tmp_path, monkeypatch):
    monkeypatch.setattr("robust_lib.datasets.decoded.PART", 12 * 12 * 3)
    decoded(pictures, SMALL, store)
    decoded(pictures, SMALL, tmp_path / "other", workers=3)
    for path in store.glob("[!.]*"):
        assert path.read_bytes() == (tmp_path / "other" / path.name).read_bytes()


def test_a_full_disk_is_said_before_anything_is_decoded(pictures, store, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("robust_lib.datasets.decoded.os.posix_fallocate", full)
    with pytest.raises(CacheError, match=r"space.*0\.0 GB.*space"):
        decoded(pictures, SMALL, store)
    assert not list(store.glob("*.npy")) + list(store.glob(".*.part"))


PEAK = """
import resource, sys
from pathlib import Path
from robust_lib.datasets import decoded
from robust_lib.datasets.synthetic import Synthetic
from robust_lib.preprocessing import Preprocessing

def peak():
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

images = Synthetic("noise", "bernoulli_noise", 512, 448, "pets", ("cat", "dog"))
images.read(0, Preprocessing(None, 448))
before = peak()
pictures = decoded.decoded(images, Preprocessing(None, 448), Path(sys.argv[1]))
print((peak() - before) / pictures.nbytes, pictures.nbytes)
"""


@pytest.mark.slow
def test_decoding_takes_no_more_memory_than_the_set(tmp_path):
    """What is mapped counts, though the system may take it back at any time."""
    done = subprocess.run(
        [sys.executable, "-c", PEAK, str(tmp_path)], capture_output=True, text=True, timeout=300
    )
    times, size = map(float, done.stdout.split())
    assert size > 300e6
    assert times < 1.1, f"{times:.2f} times the set"


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
    assert not [path for path in store.iterdir() if path.suffix != ".lock"]


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
    with pytest.raises(InputError, match=r"decoded for .*resize=16.* requires .*resize=20"):
        ready.read(0, Preprocessing(20, 12))
