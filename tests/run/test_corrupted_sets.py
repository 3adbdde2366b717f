"""Where corrupted images come from: made on the fly, or read from the archive."""

import numpy as np
import pytest
import torch

from robust_lib import paths
from robust_lib.cache import Store
from robust_lib.config import manifests
from robust_lib.config.profiles import changed, load_profile
from robust_lib.datasets.decoded import Decoded
from robust_lib.datasets.imagenet_c import Archive, Corrupted
from robust_lib.errors import DataError
from robust_lib.models.contract import Classifier
from robust_lib.preprocessing import Preprocessing
from robust_lib.run import corrupted_sets, image_sets
from tests import tiny, toys, trees


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return tiny.drawn(tmp_path_factory)


@pytest.fixture
def project(made, monkeypatch):
    return tiny.enter(made, monkeypatch)


@pytest.fixture
def store(project):
    return Store(project / "build" / "cache" / "store")


@pytest.fixture
def layouts(tmp_path, monkeypatch):
    folder = tiny.real_layouts(tmp_path)
    trees.class_folders(folder / "data" / "imagenet_val" / "val", per_class=1)
    trees.imagenet_c(folder / "data" / "imagenet_c", ["fog"])
    return tiny.enter(folder, monkeypatch)


def loaded(profile, role="imagenet_val", store=None):
    return image_sets.image_set(load_profile(profile), role, store or Store(paths.cache()))


def wrapped(answer, **changes):
    settings = {"outputs": 4, "preprocessing": Preprocessing(None, 64), "classes": "scenes"}
    return toys.Misbehaving(answer, **settings | changes)


def answers(images):
    return images.mean((2, 3))[:, [0, 0, 1, 2]]


def test_scenes_are_corrupted_on_the_fly(store):
    profile, images = load_profile("tiny"), loaded("tiny", store=store)
    source = corrupted_sets.corrupted(profile, images, {}, ["fog"])
    cell = source.cell("fog", 3)
    assert isinstance(cell, Corrupted)
    assert cell.base is images
    assert (source.name, source.storage, source.models) == ("scenes_val_c", "jpeg85", None)
    memory = corrupted_sets.corrupted(changed(profile, storage="memory"), images, {}, ["fog"])
    assert memory.cell("fog", 3).storage == memory.storage == "memory"


def test_what_is_not_the_benchmarks_own_is_noted(store, monkeypatch):
    profile, images = load_profile("tiny"), loaded("tiny", store=store)
    for canonical, notes in ((True, {}), (False, {"frost": "drawn, not canonical"})):
        monkeypatch.setattr(
            corrupted_sets, "is_canonical", lambda name, known=canonical: known or name != "frost"
        )
        monkeypatch.setattr(corrupted_sets, "convention", lambda name: "drawn, not canonical")
        source = corrupted_sets.corrupted(profile, images, {}, ["fog", "frost"])
        assert source.notes == notes


def test_pictures_of_a_folder_are_decoded_once_for_all_cells(layouts):
    profile = changed(load_profile("full"), corrupted="generated", device="cpu")
    images = loaded("full")
    alike = {"a": (wrapped(answers),), "b": (wrapped(answers),)}
    base = corrupted_sets.corrupted(profile, images, alike, ["fog"]).cell("fog", 1).base
    assert isinstance(base, Decoded)
    assert base.digest == images.digest
    cropped = Preprocessing(None, 64)
    assert np.array_equal(base.read(2, cropped), images.read(2, cropped))
    fewer = (
        corrupted_sets.corrupted(changed(profile, limit=2), images, alike, ["fog"])
        .cell("fog", 1)
        .base
    )
    assert len(fewer) == 2
    assert set(fewer.ids) < set(images.ids)
    unlike = alike | {"c": (wrapped(answers, preprocessing=Preprocessing(256, 224)),)}
    assert corrupted_sets.corrupted(profile, images, unlike, ["fog"]).cell("fog", 1).base is images


def test_as_many_threads_decode_as_the_profile_says(layouts, monkeypatch):
    said = []

    def decode(shown, *_, workers):
        said.append(workers)
        return shown

    monkeypatch.setattr(corrupted_sets, "decode", decode)
    profile = changed(load_profile("full"), device="cpu")
    corrupted_sets.decoded_once(profile, loaded("full"), {"a": (wrapped(answers),)})
    assert said == [profile.workers] == [8]


def test_the_archive_is_read_as_it_is(layouts):
    profile, images = load_profile("full"), loaded("full")
    mine = wrapped(answers, name="mine", preprocessing=Preprocessing(256, 224))
    source = corrupted_sets.corrupted(profile, images, {"mine": (mine,)}, ["fog"])
    assert (source.name, source.storage) == ("imagenet_c", "archive")
    cell = source.cell("fog", 5)
    assert isinstance(cell, Archive)
    assert cell.name == "imagenet_c/fog/5"
    assert len({source.cell("fog", severity).digest for severity in range(1, 6)}) == 5
    stored = source.models["mine"][0]
    assert isinstance(stored, Classifier)
    assert stored.preprocessing == Preprocessing(None, 224)
    for attribute in ("name", "classes", "outputs", "fingerprint"):
        assert getattr(stored, attribute) == getattr(mine, attribute)
    picture = torch.rand(2, 3, 8, 8)
    assert torch.equal(stored(picture), mine(picture))
    assert cell.read(0, stored.preprocessing).shape == (224, 224, 3)


def test_only_the_cells_that_are_asked_for_must_be_there(layouts):
    profile, images = load_profile("full"), loaded("full")
    corrupted_sets.corrupted(profile, images, {}, ["fog"])
    corrupted_sets.corrupted(profile, images, {}, [])  # clean pictures alone
    with pytest.raises(DataError, match=r"snow/\[1-5\]: expected 5 of these, but found 0") as told:
        corrupted_sets.corrupted(profile, images, {}, ["fog", "snow"])
    assert "frost" not in str(told.value)


def test_the_archives_pictures_are_those_of_the_clean_sets_classes(layouts):
    """Networks of ImageNet-100 know a tenth of the classes, and count them from 0."""
    wnids = trees.WNIDS[1::2]
    rows = [f"{n},{2 * n + 1},{wnid},name of {wnid}\n" for n, wnid in enumerate(wnids)]
    table = layouts / "data_manifests" / "classes" / "imagenet_100.csv"
    table.write_text("index,imagenet,wnid,name\n" + "".join(rows), "utf-8")
    profile, images = load_profile("full"), loaded("full", "imagenet_100")
    cell = corrupted_sets.corrupted(profile, images, {}, ["fog"]).cell("fog", 5)
    assert (cell.classes, len(cell.class_names)) == ("imagenet_100", 2)
    assert cell.ids == images.ids
    assert cell.labels.tolist() == images.labels.tolist() == [0, 1]


def test_another_archive_has_other_predictions(layouts):
    """The manifest is part of a cell's digest: results of one release are none of another."""
    profile, images = load_profile("full"), loaded("full")
    first = corrupted_sets.corrupted(profile, images, {}, ["fog"]).cell("fog", 1).digest
    before = manifests.digest(manifests.load_dataset("imagenet_c"))
    tiny.change(layouts / "data_manifests" / "datasets" / "imagenet_c.yaml", title="Another")
    assert manifests.digest(manifests.load_dataset("imagenet_c")) != before
    assert corrupted_sets.corrupted(profile, images, {}, ["fog"]).cell("fog", 1).digest != first
