"""Names become filters or a detector, with the classes of the first model."""

import pytest

from robust_book.commands import named_models
from robust_book.commands.named_models import classes_of_filters, filters
from robust_lib.cache import Store
from robust_lib.config.class_lists import load_classes
from robust_lib.config.profiles import load_profile
from robust_lib.datasets.user_folder import class_list
from robust_lib.errors import InputError
from tests import tiny
from tests.boxed import detector


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return tiny.project(tmp_path_factory.mktemp("named_models"))


@pytest.fixture
def store(made, monkeypatch):
    tiny.enter(made, monkeypatch)
    return Store(made / "build" / "cache" / "store")


def test_a_list_that_is_named_is_that_list(store):
    assert (
        classes_of_filters(load_profile("tiny"), "imagenet_a", ["alexnet"], store).name
        == "imagenet_a"
    )


def test_a_network_that_is_trained_here_knows_what_it_is_trained_on(store):
    found = classes_of_filters(load_profile("tiny"), None, ["alexnet"], store)
    assert (found.name, len(found)) == ("scenes", 4)
    assert classes_of_filters(load_profile("tiny"), "scenes", ["alexnet"], store) == found
    with pytest.raises(InputError, match="scenes"):
        classes_of_filters(load_profile("tiny"), "scenes", ["torchvision/resnet34"], store)


def test_a_public_network_knows_imagenet(store):
    found = classes_of_filters(load_profile("tiny"), None, ["torchvision/resnet34"], store)
    assert found == load_classes("imagenet_1k")


def test_a_network_that_knows_other_classes_is_refused_before_it_is_trained(store):
    with pytest.raises(InputError, match="torchvision/resnet34 to have 50 outputs"):
        filters(load_profile("tiny"), ["torchvision/resnet34"], load_classes("icons50"), store)


def test_categories_have_cocos_ids_where_there_are_some():
    assert [one.id for one in named_models.categories(load_classes("coco"))[:12]] == [
        *range(1, 12),
        13,
    ]
    assert [one.id for one in named_models.categories(class_list("pets", ("cat", "dog")))] == [
        1,
        2,
    ]


def test_a_detector_that_is_trained_here_knows_what_it_is_trained_on(monkeypatch, tmp_path):
    class Images:
        class_names = ("cat", "dog", "fox")

    asked = []
    monkeypatch.setattr(
        named_models.detectors,
        "detectors",
        lambda profile, networks, store: asked.append(profile.seeds) or {"net": (detector(),)},
    )
    monkeypatch.setattr(named_models.image_sets, "image_set", lambda *_: Images())
    profile = load_profile("mini").model_copy(update={"seeds": (3, 4)})
    model, known = named_models.detector_of(
        profile, "fasterrcnn_resnet50_mini", None, Store(tmp_path)
    )
    assert (model.name, known.names) == ("tiny", ("cat", "dog", "fox"))
    assert asked == [(3,)]
