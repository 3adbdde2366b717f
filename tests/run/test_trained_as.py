"""Whether a network of once is today's: its recipe, its images, and what it starts from."""

import shutil

import pytest

from robust_lib import paths
from robust_lib.errors import InputError
from robust_lib.run.trained_as import trained_as
from tests import tiny

NAMES = ("resnet18_mini", "resnet18_mini_tuned", "resnet18_small+fog", "resnet20_mini")


@pytest.fixture
def manifests(tmp_path, monkeypatch):
    shutil.copytree(paths.manifests(), tmp_path / "data_manifests")
    tiny.enter(tmp_path, monkeypatch)
    return tmp_path / "data_manifests"


def changed(file, old, new):
    before = [trained_as(name) for name in NAMES]
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), "utf-8")
    return [name for name, digest in zip(NAMES, before, strict=True) if trained_as(name) != digest]


def test_a_changed_recipe_changes_its_networks_and_those_that_start_from_them(manifests):
    recipes = manifests / "recipes.yaml"
    first = "\nscenes_sgd:  # networks with shortcuts\n  epochs: 7"
    found = changed(recipes, first, first.replace("7", "6"))
    assert found == ["resnet18_mini", "resnet18_mini_tuned"]


def test_other_code_trains_other_networks(monkeypatch):
    before = trained_as("resnet20_mini")
    monkeypatch.setattr("robust_lib.training.zoo.source_digest", lambda *modules: "other")
    assert trained_as("resnet20_mini") != before


def test_a_seed_changes_nothing():
    assert trained_as("resnet20_mini~4") == trained_as("resnet20_mini")


def test_a_network_that_is_not_trained_here_has_no_digest():
    with pytest.raises(InputError, match="not trained"):
        trained_as("resnet50")
