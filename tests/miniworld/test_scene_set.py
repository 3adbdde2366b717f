"""Scenes as an image set: composed once, a smaller set the beginning of a larger, keys complete."""

import json

import numpy as np
import pytest

from robust_lib import datasets
from robust_lib.cache import Store
from robust_lib.errors import DataError, InputError, ManifestError
from robust_lib.miniworld import icons, scene_set, scenes, worlds
from robust_lib.miniworld.scene_set import Scenes
from robust_lib.miniworld.worlds import load_world
from robust_lib.preprocessing import Preprocessing
from tests.miniature import SETS, WORLD

AS_IS = Preprocessing(None, None)


@pytest.fixture
def store(project):
    return Store(project / "store")


def toys(store, split="test", images=12, **changes):
    settings = {"name": "toys", "world": load_world("toys"), "size": 32} | changes
    return Scenes(split=split, images=images, store=store, **settings)


def test_scenes_are_an_image_set(store):
    data = toys(store)
    assert isinstance(data, datasets.ImageSet)
    assert len(data) == len(data.ids) == len(data.labels) == 12
    assert data.classes == "toys"
    assert data.class_names == tuple(WORLD["inside"])
    assert data.labels.dtype == np.int64
    for name, label in zip(data.ids, data.labels, strict=True):
        split, shown, _ = name.split("/")
        assert (split, shown) == ("test", data.class_names[label])


def test_pictures_are_those_that_the_ids_compose(store):
    data = toys(store)
    assert data.pictures.shape == (12, 32, 32, 3)
    assert data.pictures.dtype == np.uint8
    for index in (0, 5, 11):
        composed = data.compose(data.ids[index])
        assert np.array_equal(data.pictures[index], composed.picture)
        assert np.array_equal(data.read(index, AS_IS), composed.picture)
        shown = composed.drawing.name.replace("-", "")
        allowed = WORLD["inside"][data.class_names[data.labels[index]]]
        assert shown in {name.replace("-", "") for name in allowed}


def test_pictures_are_resized_and_cropped_as_asked(store):
    data = toys(store)
    assert data.read(0, Preprocessing(20, 16)).shape == (16, 16, 3)
    batch = datasets.batch(data, [3, 1], AS_IS)
    assert batch.shape == (2, 3, 32, 32)
    assert 0 <= batch.min() < batch.max() <= 1


def test_a_smaller_set_is_the_beginning_of_a_larger(store):
    small, large = toys(store, images=5), toys(store, images=12)
    assert small.ids == large.ids[:5]
    assert np.array_equal(small.labels, large.labels[:5])
    assert np.array_equal(small.pictures, large.pictures[:5])


def test_the_splits_share_no_picture_and_no_drawing(store):
    train, test = toys(store, "train", 24), toys(store, "test", 24)
    assert not set(train.ids) & set(test.ids)
    drawn = [{data.compose(name).drawing for name in data.ids} for data in (train, test)]
    assert not drawn[0] & drawn[1]


@pytest.mark.parametrize("strange", [False, True])
def test_clutter_is_no_class_and_nothing_foreign(store, strange):
    world = load_world("toys")
    data = toys(store, world=world.strangers() if strange else world)
    assert {data.art.drawings[place].name for place in data._clutter} == {"triangle", "plus"}


def test_a_world_without_clutter_has_no_scenes(store):
    with pytest.raises(InputError, match="Expected toys to have things that lie about"):
        toys(store, world=load_world("toys").model_copy(update={"clutter": {}}))


def test_no_training_scene_shows_a_foreign_thing(store, monkeypatch):
    """Whatever is drawn into a scene is noted: targets and clutter, and nothing else."""
    drawn = []
    pose = scenes.pose
    monkeypatch.setattr(
        scenes, "pose", lambda art, place, *a, **k: drawn.append(place) or pose(art, place, *a, **k)
    )
    data = toys(store, "train", 40, difficulty=(0.0, 1.0))
    for item in data.ids:
        data.compose(item)
    names = {data.art.drawings[place].name for place in drawn}
    assert {"triangle", "plus"} < names
    assert not names & {"dot", "ring"}


def test_pictures_are_composed_once(store, monkeypatch):
    first = toys(store).pictures

    def refuse(*_, **__):
        raise AssertionError("composed again")

    monkeypatch.setattr(scenes, "compose", refuse)
    monkeypatch.setattr(icons, "load", refuse)
    assert np.array_equal(toys(store).pictures, first)
    with pytest.raises(AssertionError, match="composed again"):
        _ = toys(store, seed=1).pictures


def test_another_store_composes_the_same(store, project):
    assert np.array_equal(toys(store).pictures, toys(Store(project / "other")).pictures)


def test_the_digest_knows_what_decides_the_pictures(store):
    base = toys(store)
    others = [
        toys(store, seed=1),
        toys(store, images=13),
        toys(store, split="train"),
        toys(store, size=48),
        toys(store, pool="candidate"),
        toys(store, difficulty=(0.0, 0.5)),
        toys(store, world=world(inside={**WORLD["inside"], "heart": ["red-heart"]})),
        toys(store, world=world(outside={"dot": ["dot"]})),
        toys(store, world=world(inside=dict(reversed(WORLD["inside"].items())))),
    ]
    assert len({base.digest, *(other.digest for other in others)}) == 10
    assert toys(store).digest == base.digest


def test_the_digest_does_not_know_the_prose(store, project):
    base = toys(store).digest
    assert toys(store, world=world(title="Figures", source="someone")).digest == base
    assert toys(store, name="another name").digest == base
    assert toys(Store(project / "elsewhere")).digest == base


def test_the_digest_knows_the_packages_and_the_code(store, project, monkeypatch):
    before = toys(store).digest
    monkeypatch.setattr(scene_set, "source_digest", lambda *places: "-".join(places))
    code = toys(store).digest
    manifest = project / "data_manifests" / "datasets" / "icons.yaml"
    text = manifest.read_text()
    first = text.index("sha512-") + len("sha512-")
    manifest.write_text(f"{text[:first]}{'A' * 86}{text[first + 86 :]}")
    assert len({before, code, toys(store).digest}) == 3


def world(**changes):
    return worlds.World.model_validate(WORLD | {"subsets": {}} | changes)


@pytest.mark.parametrize("images", [0, 3])
def test_less_than_a_scene_a_class_is_refused(store, images):
    with pytest.raises(InputError, match=rf"one scene a class \(4\), but got a limit of {images}"):
        toys(store, images=images)


def test_a_split_that_there_is_not_is_refused(store):
    """The data set's manifest says it, so it may be mistyped."""
    from tests.toys import unchecked

    with unchecked(), pytest.raises(InputError, match="train, test, any, but got val"):
        toys(store, split="val")


def test_seeds_pose_other_scenes_of_the_same_drawings(store):
    one, other = toys(store), toys(store, seed=1)
    assert one.ids == other.ids
    assert not (one.pictures == other.pictures).all(axis=(1, 2, 3)).any()
    assert one._targets == other._targets


def test_a_pool_of_its_own_has_other_ids_and_other_scenes(store):
    test, pool = toys(store), toys(store, pool="candidate")
    assert pool.ids[5] == "candidate/box/000005"
    assert not (test.pictures == pool.pictures).all(axis=(1, 2, 3)).any()
    assert test._targets == pool._targets


def test_difficulties_lie_between_the_two_and_belong_to_the_ids(store):
    data = toys(store, images=60, difficulty=(0.2, 0.5))
    told = [data.compose(name).difficulty for name in data.ids]
    assert 0.2 <= min(told) < 0.23
    assert 0.47 < max(told) <= 0.5
    assert len(set(told)) == 60
    assert told[:8] == [
        scene.difficulty for scene in map(toys(store, difficulty=(0.2, 0.5)).compose, data.ids[:8])
    ]
    assert {toys(store).compose(name).difficulty for name in data.ids[:8]} == {0.0}


@pytest.mark.parametrize("difficulty", [(-0.1, 0.5), (0.5, 0.1), (0.0, 1.1)])
def test_a_difficulty_that_there_is_not_is_refused(store, difficulty):
    with pytest.raises(InputError, match=r"difficulty between 0.*1"):
        toys(store, difficulty=difficulty)


def test_strangers_are_shown_among_the_clutter_of_the_classes(store):
    data = toys(store, world=load_world("toys").strangers(), split="any", pool="stranger")
    assert data.class_names == ("dot", "ring")
    assert data.ids[0] == "stranger/dot/000000"
    assert len(data._clutter) == len(toys(store)._clutter) == 8
    shown = {data.compose(name).drawing.name for name in data.ids[::2]}
    assert shown == {"dot"}
    assert len(data._targets["dot"]) == 3  # of four sets, one hides it


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"inside": {}, "subsets": {}}, "key 'inside'"),
        ({"outside": {}}, "key 'outside'"),
        ({"outside": {"ball": ["ball"]}}, "the icons ball stand in two places"),
        ({"clutter": {"point": ["dot"]}}, "the icons dot stand in two places"),
        ({"clutter": {"dot": ["plus"]}}, "the clutter dot stands inside or outside, too"),
        ({"outside": {"box": ["squarebox"]}}, "the icons squarebox stand in two places"),
        ({"colour": "red"}, "unknown key 'colour'"),
    ],
)
def test_a_wrong_world_is_refused(project, change, words):
    path = project / "data_manifests" / "worlds" / "toys.yaml"
    path.write_text(json.dumps(WORLD | change))
    with pytest.raises(ManifestError) as caught:
        load_world("toys")
    assert f"{path}:1: " in str(caught.value)
    assert words in str(caught.value).replace("square-box", "squarebox")


def test_a_world_that_there_is_not_is_refused(project):
    with pytest.raises(DataError, match=r"worlds/moon\.yaml"):
        load_world("moon")


def test_an_icon_that_no_package_has_is_refused(store):
    data = toys(store, world=world(outside={"unicorn": ["unicorn"]}))
    with pytest.raises(DataError, match="icons named unicorn"):
        _ = data.pictures


def test_a_world_lists_its_icons(project):
    assert set(load_world("toys").icon_names) == {
        "ball", "square-box", "red-heart", "blue-heart", "flag", "dot", "ring", "triangle", "plus",
    }  # fmt: skip
    assert len(SETS) == 4


def test_every_other_class_is_a_world_of_its_own(store):
    world = load_world("toys")
    half = world.every(2)
    assert list(half.inside) == list(world.inside)[::2]
    assert half.name == "toys_every_2"
    assert half.outside == world.outside
    assert world.every(1) is world
    scenes = Scenes("toys", half, "test", 4, store, size=48)
    assert scenes.class_names == tuple(half.inside)
    assert scenes.pictures.shape == (4, 48, 48, 3)
