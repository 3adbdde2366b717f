"""Review: the generator's truth decides, by three limits."""

from dataclasses import replace

import pytest

from robust_lib.cache import Store
from robust_lib.errors import InputError
from robust_lib.miniworld.review import CONTRAST, PROMINENCE, VISIBLE, hardness, reviewed
from robust_lib.miniworld.scene_set import Scenes
from robust_lib.miniworld.worlds import load_world


@pytest.fixture
def images(project):
    store = Store(project / "store")
    return Scenes("hard", load_world("toys"), "test", 60, store, size=32, difficulty=(0.0, 1.0))


def test_fair_scenes_are_kept_and_the_others_dropped(images):
    verdicts = reviewed(images, images.ids)
    assert tuple(verdicts) == images.ids
    assert set(verdicts.values()) == {"keep", "drop"}
    for item, verdict in verdicts.items():
        scene = images.compose(item)
        fair = scene.visible >= VISIBLE and scene.contrast >= CONTRAST
        fair = fair and scene.prominence >= PROMINENCE
        assert verdict == ("keep" if fair else "drop")


def test_each_limit_drops_by_itself(images):
    def kept(**limits):
        none = {"visible": 0.0, "contrast": 0.0, "prominence": 0.0}
        verdicts = reviewed(images, images.ids, **none | limits)
        return {item for item, verdict in verdicts.items() if verdict == "keep"}

    assert kept() == set(images.ids)
    seen, bright, apart = kept(visible=0.8), kept(contrast=0.2), kept(prominence=0.5)
    assert len({frozenset(one) for one in (seen, bright, apart)} - {frozenset()}) == 3
    assert kept(visible=0.8, contrast=0.2) == seen & bright
    assert kept(visible=0.8, contrast=0.2, prominence=0.5) == seen & bright & apart
    assert kept(visible=1.0, contrast=1.0) == set()


def test_what_is_buried_is_dropped_though_it_is_whole_and_bright(images, monkeypatch):
    scene = images.compose(images.ids[0])
    for prominence, verdict in ((0.39, "drop"), (0.41, "keep")):
        known = replace(scene, visible=1.0, contrast=0.9, prominence=prominence)
        monkeypatch.setattr(Scenes, "compose", lambda *_, known=known: known)
        assert reviewed(images, images.ids[:1]) == {images.ids[0]: verdict}


def test_some_ids_may_be_asked_for_and_no_others(images):
    assert set(reviewed(images, images.ids[3:5])) == set(images.ids[3:5])
    assert reviewed(images, ()) == {}
    with pytest.raises(InputError, match=r"ids.*hard.*test/moon/000001"):
        reviewed(images, ("test/moon/000001",))


@pytest.mark.parametrize("limits", [{"visible": 1.2}, {"contrast": -0.1}, {"prominence": 2.0}])
def test_limits_are_fractions(images, limits):
    with pytest.raises(InputError, match=r"visible.*prominence between 0.*1"):
        reviewed(images, images.ids, **limits)


def test_hardness_is_what_the_composed_scene_tells(images):
    for item in images.ids[:5]:
        assert hardness(images, item) == images.compose(item).difficulty
