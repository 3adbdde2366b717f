"""The pictures of a training set: the same in memory and mapped, and so are the weights."""

import numpy as np
import pytest

from robust_lib import paths
from robust_lib.cache import Store
from robust_lib.config.manifests import load_model
from robust_lib.miniworld.scene_set import Scenes
from robust_lib.miniworld.worlds import load_world
from robust_lib.training import pictures as reading
from robust_lib.training.pictures import pictures, training_set
from robust_lib.training.zoo import plan, trained
from tests import miniature


@pytest.fixture
def project(tmp_path, monkeypatch):
    return miniature.project(tmp_path, monkeypatch)


@pytest.fixture
def data(project):
    return Scenes("toys", load_world("toys"), "train", 16, Store(project / "store"))


def mapped(monkeypatch):
    """Let every set be too large for memory."""
    monkeypatch.setattr(reading, "IN_MEMORY", 0)


def files():
    return list((paths.cache() / "decoded").glob("*.npy"))


def test_few_pictures_are_read_into_memory(data):
    found = pictures(data, load_model("small").preprocessing)
    assert found.base is None
    assert not files()


def test_many_are_mapped_from_one_file_and_are_the_same(data, monkeypatch):
    geometry = load_model("small").preprocessing
    held = pictures(data, geometry)
    mapped(monkeypatch)
    for _ in range(2):
        found = pictures(data, geometry, workers=2)
        np.testing.assert_array_equal(found, held)
        assert isinstance(found.base, np.memmap)
        assert not found.flags.writeable
    assert len(files()) == 1


def test_a_second_network_decodes_nothing(data, monkeypatch):
    mapped(monkeypatch)
    geometry = load_model("small").preprocessing
    first = np.array(pictures(data, geometry))
    monkeypatch.setattr("robust_lib.datasets.decoded._make", lambda *_: pytest.fail("once more"))
    np.testing.assert_array_equal(pictures(data, geometry), first)


def test_training_sees_the_same_bits_and_ends_with_the_same_weights(data, tmp_path, monkeypatch):
    manifest, recipe = plan("small")
    order = np.array([5, 0, 11, 2])
    held = training_set(data, manifest, recipe, None, (1,))
    first = trained("small", data, seed=0, store=Store(tmp_path / "one"), progress=False)
    mapped(monkeypatch)
    found = training_set(data, manifest, recipe, None, (1,))
    np.testing.assert_array_equal(found.shown(order), held.shown(order))
    second = trained("small", data, seed=0, store=Store(tmp_path / "two"), progress=False)
    assert first.model.fingerprint == second.model.fingerprint
    assert first.curves == second.curves


def test_copies_with_a_corruption_are_the_same(data, monkeypatch):
    manifest, recipe = plan("small")
    once = recipe.model_copy(update={"corrupted": "once"})
    held = training_set(data, manifest, once, "gaussian_noise", (1, 3))
    mapped(monkeypatch)
    found = training_set(data, manifest, once, "gaussian_noise", (1, 3))
    order = np.array([5, 0, 11, 2])
    np.testing.assert_array_equal(found.corrupted, held.corrupted)
    np.testing.assert_array_equal(found.shown(order), held.shown(order))
