"""Review: the generator's truth decides, by three limits."""

import pytest

from robust_lib.cache import Store
from robust_lib.errors import InputError
from robust_lib.miniworld.review import CONTRAST, SHARE, VISIBLE, hardness, reviewed
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
        seen = scene.visible >= VISIBLE and scene.contrast >= CONTRAST
        fair = seen and scene.share >= SHARE
        assert verdict == ("keep" if fair else "drop")


def test_each_limit_drops_by_itself(images):
    def kept(**limits):
        verdicts = reviewed(images, images.ids, **limits)
        return {item for item, verdict in verdicts.items() if verdict == "keep"}

    none = {"visible": 0.0, "contrast": 0.0, "share": 0.0}
    assert kept(**none) == set(images.ids)
    seen, bright, first = (
        kept(**none | limit) for limit in ({"visible": 0.8}, {"contrast": 0.2}, {"share": 0.6})
    )
    assert seen
    assert bright
    assert first
    assert len({frozenset(one) for one in (seen, bright, first)}) == 3
    assert kept(visible=0.8, contrast=0.2, share=0.6) == seen & bright & first
    assert kept(visible=1.0, contrast=1.0, share=1.0) == set()


def test_some_ids_may_be_asked_for_and_no_others(images):
    assert set(reviewed(images, images.ids[3:5])) == set(images.ids[3:5])
    assert reviewed(images, ()) == {}
    with pytest.raises(InputError, match="Expected ids of hard, but got test/moon/000001"):
        reviewed(images, ("test/moon/000001",))


@pytest.mark.parametrize("limits", [{"visible": 1.2}, {"contrast": -0.1}, {"share": 2.0}])
def test_limits_are_fractions(images, limits):
    with pytest.raises(InputError, match=f"0 and 1, but got .* for {next(iter(limits))}"):
        reviewed(images, images.ids, **limits)


def test_hardness_is_what_the_composed_scene_tells(images):
    for item in images.ids[:5]:
        assert hardness(images, item) == images.compose(item).difficulty
