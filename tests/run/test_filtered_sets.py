"""Data sets that networks choose: from a pool to what is left, and what is refused."""

import pytest
import torch

from robust_lib.cache import Store
from robust_lib.config.profiles import changed, load_profile
from robust_lib.curation.decisions import REVIEW
from robust_lib.datasets.derived import Subset
from robust_lib.errors import DataError, InputError
from robust_lib.preprocessing import Preprocessing
from robust_lib.run import filtered_sets, networks
from tests import tiny
from tests.toys import Misbehaving


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return tiny.drawn(tmp_path_factory)


@pytest.fixture
def store(made, monkeypatch):
    tiny.enter(made, monkeypatch)
    return Store(made / "build" / "cache" / "store")


def stubborn(name, logits):
    """A network of the four classes that gives every picture the same logits."""
    row = torch.tensor([logits], dtype=torch.float32)
    return Misbehaving(
        lambda images: row.repeat(len(images), 1),
        name=name,
        classes="scenes",
        outputs=4,
        fingerprint=f"{name}{logits}",
        preprocessing=Preprocessing(None, 64),
    )


@pytest.fixture
def filters(monkeypatch):
    """Let every filter be a network with the same answer: ball, box, heart, flag."""

    def set_to(logits):
        def classifiers(profile, wanted, images, store):
            assert len(profile.seeds) == 1
            return {str(one): (stubborn(str(one), logits),) for one in wanted}

        monkeypatch.setattr(networks, "classifiers", classifiers)

    return set_to


def profile(**values):
    return changed(load_profile("tiny"), **values)


def test_what_every_filter_gets_wrong_is_left_under_a_name_of_its_own(store, filters):
    filters([5.0, 9.0, 0.0, 0.0])  # box is none of the subset's classes: masked, it says ball
    found = filtered_sets.construction(profile(seeds=[3, 4]), "imagenet_a", store)
    images = found.images
    assert images.name == "scenes_a_filtered"
    assert {item.split("/")[1] for item in images.ids} == {"heart"}
    assert images.class_names == ("ball", "heart")
    pool = found.candidates
    assert (found.filtration.steps.count("correct")) == int((pool.labels == 0).sum())
    same = Subset(pool, tuple(found.filtration.places))
    assert images.ids == same.ids
    assert images.digest == same.digest


def test_the_generator_reviews_what_the_filters_leave(store, filters, monkeypatch):
    filters([5.0, 0.0, 0.0, 0.0])

    def all_but_one(scenes, ids, **limits):
        return {item: "drop" if item == ids[0] else "keep" for item in ids}

    monkeypatch.setattr(filtered_sets.review, "reviewed", all_but_one)
    found = filtered_sets.construction(profile(), "imagenet_a", store)
    assert found.filtration.steps.count(REVIEW) == 1
    assert found.filtration.ids[found.filtration.steps.index(REVIEW)] not in found.images.ids


def test_a_whole_pool_must_leave_every_class(store, filters):
    filters([5.0, 0.0, 0.0, 0.0])
    filtered_sets.construction(profile(), "imagenet_a", store)  # a part of it need not
    with pytest.raises(DataError, match="1 have none: ball"):
        filtered_sets.construction(
            profile().model_copy(update={"candidates": None}), "imagenet_a", store
        )


def test_nothing_left_is_an_error_that_says_what_to_do(store, filters):
    filters([5.0, 0.0, 4.9, 0.0])
    with pytest.raises(DataError, match=r"all were rejected\. Draw more candidates or harder ones"):
        _ = filtered_sets.construction(profile(), "imagenet_a", store, confidence=0.1).images


def test_the_surest_foreign_pictures_are_taken_by_rank(store, filters):
    filters([5.0, 0.0, 0.0, 0.0])
    found = filtered_sets.construction(profile(), "imagenet_o", store)
    assert set(found.filtration.steps) <= {"shortlisted", REVIEW}  # fewer than are wanted
    few = filtered_sets.construction(profile(), "imagenet_o", store, confidence=1.0).filtration
    assert few.places == ()


def test_other_roles_are_read_as_they_are(store):
    assert not filtered_sets.is_constructed(profile(), "imagenet_val_a")
    assert not filtered_sets.is_constructed(load_profile("full"), "imagenet_a")
    assert filtered_sets.image_set(profile(), "imagenet_val_a", store).name == "scenes_val_a"
    with pytest.raises(InputError, match="a role"):
        filtered_sets.image_set(profile(), "imagenet_z", store)


def test_a_rule_that_there_is_not_is_refused(store, tmp_path, monkeypatch):
    folder = tiny.enter(tiny.project(tmp_path / "project"), monkeypatch)
    path = folder / "data_manifests" / "datasets" / "scenes_a_filtered.yaml"
    tiny.change(path, options={"rule": "imagenet-b", "candidates": "candidates_a", "filters": []})
    with pytest.raises(InputError, match="a rule to be one of imagenet-a, imagenet-o"):
        filtered_sets.construction(profile(), "imagenet_a", store)
