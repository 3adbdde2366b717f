"""Names become filters: the classes of the first model, and models that know the classes."""

import pytest

from robust_book.commands.filter_networks import class_list, filters
from robust_lib.cache import Store
from robust_lib.config.class_lists import load_classes
from robust_lib.config.profiles import load_profile
from robust_lib.errors import InputError
from tests import tiny


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return tiny.project(tmp_path_factory.mktemp("filter_networks"))


@pytest.fixture
def store(made, monkeypatch):
    tiny.enter(made, monkeypatch)
    return Store(made / "build" / "cache" / "store")


def test_a_list_that_is_named_is_that_list(store):
    assert class_list(load_profile("tiny"), "imagenet_a", ["alexnet"], store).name == "imagenet_a"


def test_a_network_that_is_trained_here_knows_what_it_is_trained_on(store):
    found = class_list(load_profile("tiny"), None, ["alexnet"], store)
    assert (found.name, len(found)) == ("scenes", 4)


def test_a_public_network_knows_imagenet(store):
    found = class_list(load_profile("tiny"), None, ["torchvision/resnet34"], store)
    assert found == load_classes("imagenet_1k")


def test_a_network_that_knows_other_classes_is_refused_before_it_is_trained(store):
    with pytest.raises(InputError, match="torchvision/resnet34 to have 50 outputs"):
        filters(load_profile("tiny"), ["torchvision/resnet34"], load_classes("icons50"), store)
