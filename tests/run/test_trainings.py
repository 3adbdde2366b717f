"""A training is known before it is done, by the very description that it is stored under."""

import pytest

from robust_lib.cache import Store, content_key
from robust_lib.config.profiles import load_profile
from robust_lib.run.network import Network
from robust_lib.run.trainings import training
from tests import tiny

DETECTOR = Network("maskrcnn_layouts_mini")  # which starts from a classifier


@pytest.fixture
def store(tmp_path, tmp_path_factory, monkeypatch):
    tiny.enter(tiny.drawn(tmp_path_factory), monkeypatch)
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    return Store(tmp_path / "cache" / "store")


def test_a_detector_is_stored_as_it_was_known_before_and_is_right_or_wrong_on_each_image(store):
    profile, sets = load_profile(tiny.PROFILE), {}
    assert training(DETECTOR, profile, store, sets) is None
    start = training(Network("resnet18_mini"), profile, store, sets)
    start.made(store)
    asked = training(DETECTOR, profile, store, sets)
    key = content_key(asked.description)
    assert not store.has(key)
    made = asked.made(store)
    assert store.has(key)
    assert asked.description["starts from"] == start.made(store).fingerprint
    assert len(asked.correct(made)) == len(sets["coco_train"])
    assert start.correct(start.made(store)).dtype == bool
