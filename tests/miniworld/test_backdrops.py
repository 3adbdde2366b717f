"""Backdrops: pictures of no class, alike everywhere, without labels."""

import numpy as np
import pytest

from robust_lib import datasets
from robust_lib.cache import Store
from robust_lib.errors import InputError
from robust_lib.miniworld import backdrops, camera, scenes
from robust_lib.miniworld.backdrops import Backdrops
from robust_lib.miniworld.worlds import load_world
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import UNKNOWN

AS_IS = Preprocessing(None, None)


@pytest.fixture
def store(project):
    return Store(project / "store")


def some(store, kind="places", images=12, **changes):
    settings = {"name": "some", "world": load_world("toys").part("o"), "size": 32} | changes
    return Backdrops(kind=kind, images=images, store=store, **settings)


@pytest.mark.parametrize("kind", backdrops.KINDS)
def test_backdrops_are_an_image_set_without_labels(store, kind):
    data = some(store, kind)
    assert isinstance(data, datasets.ImageSet)
    assert len(data) == len(data.ids) == len(data.pictures) == 12
    assert data.ids[3] == f"{kind}/000003"
    assert set(data.labels.tolist()) == {UNKNOWN}
    assert data.labels.dtype == np.int64
    assert (data.classes, data.class_names) == ("toys_o", ("box", "heart", "flag"))
    assert data.pictures.dtype == np.uint8
    assert data.pictures.shape == (12, 32, 32, 3)
    assert len({picture.tobytes() for picture in data.pictures}) == 12
    assert np.array_equal(data.read(5, AS_IS), data.compose(data.ids[5]))
    assert data.read(5, Preprocessing(20, 16)).shape == (16, 16, 3)


def test_a_smaller_set_is_the_beginning_of_a_larger(store):
    assert np.array_equal(some(store, images=3).pictures, some(store).pictures[:3])


def test_digests_tell_sets_apart(store):
    sets = [
        some(store),
        some(store, "textures"),
        some(store, images=11),
        some(store, seed=1),
        some(store, size=48),
        some(store, world=load_world("toys").part("a")),
    ]
    assert len({data.digest for data in sets}) == 6
    assert some(store, name="other").digest == sets[0].digest


def test_no_class_is_shown(store, monkeypatch):
    drawn = []
    pose = scenes.pose

    def spy(art, place, *arguments, **named):
        drawn.append(art.drawings[place].name)
        return pose(art, place, *arguments, **named)

    monkeypatch.setattr(scenes, "pose", spy)
    _ = some(store, "textures").pictures
    assert drawn == []
    _ = some(store, "places").pictures
    assert set(drawn) == {"triangle", "plus"}
    least, most = backdrops.THINGS
    assert 12 * least <= len(drawn) < 12 * most


def test_textures_repeat_in_both_directions(store, monkeypatch):
    monkeypatch.setattr(camera, "expose", lambda ground, rng: (255 * ground).astype(np.uint8))
    monkeypatch.setattr(backdrops, "REPEATS", (2,))
    for picture in some(store, "textures").pictures:
        assert np.array_equal(picture, picture[::-1])
        assert np.array_equal(picture, picture[:, ::-1])


def test_places_have_a_ground_above_and_another_below(store, monkeypatch):
    """White above, black below, and nothing that lies about."""
    grounds = iter([1.0, 0.0] * 12)
    monkeypatch.setattr(
        scenes, "ground", lambda size, rng: np.full((size, size, 3), next(grounds), np.float32)
    )
    monkeypatch.setattr(camera, "expose", lambda view, rng: (255 * view).astype(np.uint8))
    monkeypatch.setattr(backdrops, "THINGS", (0, 1))
    pictures = some(store).pictures
    assert (pictures[:, :8] == 255).all()
    assert (pictures[:, 21:] == 0).all()
    horizons = (pictures[..., 0, 0] > 127).sum(axis=1) / 32
    assert np.ptp(horizons) > 0.1


@pytest.mark.parametrize(
    ("change", "words"),
    [({"kind": "seas"}, "one of textures, places, but got seas"), ({"images": 0}, "got 0")],
)
def test_what_there_is_not_is_refused(store, change, words):
    with pytest.raises(InputError, match=words):
        some(store, **change)
