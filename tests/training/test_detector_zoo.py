"""The zoo's detectors: each is trained once, kept whole, and found under all that made it."""

import numpy as np
import pytest
import torch
import yaml

from robust_lib import paths
from robust_lib.cache import Store, content_key
from robust_lib.errors import CacheError, InputError, ModelError
from robust_lib.models.detectors.contract import check_detector
from robust_lib.training import checkpoints, detection, detector_zoo
from robust_lib.training.detector_zoo import describe, trained_detector
from robust_lib.training.zoo import plan
from tests import toys
from tests.boxed import FAMILY, TINY, Squares

ROW = {
    "title": "Tiny",
    "builder": "faster_rcnn_mini",
    "arguments": {"backbone": FAMILY, "hidden": 16, "side": 64, "anchors": [20, 28, 40], **TINY},
    "classes": "colours",
    "preprocessing": {"resize": None, "crop": None},
    "recipe": "boxes",
}
RECIPE = {"epochs": 2, "batch": 8, "rate": 0.01, "padding": 0}
DATA = Squares(12)


@pytest.fixture
def project(tmp_path, monkeypatch):
    folder = tmp_path / "data_manifests"
    (folder / "models").mkdir(parents=True)
    (folder / "classes").mkdir()
    (folder / "classes" / "lists.yaml").write_text("{}")
    rows = {
        "tiny": ROW,
        "begun": ROW | {"title": "Begun", "starts_from": "base"},
        "base": ROW | {"title": "Base", "builder": "mini", "arguments": {"family": FAMILY}},
    }
    (folder / "models" / "toys.yaml").write_text(yaml.safe_dump(rows))
    (folder / "recipes.yaml").write_text(yaml.safe_dump({"boxes": RECIPE}))
    monkeypatch.setenv("ROBUST_ROOT", str(tmp_path))
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path / "build"))
    return tmp_path


@pytest.fixture
def store(project):
    return Store(project / "store")


def made(store, name="tiny", seed=0, data=DATA, **settings):
    return trained_detector(name, data, seed=seed, store=store, progress=False, **settings)


def base(width=8):
    from robust_lib.models import mini

    torch.manual_seed(5)
    return toys.brightest("base", module=mini.build(FAMILY, 4, width))


def test_a_detector_is_trained_for_the_classes_of_its_data(store):
    found = made(store)
    assert (found.model.name, found.model.classes, found.model.outputs) == ("tiny", "colours", 3)
    assert len(found.curves.loss) == 2
    check_detector(found.model)


def test_the_second_call_trains_nothing_and_returns_the_same(store, monkeypatch):
    first = made(store)

    def train(*_, **__):
        raise AssertionError("it was trained before")

    monkeypatch.setattr(detector_zoo, "train_detector", train)
    again = made(Store(store.folder))
    assert again.model.fingerprint == first.model.fingerprint
    assert again.curves == first.curves


def test_all_that_decides_the_weights_is_in_the_key(store):
    def key(name="tiny", data=DATA, seed=0, epochs=None, start=None):
        return content_key(describe(*plan(name, epochs), data, seed, start))

    keys = [
        key(), key(seed=1), key(epochs=1), key(data=Squares(16)), key("begun", start=base()),
        key("begun", start=toys.brightest()),
    ]  # fmt: skip
    assert len(set(keys)) == len(keys)
    assert key() == key()


def test_a_backbone_starts_from_the_classifier(store, monkeypatch):
    monkeypatch.setattr(
        detector_zoo, "train_detector", lambda module, *_, **__: module.eval() and made_curves()
    )
    start = base()
    model = made(store, "begun", start=start).model
    body = model.module.backbone.body.state_dict()
    state = start.module.state_dict()
    assert body.keys() < state.keys()
    assert all(torch.equal(value, state[key]) for key, value in body.items())


def made_curves():
    return detection.LossCurves([1.0], {"loss_classifier": [1.0]})


def test_a_start_that_is_missing_or_does_not_fit(store):
    with pytest.raises(InputError, match="Expected base for begun to start from, but got none"):
        made(store, "begun")
    with pytest.raises(InputError, match="Expected no network for tiny"):
        made(store, start=base())
    with pytest.raises(ModelError, match="fit a backbone that starts from base"):
        made(store, "begun", start=base(width=16))


def test_a_classifier_is_not_trained_as_a_detector(store):
    with pytest.raises(InputError, match="Expected a detector, but base is a classifier"):
        made(store, "base")


def test_a_killed_training_goes_on_and_leaves_no_checkpoint(store, monkeypatch):
    whole = made(Store(store.folder.parent / "other"))
    save = checkpoints.save

    def die(*arguments):
        save(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(checkpoints, "save", die)
    with pytest.raises(KeyboardInterrupt):
        made(store)
    assert len(list((paths.cache() / "checkpoints").iterdir())) == 1
    monkeypatch.setattr(checkpoints, "save", save)
    assert made(store).model.fingerprint == whole.model.fingerprint
    assert not list((paths.cache() / "checkpoints").iterdir())


def test_a_damaged_entry_is_an_error(store):
    made(store)
    (arrays,) = store.folder.rglob("*.npz")
    arrays.write_bytes(arrays.read_bytes()[:-20])
    with pytest.raises(CacheError, match="to recompute it"):
        made(store)


def test_curves_keep_their_parts(store):
    curves = made(store).curves
    assert made(store).curves == curves
    np.testing.assert_allclose(curves.loss, np.sum(list(curves.parts.values()), 0))
