import numpy as np
import pytest

from robust_lib.cache import Store
from robust_lib.miniworld.familiar import FamiliarScenes, drawings, familiar
from robust_lib.miniworld.scene_set import Scenes
from robust_lib.miniworld.scenes import split_drawings
from robust_lib.miniworld.worlds import load_world


@pytest.fixture
def store(project):
    return Store(project / "store")


def made(kind, store, split, **changes):
    given = {"images": 24, "size": 32, "pool": "subtypes"} | changes
    return kind("toys", load_world("toys"), split, store=store, **given)


def test_familiar_drawings_were_in_training_and_are_the_next_most_typical(store):
    scenes = made(FamiliarScenes, store, "train")
    art = scenes.art
    for names in scenes.world.inside.values():
        shown = split_drawings(art, names, "train")
        found = familiar(art, names)
        assert set(found) <= set(shown)
        assert not set(found) & set(split_drawings(art, names, "test"))
    # Of flat shapes in three colours the one in the middle is held out, then any: but not both.
    assert len(familiar(art, ["ball"])) < len(split_drawings(art, ["ball"], "train"))


def test_scenes_show_familiar_drawings_alone(store):
    scenes = made(FamiliarScenes, store, "train")
    art = scenes.art
    shown = drawings(scenes, store)
    for label, one in zip(scenes.labels, shown, strict=True):
        names = list(scenes.world.inside.values())[label]
        assert one in {str(art.drawings[place]) for place in familiar(art, names)}


def test_the_two_sets_differ_in_digest_and_pictures_but_not_in_ids(store):
    seen, unseen = made(FamiliarScenes, store, "train"), made(Scenes, store, "test")
    plain = made(Scenes, store, "train")
    assert len({seen.digest, unseen.digest, plain.digest}) == 3
    assert seen.ids == unseen.ids
    assert not set(drawings(seen, store)) & set(drawings(unseen, store))
    assert not np.array_equal(seen.pictures, unseen.pictures)


def test_drawings_are_found_once_and_kept(store, monkeypatch):
    scenes = made(Scenes, store, "test")
    first = drawings(scenes, store)
    assert first == tuple(str(scenes.compose(item).drawing) for item in scenes.ids)
    monkeypatch.setattr(Scenes, "compose", None)
    assert drawings(scenes, store) == first
