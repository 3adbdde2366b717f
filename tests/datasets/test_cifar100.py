"""CIFAR-100 in exactly its released form: three pickles, written as Python 2 did."""

import pickle

import numpy as np
import pytest

from robust_lib.config.class_lists import load_classes
from robust_lib.datasets import cifar100
from robust_lib.datasets.hold_outs import one_a_class
from robust_lib.errors import DataError
from robust_lib.preprocessing import Preprocessing

BROAD = list(load_classes("cifar100").folders)
KINDS = [f"kind_{number}" for number in range(100)]


def written(folder, **changes):
    """Write a split of 200 pictures whose kind k is of broad class k // 5, and the names."""
    kinds = np.arange(200) % 100
    pictures = np.random.default_rng(0).integers(0, 256, (200, 3072), dtype=np.uint8)
    batch = {
        "filenames": [f"picture_{number}.png" for number in range(200)],
        "batch_label": "training batch 1 of 1",
        "fine_labels": kinds.tolist(),
        "coarse_labels": (kinds // 5).tolist(),
        "data": pictures,
    } | changes
    meta = {"fine_label_names": KINDS, "coarse_label_names": BROAD}
    folder.mkdir(exist_ok=True)
    for name, content in (("train", batch), ("meta", meta)):
        given = {key: value for key, value in content.items() if value is not None}
        (folder / name).write_bytes(pickle.dumps(given, protocol=2))
    return pictures


@pytest.fixture
def root(tmp_path):
    return tmp_path / "cifar-100-python"


def test_pictures_have_their_channels_labels_and_subtypes(tmp_path, root):
    flat = written(root)
    found = cifar100.load("cifar100", "train", tmp_path)
    picture = found.read(7, Preprocessing(None, None))
    assert picture.shape == (32, 32, 3)
    for channel in range(3):
        plane = flat[7, 1024 * channel : 1024 * (channel + 1)].reshape(32, 32)
        assert np.array_equal(picture[..., channel], plane)
    assert (len(found), found.labels[7], found.icons[7].subtype) == (200, 1, "kind_7")
    assert found.ids[7] == "fish/cifar_7_kind_7.png"
    assert found.class_names[1] == "fish"


def test_subtypes_are_held_out_as_those_of_icons_are(tmp_path, root):
    written(root)
    icons = cifar100.load("cifar100", "train", tmp_path).icons
    held = {icons[place].subtype for place in one_a_class(icons).test.tolist()}
    assert len(held) == 20
    assert held.isdisjoint(icons[place].subtype for place in one_a_class(icons).train.tolist())


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"data": np.zeros((200, 3071), np.uint8)}, "images of 3072 bytes"),
        ({"data": np.zeros((199, 3072), np.uint8)}, "images of 3072 bytes"),
        ({"fine_labels": [100] * 200}, "up to 100"),
        ({"coarse_labels": None}, "the field coarse_labels"),
    ],
)
def test_another_content_is_refused(tmp_path, root, changes, words):
    written(root, **changes)
    with pytest.raises(DataError, match=words):
        cifar100.load("cifar100", "train", tmp_path)


def test_a_missing_split_and_other_classes_are_refused(tmp_path, root):
    written(root)
    with pytest.raises(DataError, match="test"):
        cifar100.load("cifar100", "test", tmp_path)
    (root / "meta").write_bytes(
        pickle.dumps({"fine_label_names": KINDS, "coarse_label_names": BROAD[::-1]}, protocol=2)
    )
    with pytest.raises(DataError, match="Expected the broad classes"):
        cifar100.load("cifar100", "train", tmp_path)
    (root / "meta").write_bytes(pickle.dumps([1], protocol=2))
    with pytest.raises(DataError, match="Expected a dictionary"):
        cifar100.load("cifar100", "train", tmp_path)


def test_a_pickle_that_runs_something_runs_nothing(tmp_path, root):
    written(root)
    (root / "train").write_bytes(b"cposix\nsystem\n(S'touch hacked'\ntR.")
    with pytest.raises(DataError, match=r"refers to posix\.system"):
        cifar100.load("cifar100", "train", tmp_path)
