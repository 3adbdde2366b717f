"""The zoo: each network is trained once, kept whole, and found again under all that made it."""

import os

import numpy as np
import pytest
import torch
import yaml

from robust_lib import atomic, paths
from robust_lib.cache import Store, content_key
from robust_lib.config.enhancements import Wrapper
from robust_lib.config.manifests import load_model
from robust_lib.datasets.derived import Subset
from robust_lib.errors import CacheError, InputError, ModelError
from robust_lib.miniworld.scene_set import Scenes
from robust_lib.miniworld.worlds import load_world
from robust_lib.models.contract import check_classifier
from robust_lib.models.enhance import changed
from robust_lib.training import loop, precision, zoo
from robust_lib.training.half_corrupted import corrupted_once
from robust_lib.training.loop import Curves
from robust_lib.training.zoo import pictures, plan, trained, training_set
from tests import miniature


@pytest.fixture
def project(tmp_path, monkeypatch):
    return miniature.project(tmp_path, monkeypatch)


@pytest.fixture
def store(project):
    return Store(project / "store")


@pytest.fixture
def data(store):
    return Scenes("toys", load_world("toys"), "train", 16, store)


@pytest.fixture
def trainings(monkeypatch):
    """Count the trainings: the names of the networks, one entry each."""
    names = []
    train = loop.train

    def counting(*arguments, name, **named):
        names.append(name)
        return train(*arguments, name=name, **named)

    monkeypatch.setattr(zoo, "train", counting)
    return names


def small(data, store, name="small", seed=0, **settings):
    return trained(name, data, seed=seed, store=store, progress=False, **settings)


def key_of(data, name="small", epochs=None, seed=0, **settings):
    """Return the key under which the weights of a network are kept."""
    return content_key(zoo.describe(*zoo.plan(name, epochs), data, seed, **settings))


def entry(data, store):
    """Return where the weights of the small network lie."""
    key = key_of(data)
    return next((store.folder / key[:2]).glob(f"{key}.*.npz"))


def test_a_network_is_trained_for_the_classes_of_its_data(data, store):
    made = small(data, store)
    assert made.model.name == "small"
    assert made.model.outputs == 4
    assert made.model.classes == "toys"
    assert len(made.curves.loss) == len(made.curves.accuracy) == 1
    check_classifier(made.model)


def test_the_second_call_trains_nothing_and_returns_the_same(data, store, trainings):
    assert not store.has(key_of(data))
    first = small(data, store)
    assert store.has(key_of(data))
    again = small(data, Store(store.folder))
    assert trainings == ["small (seed 0)"]
    assert again.model.fingerprint == first.model.fingerprint
    assert again.curves == first.curves
    images = torch.rand(3, 3, 64, 64)
    assert torch.equal(again.model(images), first.model(images))


def test_two_stores_hold_the_same_weights(data, store, project, trainings):
    first = small(data, store)
    other = small(data, Store(project / "other"))
    assert len(trainings) == 2
    assert other.model.fingerprint == first.model.fingerprint


def test_what_decides_the_weights_makes_another_network(data, store, trainings):
    other_data = Scenes("toys", load_world("toys"), "train", 16, store, seed=1)
    made = [
        small(data, store),
        small(data, store, seed=1),
        small(data, store, epochs=2),
        small(other_data, store),
        small(data, store, name="augmented"),
    ]
    assert len(trainings) == 5
    assert len({one.model.fingerprint for one in made}) == 5
    assert len(made[2].curves.loss) == 2
    for kept in (small(data, store, epochs=2), small(data, store, seed=1)):
        assert kept.model.fingerprint in {one.model.fingerprint for one in made}
    assert len(trainings) == 5


def test_asking_for_the_recipes_own_epochs_is_no_change(data, store, trainings):
    small(data, store)
    small(data, store, epochs=1)
    assert len(trainings) == 1
    assert store.has(key_of(data, epochs=1))
    assert not store.has(key_of(data, epochs=3))


def test_the_key_knows_the_code(data, store, monkeypatch):
    before = zoo.describe(*zoo.plan("small"), data, 0)
    monkeypatch.setattr(zoo, "source_digest", lambda *places: "-".join(places))
    after = zoo.describe(*zoo.plan("small"), data, 0)
    assert before | {"code": after["code"]} == after
    for place in ("training.loop", "training.recipes", "training.augment", "models.mini", "seeds"):
        assert place in after["code"]


def test_checkpoints_are_gone_once_the_weights_are_kept(data, store):
    small(data, store)
    assert list((paths.cache() / "checkpoints").iterdir()) == []


def test_what_a_killed_training_left_is_gone_once_the_network_is_read(data, store, monkeypatch):
    with monkeypatch.context() as killed:
        killed.setattr(atomic, "remove", lambda path: None)
        small(data, store)
    (left,) = (paths.cache() / "checkpoints").iterdir()
    torn, live = (left.with_name(f".{left.name}.{one}") for one in ("0123abcd", "4567abcd"))
    torn.touch()
    os.utime(torn, (0, 0))
    live.touch()
    small(data, store)
    assert list(left.parent.iterdir()) == [live]


def test_the_key_knows_what_a_device_computes_with(data, monkeypatch):
    row, recipe = zoo.plan("small")
    mixed = recipe.model_copy(update={"mixed_precision": True})
    has = iter([True, False])
    monkeypatch.setattr(precision, "computes_in_bfloat16", lambda device: next(has))
    told = [zoo.describe(row, one, data, 0)["precision"] for one in (mixed, mixed, recipe)]
    assert told == ["bfloat16", "float32", "float32"]


def test_an_interrupted_training_goes_on(data, store, monkeypatch):
    whole = small(data, Store(store.folder.parent / "other"), epochs=2)
    loss = loop.cross_entropy
    calls = []

    def fail(*arguments, **options):
        calls.append(1)
        if len(calls) == 4:  # two batches an epoch
            raise KeyboardInterrupt
        return loss(*arguments, **options)

    monkeypatch.setattr(loop, "cross_entropy", fail)
    with pytest.raises(KeyboardInterrupt):
        small(data, store, epochs=2)
    assert len(list((paths.cache() / "checkpoints").iterdir())) == 1
    resumed = small(data, store, epochs=2)
    assert len(calls) == 4 + 2
    assert resumed.model.fingerprint == whole.model.fingerprint
    assert resumed.curves == whole.curves


def test_a_model_that_is_not_trained_here_is_refused(data, store):
    assert load_model("given").recipe is None
    with pytest.raises(InputError, match="given has none: it is not trained here"):
        small(data, store, name="given")


def test_an_unknown_model_is_refused(data, store):
    with pytest.raises(InputError, match="augmented, given, small, but got huge"):
        small(data, store, name="huge")


def test_no_epochs_are_refused(data, store):
    with pytest.raises(InputError, match=r"epoch.*0"):
        small(data, store, epochs=0)


def flip_a_byte(file):
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def cut(file):
    file.write_bytes(file.read_bytes()[:-50])


@pytest.mark.parametrize("spoil", [flip_a_byte, cut])
def test_altered_weights_are_refused_and_trained_anew_once_deleted(data, store, trainings, spoil):
    first = small(data, store)
    file = entry(data, store)
    spoil(file)
    with pytest.raises(CacheError, match="to recompute it") as caught:
        small(data, store)
    assert file.name in str(caught.value)
    store.drop(file.name.partition(".")[0])
    again = small(data, store)
    assert len(trainings) == 2
    assert again.model.fingerprint == first.model.fingerprint
    assert small(data, store).model.fingerprint == first.model.fingerprint


def test_weights_lie_in_the_store_as_plain_arrays(data, store):
    made = small(data, store)
    with np.load(entry(data, store), allow_pickle=False) as kept:
        weights = {name: kept[name] for name in kept.files if name.startswith("weight:")}
        assert kept["loss"].tolist() == made.curves.loss
    state = made.model.module.state_dict()
    assert {f"weight:{name}" for name in state} == set(weights)
    assert all(np.array_equal(weights[f"weight:{n}"], v.numpy()) for n, v in state.items())


def test_a_network_trained_with_a_corruption_is_another_one_and_says_so(data, store, trainings):
    plain = small(data, store)
    foggy = small(data, store, corruption="fog")
    snowy = small(data, store, name="augmented", corruption="snow")
    assert trainings == ["small (seed 0)", "small+fog (seed 0)", "augmented+snow (seed 0)"]
    assert (foggy.model.name, snowy.model.name) == ("small+fog", "augmented+snow")
    assert foggy.model.fingerprint != plain.model.fingerprint
    assert store.has(key_of(data, corruption="fog"))
    assert not store.has(key_of(data, corruption="snow"))
    again = small(data, store, corruption="fog")
    assert again.model.fingerprint == foggy.model.fingerprint
    assert len(trainings) == 3


def test_a_corruption_that_there_is_not_is_refused_before_training(data, store, trainings):
    with pytest.raises(InputError, match="fgo"):
        small(data, store, corruption="fgo")
    assert trainings == []


# Adversarial training, and networks that start from others.


@pytest.fixture
def more(project):
    """Rows that start from `small`, and one that is attacked."""
    manifests = project / "data_manifests"
    row = yaml.safe_load((manifests / "models" / "toys.yaml").read_text())["small"]
    other = row | {"arguments": {"family": "alexnet", "width": 3}}
    rows = {
        "attacked": row | {"recipe": "attacked"},
        "derived": row | {"starts_from": "small"},
        "again": row | {"starts_from": "derived"},
        "wider": other | {"starts_from": "small"},
        "stable": row | {"stability": {"noise": 0.1, "weight": 0.5}},
        "stabler": row | {"stability": {"noise": 0.1, "weight": 5.0}},
        "equalised": row | {"wrapper": {"name": "clahe", "arguments": {"tiles": 4}}},
        "tuned": row | {"corrupted_recipe": "attacked"},
        "at_odds": row | {"recipe": "attacked", "stability": {"noise": 0.1, "weight": 0.5}},
    }
    (manifests / "models" / "more.yaml").write_text(yaml.safe_dump(rows))
    recipes = yaml.safe_load((manifests / "recipes.yaml").read_text())
    recipes["attacked"] = recipes["quick"] | {"attack": "fgsm", "epsilon": 0.2}
    (manifests / "recipes.yaml").write_text(yaml.safe_dump(recipes))


def two_classes(data):
    """Return the pictures of the first two classes, in a label space of their own."""
    places = tuple(place for place, label in enumerate(data.labels) if label < 2)
    return TwoClasses(data, places)


class TwoClasses(Subset):
    @property
    def classes(self):
        return "two"

    @property
    def class_names(self):
        return self.base.class_names[:2]


def test_a_network_that_is_attacked_is_another_one_and_its_key_knows_the_attack(
    data, store, more, trainings
):
    plain, hard = small(data, store), small(data, store, name="attacked")
    assert hard.model.fingerprint != plain.model.fingerprint
    assert hard.curves.loss[0] > plain.curves.loss[0]
    assert small(data, store, name="attacked").model.fingerprint == hard.model.fingerprint
    assert trainings == ["small (seed 0)", "attacked (seed 0)"]


def test_only_the_key_of_an_attacked_network_knows_the_attacks_code(data, more, monkeypatch):
    monkeypatch.setattr(zoo, "source_digest", lambda *places: "-".join(places))
    codes = [zoo.describe(*zoo.plan(name), data, 0)["code"] for name in ("small", "attacked")]
    assert ["training.adversarial" in code for code in codes] == [False, True]


def test_enhancements_make_other_networks_and_only_their_keys_know_their_code(
    data, store, more, monkeypatch
):
    names = ("small", "stable", "stabler", "equalised")
    assert len({small(data, store, name=name).model.fingerprint for name in names}) == 4
    monkeypatch.setattr(zoo, "source_digest", lambda *places: "-".join(places))
    codes = [zoo.describe(*zoo.plan(name), data, 0)["code"] for name in names]
    assert ["training.stability" in code for code in codes] == [False, True, True, False]
    assert ["models.enhance" in code for code in codes] == [False, False, False, True]


def test_a_network_behind_a_wrapper_is_trained_on_what_it_will_see(data, store, more, monkeypatch):
    seen = []
    equalised = Wrapper(name="clahe", arguments={"tiles": 4})

    def watching(module, data, recipe, *, augment, **_):
        images = torch.from_numpy(data.pictures[:2]).permute(0, 3, 1, 2).float() / 255
        seen.append((images, augment(images, data.ids[:2], 0)))
        return Curves([1.0], [1.0])

    monkeypatch.setattr(zoo, "train", watching)
    small(data, store, name="equalised")
    ((before, after),) = seen
    assert torch.equal(after, changed(before, equalised))


def test_stability_training_takes_no_recipe_with_an_attack(data, store, more):
    with pytest.raises(InputError, match=r"training.*at_odds.*attacked"):
        small(data, store, name="at_odds")


def test_the_key_knows_what_decides_the_weights_and_not_what_is_said_of_the_model(data):
    row, recipe = zoo.plan("small")
    key = content_key(zoo.describe(row, recipe, data, 0))
    said = row.model_copy(update={"title": "Another title", "licence": "MIT"})
    assert content_key(zoo.describe(said, recipe, data, 0)) == key
    wider = row.model_copy(update={"arguments": row.arguments | {"width": 3}})
    assert content_key(zoo.describe(wider, recipe, data, 0)) != key


def test_a_network_starts_with_anothers_weights_but_for_the_last_layer(
    data, store, more, monkeypatch
):
    start = small(data, store).model
    begun = []
    train = loop.train

    def watching(module, *arguments, **named):
        begun.append({name: value.clone() for name, value in module.state_dict().items()})
        return train(module, *arguments, **named)

    monkeypatch.setattr(zoo, "train", watching)
    made = small(two_classes(data), store, name="derived", start=start)
    base = start.module.state_dict()
    *trunk, weight, bias = begun[0]
    assert all(torch.equal(begun[0][name], base[name]) for name in trunk)
    assert begun[0][weight].shape == (2, base[weight].shape[1])
    assert (begun[0][bias].shape, base[bias].shape) == ((2,), (4,))
    assert made.model.outputs == 2
    trained_on = made.model.module.state_dict()
    assert any(not torch.equal(trained_on[name], base[name]) for name in trunk)
    # The base is what it was.
    assert small(data, store).model.fingerprint == start.fingerprint


def test_a_network_of_the_same_classes_starts_with_the_last_layer_too(
    data, store, more, monkeypatch
):
    start = small(data, store).model
    begun = []
    monkeypatch.setattr(
        zoo,
        "train",
        lambda module, *_, **__: begun.append(dict(module.state_dict())) or Curves([1.0], [1.0]),
    )
    small(data, store, name="derived", start=start)
    base = start.module.state_dict()
    assert all(torch.equal(value, base[name]) for name, value in begun[0].items())


def test_a_recipes_corruption_trains_as_a_named_one_does(data, store, project):
    path = project / "data_manifests" / "recipes.yaml"
    recipes = yaml.safe_load(path.read_text())
    recipes["noisy"] = recipes["quick"] | {"corruption": "gaussian_noise"}
    path.write_text(yaml.safe_dump(recipes))
    models = project / "data_manifests" / "models"
    row = yaml.safe_load((models / "toys.yaml").read_text())["small"]
    (models / "more.yaml").write_text(yaml.safe_dump({"noisy": row | {"recipe": "noisy"}}))
    found, named = small(data, store, name="noisy"), small(data, store, corruption="gaussian_noise")
    assert found.curves == named.curves
    weights, others = (made.model.module.state_dict() for made in (found, named))
    assert all(torch.equal(weights[name], others[name]) for name in weights)
    assert found.curves != small(data, store).curves


def test_a_recipe_may_corrupt_once(data, store, project, monkeypatch):
    path = project / "data_manifests" / "recipes.yaml"
    recipes = yaml.safe_load(path.read_text())
    recipes["noisy"] = recipes["quick"] | {"corruption": "contrast", "corrupted": "once"}
    path.write_text(yaml.safe_dump(recipes))
    models = project / "data_manifests" / "models"
    row = yaml.safe_load((models / "toys.yaml").read_text())["small"]
    (models / "more.yaml").write_text(yaml.safe_dump({"noisy": row | {"recipe": "noisy"}}))
    asked = []

    def caught(module, shown, recipe, *, augment, **_):
        asked.append((shown, augment))
        return Curves([1.0], [1.0])

    monkeypatch.setattr(zoo, "train", caught)
    small(data, store, name="noisy", severities=(2,))
    small(data, store, corruption="contrast", severities=(2,))
    (once, nothing), (anew, augment) = asked
    expected = corrupted_once(once.pictures, data.ids, "contrast", severities=(2,))
    assert np.array_equal(once.corrupted, expected)
    assert (nothing, anew.corrupted) == (None, None)
    assert augment is not None


def test_with_a_corruption_a_network_may_begin_as_its_plain_self(data, store, more, monkeypatch):
    plain = small(data, store, name="tuned")
    begun = []

    def caught(module, shown, recipe, **_):
        state = {name: value.clone() for name, value in module.state_dict().items()}
        begun.append((state, recipe.attack))
        return Curves([1.0], [1.0])

    monkeypatch.setattr(zoo, "train", caught)
    small(data, store, name="tuned", corruption="fog", start=plain.model)
    ((state, attack),) = begun
    assert attack == "fgsm"  # as its recipe for corruptions says
    expected = plain.model.module.state_dict()
    assert all(torch.equal(state[name], expected[name]) for name in expected)
    with pytest.raises(InputError, match="Expected tuned for tuned to start from, but got none"):
        small(data, store, name="tuned", corruption="fog")


def test_what_a_network_starts_from_is_part_of_its_key(data, store, more):
    starts = [small(data, store, seed=seed).model for seed in (0, 1)]
    part = two_classes(data)
    keys = [key_of(part, "derived", start=start) for start in starts]
    assert len(set(keys)) == 2
    first = small(part, store, name="derived", start=starts[0])
    assert store.has(key_of(part, "derived", start=starts[0]))
    assert not store.has(key_of(part, "derived", start=starts[1]))
    second = small(part, store, name="derived", start=starts[1])
    assert first.model.fingerprint != second.model.fingerprint


def test_a_start_that_is_missing_or_not_asked_for_is_refused(data, store, more, trainings):
    start = small(data, store).model
    with pytest.raises(InputError, match="Expected small for derived to start from, but got none"):
        small(two_classes(data), store, name="derived")
    with pytest.raises(InputError, match="Expected no network for small to start from, but got sm"):
        small(data, store, start=start)
    assert trainings == ["small (seed 0)"]


def test_weights_that_do_not_fit_are_refused(data, store, more, trainings):
    start = small(data, store).model
    with pytest.raises(ModelError, match="fit what starts from small, but"):
        small(two_classes(data), store, name="wider", start=start)
    assert trainings == ["small (seed 0)"]


def test_any_image_set_can_be_trained_on(data, store):
    part = Subset(data, tuple(range(0, 16, 2)))
    made = small(part, store)
    assert made.model.outputs == 4
    assert made.model.fingerprint != small(data, store).model.fingerprint


def mapped(monkeypatch):
    """Let every set be too large for memory."""
    monkeypatch.setattr(zoo, "IN_MEMORY", 0)


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
