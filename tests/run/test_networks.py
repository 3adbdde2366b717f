"""Networks become classifiers: loaded, or trained here, by the profile and the manifests."""

import re
import traceback
from itertools import groupby
from pathlib import Path

import pytest
import torch
import yaml

from robust_book.engine.needs import lineage
from robust_lib import paths
from robust_lib.cache import Store
from robust_lib.config.enhancements import Wrapper
from robust_lib.config.profiles import changed, load_profile
from robust_lib.errors import InputError, ModelError
from robust_lib.models import enhance, wrappers
from robust_lib.models.contract import Classifier
from robust_lib.preprocessing import Preprocessing
from robust_lib.run import image_sets, networks
from robust_lib.run.network import Network, resolved
from robust_lib.training import zoo
from robust_lib.training.loop import Curves
from tests import tiny, toys, trees

LIBRARY = Path(networks.__file__).parents[1]


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


def read(profile, names):
    return [resolved(profile, "imagenet_c", name) for name in names]


def classifiers(store, names, profile="tiny", **changes):
    chosen = changed(load_profile(profile), **changes)
    return networks.classifiers(chosen, read(chosen, names), loaded(profile, store=store), store)


def test_the_papers_names_are_played_by_ours(store):
    models = classifiers(store, ["alexnet", "resnet18_mini"])
    assert list(models) == ["alexnet_mini", "resnet18_mini"]
    assert all(isinstance(run, Classifier) for runs in models.values() for run in runs)


def test_the_way_from_a_name_to_its_weights_is_short_and_leads_down(store, monkeypatch):
    ways = []

    def watched(self, key, expect=None, get=Store.get):
        files = (Path(frame.filename) for frame in traceback.extract_stack())
        inside = [file.relative_to(LIBRARY) for file in files if file.is_relative_to(LIBRARY)]
        ways.append([room for room, _ in groupby(path.parts[0] for path in inside)])
        return get(self, key, expect=expect)

    classifiers(store, ["alexnet"])
    monkeypatch.setattr(Store, "get", watched)
    classifiers(store, ["alexnet"])
    assert ways == [["run", "training"]]


def test_each_seed_is_another_network_of_its_own_name(store):
    runs = classifiers(store, ["resnet18"], seeds=[0, 3])["resnet18_mini"]
    assert [run.name for run in runs] == ["resnet18_mini", "resnet18_mini~3"]
    assert len({run.fingerprint for run in runs}) == 2
    again = classifiers(store, ["resnet18"], seeds=[3])
    assert list(again) == ["resnet18_mini"]
    assert again["resnet18_mini"][0].fingerprint == runs[1].fingerprint


def test_one_network_that_is_trained_here_and_one_that_is_not(store, tmp_path):
    (tmp_path / "net.py").write_text(
        "from tests import toys\n\n"
        "def build():\n    return toys.convolutional('mine', preprocessing=toys.AS_IS)\n"
    )
    with pytest.raises(InputError, match=r"4 outputs.*class.*scenes"):
        classifiers(store, ["resnet18", f"{tmp_path / 'net.py'}:build"])


def test_the_number_of_outputs_is_looked_at_before_weights_are_loaded(store, monkeypatch):
    def load(*_, **__):
        raise AssertionError("weights would have been downloaded")

    monkeypatch.setattr(networks, "load_classifier", load)
    for name in ("vgg16", "torchvision/resnet34"):
        with pytest.raises(InputError, match=f"Expected {name} to have 4 outputs"):
            classifiers(store, [name])


def test_a_users_network_wants_the_profiles_device_before_it_is_loaded(store, monkeypatch):
    def load(*_, **__):
        raise AssertionError("it would have been loaded")

    monkeypatch.setattr(networks, "load_classifier", load)
    with pytest.raises(InputError, match=r"GPU.*device cuda:99"):
        classifiers(store, ["net.py:build"], device="cuda:99")


@pytest.mark.parametrize(
    ("device", "told"),
    [("gpu", "Expected a device such as cpu, cuda or cuda:1"), ("cuda:99", "Use the device")],
)
def test_devices_that_are_not_there(store, device, told):
    with pytest.raises(InputError, match=told):
        classifiers(store, ["resnet18"], device=device, seeds=[7])  # none that is stored


def own(monkeypatch, *models):
    """Let names such as "0" and "1" load these models."""
    monkeypatch.setattr(networks, "load_classifier", lambda name, **_: models[int(name[0])])
    return [f"{number}.py:build" for number in range(len(models))]


def wrapped(answer, **changes):
    settings = {"outputs": 4, "preprocessing": Preprocessing(None, 64), "classes": "scenes"}
    return toys.Misbehaving(answer, **settings | changes)


def test_a_model_that_raises_is_named(store, monkeypatch):
    names = own(monkeypatch, wrapped(lambda images: images @ torch.ones(5, 4)))
    with toys.unchecked(), pytest.raises(ModelError) as failure:
        classifiers(store, names)
    assert "Expected misbehaving to classify four synthetic images" in str(failure.value)
    told = r"but it stopped at test_networks\.py, line \d+: RuntimeError: "
    assert re.search(told, str(failure.value))
    assert isinstance(failure.value.__cause__, RuntimeError)


def test_two_models_of_one_name_would_hide_one(store, monkeypatch):
    one, two = (wrapped(lambda images: images.mean((2, 3))[:, [0, 0, 1, 2]], fingerprint=text)
                for text in ("first", "second"))  # fmt: skip
    names = own(monkeypatch, one, two, one)
    with pytest.raises(InputError, match=r"misbehaving, 1\.py:build.*second"):
        classifiers(store, names)
    assert list(classifiers(store, [names[0], names[2]])) == ["misbehaving"]


def test_training_curves_are_those_of_networks_that_are_trained_here(store):
    profile = load_profile("tiny")
    made = networks.trained_networks(profile, read(profile, ["alexnet", "vgg16"]), store)
    curves = {one.model.name: one.curves.accuracy for one in made}
    assert list(curves) == ["alexnet_mini"]
    assert all(0 <= value <= 100 for value in curves["alexnet_mini"])


def test_a_network_is_trained_without_what_is_held_out(store):
    profile = changed(load_profile("tiny"), epochs=1)
    name = "resnet20_mini@style:microsoft"
    icons = loaded("tiny", "icons50", store)
    models = networks.classifiers(profile, read(profile, [name]), icons, store)
    assert list(models) == [name]
    other = networks.classifiers(profile, read(profile, ["resnet20_mini@random"]), icons, store)
    (one,), (two,) = models[name], other["resnet20_mini@random"]
    assert one.fingerprint != two.fingerprint
    held = image_sets.held_out(icons, "style:microsoft")
    assert all("microsoft" in icons.ids[place] for place in held.test)


# Networks that start from others.


@pytest.fixture(scope="module")
def deriving(tmp_path_factory):
    """A project of its own, in which `tuned` starts from `alexnet_mini`, on fewer classes."""
    folder = tiny.project(tmp_path_factory.mktemp("derived"))
    manifests_of = folder / "data_manifests"
    rows = yaml.safe_load((manifests_of / "models" / "mini.yaml").read_text("utf-8"))
    row = rows["alexnet_mini"] | {"trained_on": "imagenet_100_train", "classes": "some"}
    more = {
        "tuned": row | {"starts_from": "alexnet_mini"},
        "behind": rows["alexnet_mini"]
        | {"recipe": None, "starts_from": "alexnet_mini", "wrapper": {"name": "clahe"}},
        "of_nothing": row | {"starts_from": "alexnet_maxi"},
        "of_random": row | {"starts_from": "untrained"},
        "untrained": rows["alexnet_mini"]
        | {"recipe": None, "weights": "random", "classes": "imagenet_vid"},
    }
    (manifests_of / "models" / "more.yaml").write_text(yaml.safe_dump(more), "utf-8")
    path = manifests_of / "datasets" / "scenes_small_train.yaml"
    options = yaml.safe_load(path.read_text("utf-8"))["options"]
    tiny.change(path, images=32, options=options | {"images": 32, "every": 2, "size": 64})
    return folder


@pytest.fixture
def derived(store, deriving, monkeypatch):
    tiny.enter(deriving, monkeypatch)
    return load_profile("tiny")


def test_a_network_starts_from_one_of_the_same_seed_trained_on_its_own_data(
    derived, store, monkeypatch
):
    asked = []

    def watching(name, data, *, start, seed, **named):
        asked.append((name, len(data.class_names), seed, start and start.fingerprint))
        return trained(name, data, start=start, seed=seed, **named)

    trained = zoo.trained
    monkeypatch.setattr(networks, "trained", watching)
    profile = changed(derived, seeds=[0, 1])
    bases = networks.trained_networks(profile, read(profile, ["alexnet_mini"]), store)
    asked.clear()
    tuned = networks.trained_networks(profile, read(profile, ["tuned"]), store)
    prints = [made.model.fingerprint for made in bases]
    assert asked == [
        ("alexnet_mini", 4, 0, None), ("tuned", 2, 0, prints[0]),
        ("alexnet_mini", 4, 1, None), ("tuned", 2, 1, prints[1]),
    ]  # fmt: skip
    assert [made.model.outputs for made in tuned] == [2, 2]


def test_a_network_may_start_from_weights_that_are_not_trained_here(derived, store):
    (made,) = networks.trained_networks(derived, read(derived, ["of_random"]), store)
    assert (made.model.name, made.model.outputs) == ("of_random", 2)


def test_a_wrapped_network_has_the_weights_of_the_one_that_it_starts_from(derived, store):
    profile = changed(derived, seeds=[0, 1])
    images = loaded("tiny", "imagenet_val", store)
    wanted = read(profile, ["alexnet_mini", "behind"])
    found = networks.classifiers(profile, wanted, images, store)
    assert [one.name for one in found["behind"]] == ["behind", "behind~1"]
    shown = torch.rand(2, 3, 64, 64)
    for behind, plain in zip(found["behind"], found["alexnet_mini"], strict=True):
        assert behind.fingerprint == wrappers.clahe(plain).fingerprint
        assert torch.equal(behind(shown), plain(enhance.changed(shown, Wrapper(name="clahe"))))
    assert networks.trained_networks(profile, read(profile, ["behind"]), store) == []
    assert [str(one) for one in lineage(Network("behind", seed=1))] == [
        "alexnet_mini~1",
        "behind~1",
    ]


def test_a_network_that_starts_from_nothing_known_is_refused(derived, store):
    with pytest.raises(InputError, match=r"model.*'alexnet_maxi'\. Similar"):
        networks.trained_networks(derived, read(derived, ["of_nothing"]), store)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("resnet20_mini@style:microsft", "style to be one of google, microsoft, mozilla"),
        ("resnet20_mini@styles", "a hold-out to be one of style:VENDOR"),
        (
            "alexnet_mini@random",
            "icons, some of which can be held out, but scenes_train contains other",
        ),
        ("torchvision/alexnet@random", "trained here for torchvision/alexnet@random"),
    ],
)
def test_hold_outs_and_networks_that_do_not_fit_are_refused(store, name, words):
    icons = loaded("tiny", "icons50", store)
    with pytest.raises(InputError, match=words):
        networks.classifiers(load_profile("tiny"), read(load_profile("tiny"), [name]), icons, store)


def test_a_training_set_is_verified_and_indexed_once_for_all_networks(monkeypatch):
    profile, pictures, read_in, shown = load_profile("mini"), toys.Swatches(), [], []

    def trained(name, data, **_):
        shown.append((name, data))
        return zoo.Trained(toys.convolutional(name, preprocessing=toys.AS_IS), Curves([1.0], [1.0]))

    monkeypatch.setattr(networks, "image_set", lambda *given: read_in.append(given) or pictures)
    monkeypatch.setattr(networks, "trained", trained)
    both = read(profile, ["resnet18_mini", "alexnet_mini"])
    networks.trained_networks(profile, both, Store(Path("nowhere")))
    assert shown == [("resnet18_mini", pictures), ("alexnet_mini", pictures)]
    assert len(read_in) == 1
