"""Scenes: pure functions of an id and a seed, and what they say of themselves is true."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from robust_lib import seeds
from robust_lib.errors import DataError
from robust_lib.miniworld import camera, scenes
from robust_lib.miniworld.icons import Art, Drawing
from tests.miniature import WORLD

IDS = scenes.item_ids(tuple(WORLD["inside"]), "test", 60)


@pytest.fixture(scope="module")
def clutter(art):
    return (*art.of("dot"), *art.of("ring"))


@pytest.fixture(scope="module")
def composed(art, clutter):
    """Sixty scenes, by id."""
    targets = scenes.targets_by_class(art, WORLD["inside"], "test")
    return {item: scenes.compose(item, art, targets[item.split("/")[1]], clutter) for item in IDS}


def same(one, other):
    return np.array_equal(one.picture, other.picture) and (one.drawing, one.box, one.visible) == (
        other.drawing,
        other.box,
        other.visible,
    )


def test_a_scene_is_an_8_bit_picture_that_uses_its_range(composed):
    pictures = np.stack([scene.picture for scene in composed.values()])
    assert pictures.shape == (60, 64, 64, 3)
    assert pictures.dtype == np.uint8
    assert pictures.min() < 10
    assert pictures.max() > 245
    assert 80 < pictures.mean() < 175
    assert min(picture.std() for picture in pictures) > 5  # none is empty


def test_scenes_do_not_depend_on_order(art, clutter, composed):
    targets = scenes.targets_by_class(art, WORLD["inside"], "test")
    for item in reversed(IDS[::5]):
        again = scenes.compose(item, art, targets[item.split("/")[1]], clutter)
        assert same(again, composed[item])


OTHER_PROCESS = """
import sys
from pathlib import Path
import numpy as np
from robust_lib.miniworld import icons, scenes
from tests import miniature
folder = Path(sys.argv[1])
art = icons.load(miniature.packages(folder), miniature.SHAPES, size=64)
targets = scenes.targets_by_class(art, miniature.WORLD["inside"], "test")["box"]
clutter = (*art.of("dot"), *art.of("ring"))
np.save(folder / "scene.npy", scenes.compose("test/box/000001", art, targets, clutter).picture)
"""


def test_scenes_do_not_depend_on_the_process(tmp_path, composed):
    root = Path(__file__).parents[2]
    subprocess.run(
        [sys.executable, "-c", OTHER_PROCESS, str(tmp_path)],
        check=True,
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root), "PYTHONHASHSEED": "7"},
    )
    assert np.array_equal(np.load(tmp_path / "scene.npy"), composed["test/box/000001"].picture)


def test_seeds_and_ids_give_other_scenes(art, clutter, composed):
    item = IDS[0]
    targets = art.of("ball")
    pictures = [
        scenes.compose(item, art, targets, clutter, seed=seed).picture.tobytes()
        for seed in range(4)
    ]
    assert len(set(pictures)) == 4
    assert len({scene.picture.tobytes() for scene in composed.values()}) == 60


def test_each_scene_is_photographed_in_its_own_way(art, clutter, monkeypatch):
    draws = []

    def expose(scene, rng):
        draws.append(rng.random())
        return np.zeros((64, 64, 3), np.uint8)

    monkeypatch.setattr(camera, "expose", expose)
    for item, seed in (("a/b/1", 0), ("a/b/2", 0), ("a/b/1", 1), ("a/b/1", 0)):
        scenes.compose(item, art, art.of("ball"), clutter, seed=seed)
    assert len(set(draws)) == 3
    assert draws[0] == draws[3]


def plain_recipe(item, art, targets, clutter):
    """A scene that knows of no difficulty: one ground, things behind, the target, one in front."""
    rng = seeds.generator(0, item, "scene")
    picture = scenes.ground(64, rng)

    def thing(places, scale, spread):
        return scenes.pose(art, int(rng.choice(places)), 64, rng, scale=scale, spread=spread)

    for _ in range(rng.integers(0, 3)):
        picture = scenes.over(picture, thing(clutter, (0.18, 0.38), 0.48)[0])
    layer, _ = thing(targets, scenes.TARGET, 0.12)
    picture = scenes.over(scenes.shade(picture, layer, rng), layer)
    if rng.random() < 0.15:
        picture = scenes.over(picture, thing(clutter, (0.15, 0.3), 0.45)[0])
    return camera.expose(picture, seeds.generator(0, item, "camera"))


def test_without_difficulty_a_scene_is_that_of_the_plain_recipe(art, clutter, composed):
    """To the last bit: networks are trained on these, and a harder world must not change them."""
    targets = scenes.targets_by_class(art, WORLD["inside"], "test")
    for item, scene in composed.items():
        expected = plain_recipe(item, art, targets[item.split("/")[1]], clutter)
        assert np.array_equal(scene.picture, expected)
        assert scene.difficulty == 0


def harder(art, clutter, difficulty, count=80):
    return [
        scenes.compose(f"a/b/{n}", art, art.of("square-box"), clutter, difficulty=difficulty)
        for n in range(count)
    ]


def test_a_harder_scene_shows_the_same_thing_smaller_and_more_covered(art, clutter):
    levels = [harder(art, clutter, difficulty) for difficulty in (0.0, 0.3, 0.6, 1.0)]
    drawn = [[scene.drawing for scene in level] for level in levels]
    assert drawn[0] == drawn[1] == drawn[2] == drawn[3]
    visible = [np.mean([scene.visible for scene in level]) for level in levels]
    assert visible == sorted(visible, reverse=True)
    assert 0.5 < visible[3] < visible[0] - 0.02  # dots and rings cover little
    sides = [
        np.median([max(s.box[2] - s.box[0], s.box[3] - s.box[1]) for s in level])
        for level in levels
    ]
    assert sides == sorted(sides, reverse=True)
    assert 0.35 < sides[3] / sides[0] < 0.6  # it loses `SMALLER`


def test_a_harder_scene_has_more_lying_about(monkeypatch):
    """Target transparent, all else red: what is red is clutter."""
    bare(monkeypatch)
    art = solid(0, 255)
    red = [
        np.mean(
            [
                scenes.compose(f"a/b/{n}", art, [0], [1], difficulty=difficulty).picture[..., 0]
                for n in range(80)
            ]
        )
        for difficulty in (0.0, 0.3, 0.6, 1.0)
    ]
    assert red == sorted(red)
    assert red[3] > 2.5 * red[0]


def test_coloured_light_gains_by_a_factor_a_channel_and_never_glows():
    layer = np.zeros((4, 4, 4), np.float32)
    layer[:2] = (0.2, 0.2, 0.2, 0.5)
    same = scenes.lit(layer, seeds.generator(0), 0.0)
    assert np.array_equal(same, layer)
    gains = []
    for number in range(400):
        coloured = scenes.lit(layer, seeds.generator(number), 0.3)
        assert np.array_equal(coloured[..., 3], layer[..., 3])
        assert (coloured[..., :3] <= layer[..., 3:] + 1e-6).all()
        gains.append(coloured[0, 0, :3] / 0.2)
    logs = np.log(gains)
    assert logs.mean() == pytest.approx(0, abs=0.03)
    assert logs.std() == pytest.approx(0.3, rel=0.1)
    assert abs(np.corrcoef(logs.T)[0, 1]) < 0.15  # a colour, not a brightness


def test_a_scene_tells_its_contrast(art, clutter, composed):
    told = [scene.contrast for scene in composed.values()]
    assert 0 < min(told) < np.median(told) < max(told) < 1


def test_sizes(art, clutter):
    for size in (32, 96):
        scene = scenes.compose("a/b/1", art, art.of("ball"), clutter, size=size)
        assert scene.picture.shape == (size, size, 3)
        assert max(scene.box) > size / 2


def test_every_target_and_every_clutter_is_shown_at_some_time(art, composed):
    shown = Counter(scene.drawing for scene in composed.values())
    allowed = scenes.targets_by_class(art, WORLD["inside"], "test")
    assert set(shown) == {art.drawings[place] for places in allowed.values() for place in places}


def solid(*alphas):
    """Art of uniform squares: nearly all of each icon's frame is covered."""
    rgba = np.zeros((len(alphas), 64, 64, 4), np.uint8)
    rgba[:, 8:56, 8:56, 3] = np.array(alphas)[:, None, None]
    rgba[:, 8:56, 8:56, 0] = 255
    return Art(tuple(Drawing("solid", str(i)) for i in range(len(alphas))), rgba)


def bare(monkeypatch):
    """Take away the camera, the ground and the shadow, so that a picture shows layers alone."""
    monkeypatch.setattr(scenes, "ground", lambda size, rng: np.zeros((size, size, 3), np.float32))
    monkeypatch.setattr(scenes, "shade", lambda scene, layer, rng: scene)
    monkeypatch.setattr(camera, "expose", lambda scene, rng: (scene > 0.3).astype(np.uint8))


def test_the_box_is_that_of_the_targets_visible_pixels(monkeypatch):
    """With clutter that is transparent, all that can be seen is the target."""
    bare(monkeypatch)
    art = solid(255, 0)
    for number in range(40):
        scene = scenes.compose(f"a/b/{number}", art, [0], [1])
        rows, columns = np.nonzero(scene.picture[..., 0])
        left, top, right, bottom = scene.box
        found = (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
        assert np.abs(np.subtract(found, scene.box)).max() <= 1
        assert 0 <= left < right <= 64
        assert 0 <= top < bottom <= 64
        assert scene.drawing == art.drawings[0]


def test_visible_is_what_neither_clutter_covers_nor_the_frame_cuts_off(monkeypatch):
    """The target alone is red: its visible pixels can be counted."""
    bare(monkeypatch)
    art = solid(255, 255)
    art.rgba[1, ..., 0] = 0  # opaque and black
    counted, told = [], []
    for number in range(120):
        item = f"a/b/{number}"
        scene = scenes.compose(item, art, [0], [1])
        counted.append((scene.picture[..., 0] > 0).sum())
        told.append(scene.visible)
    told = np.array(told)
    assert told.min() < 0.97  # something is covered in some
    assert (told > 0.999).mean() > 0.5
    areas = np.array(counted) / told  # the whole target's, on a picture without a frame
    least, most = (48 * side for side in scenes.TARGET)  # the art fills 48 of its 64 pixels
    assert areas.min() > 0.8 * least**2 * 0.85
    assert areas.max() < 1.1 * most**2 * 1.15


def test_a_target_that_the_frame_cuts_off_is_less_visible(art, monkeypatch, clutter):
    pose = scenes.pose

    def push(*arguments, **named):
        """Pose as ever, at a place that is half outside."""
        layer, whole = pose(*arguments, **named)
        return np.concatenate([layer[:, 32:], np.zeros_like(layer[:, :32])], 1), whole

    item = "test/box/000001"
    whole = scenes.compose(item, art, art.of("square-box"), clutter)
    monkeypatch.setattr(scenes, "pose", push)
    cut = scenes.compose(item, art, art.of("square-box"), clutter)
    assert whole.visible > 0.9
    assert 0.25 < cut.visible < 0.75  # half, and the target is not quite in the middle


def test_a_target_that_cannot_be_seen_has_an_empty_box():
    scene = scenes.compose("a/b/0", solid(0, 0), [0], [1])
    assert scene.box == (0.0, 0.0, 0.0, 0.0)
    assert scene.visible == 0


def test_premultiplied_layers_lie_over_the_ground():
    scene = np.full((1, 1, 3), 0.5, np.float32)
    layer = np.array([[[0.2, 0.0, 0.1, 0.4]]], np.float32)
    np.testing.assert_allclose(scenes.over(scene, layer)[0, 0], [0.5, 0.3, 0.4], atol=1e-6)


def test_grounds_are_muted_textures_in_range():
    grounds = np.stack([scenes.ground(64, seeds.generator(i)) for i in range(40)])
    assert grounds.dtype == np.float32
    assert grounds.min() >= -1e-6
    assert grounds.max() <= 1 + 1e-6
    assert np.ptp(grounds.mean((1, 2, 3))) > 0.4  # dark and light ones
    assert grounds.std((1, 2)).mean() > 0.02
    colour = np.ptp(grounds.mean((1, 2)), axis=1)
    assert np.median(colour) < 0.35


def test_poses_vary_and_keep_to_their_scale(art):
    place = art.of("square-box")[0]
    areas = []
    for number in range(50):
        rng = seeds.generator(number)
        layer, whole = scenes.pose(art, place, 64, rng, scale=(0.5, 0.5), spread=0.0)
        assert layer.shape == (64, 64, 4)
        assert layer.min() >= 0
        assert layer.max() <= 1
        assert layer[..., 3].sum() == pytest.approx(whole, rel=0.03)
        areas.append(whole)
    own = (0.5 * 48) ** 2  # the box fills 48 of the icon's 64 pixels
    assert 0.8 * own < min(areas) < max(areas) < 1.2 * own
    assert np.ptp(areas) > 0.1 * own


def test_train_and_test_share_no_drawing_and_hands_stay_together(art):
    def twins(places):
        drawn = (art.drawings[place] for place in places)
        return {(drawing.hand, drawing.name.replace("-", "")) for drawing in drawn}

    for names in WORLD["inside"].values():
        train, test = (scenes.split_drawings(art, names, split) for split in ("train", "test"))
        assert train
        assert test
        assert not set(train) & set(test)
        assert sorted(train + test) == sorted(p for name in names for p in art.of(name))
        assert not twins(train) & twins(test)


def test_the_share_held_out_is_that_of_the_constant():
    drawings = tuple(Drawing(f"set{i}", "bell") for i in range(48))
    art = Art(drawings, np.zeros((48, 8, 8, 4), np.uint8))
    held = scenes.split_drawings(art, ["bell"], "test")
    assert len(held) == round(48 * scenes.HELD_OUT)


def test_the_most_typical_drawings_are_held_out():
    """Squares of growing size: the middle ones are least far from the others."""
    rgba = np.zeros((9, 64, 64, 4), np.uint8)
    for size, icon in enumerate(rgba):
        icon[: 7 * size, : 7 * size] = 255
    drawings = tuple(Drawing(f"set{i}", "bell") for i in range(9))
    shuffled = np.random.default_rng(0).permutation(9)
    art = Art(tuple(drawings[i] for i in shuffled), rgba[shuffled])
    (held,) = scenes.split_drawings(art, ["bell"], "test")
    areas = (7.0 * np.arange(9)) ** 2
    distances = np.sqrt(abs(areas[:, None] - areas[None])).mean(1)
    assert shuffled[held] == distances.argmin()


def test_a_hands_versions_count_as_one_and_lie_as_near_as_the_nearer():
    """Two versions by one hand: the flat one is typical, so both are held out."""
    rgba = np.zeros((4, 64, 64, 4), np.uint8)
    rgba[:3, 16:48, 16:48] = 200
    rgba[1, 16:48, 16:48] = 210
    rgba[2, 16:48, 16:48] = 190
    rgba[3] = 255
    sets = ("fluent-emoji-flat", "noto", "twemoji", "fluent-emoji")
    art = Art(tuple(Drawing(own, "bell") for own in sets), rgba)
    assert scenes.split_drawings(art, ["bell"], "test") == (0, 3)


@pytest.mark.parametrize("split", ["train", "test"])
def test_a_class_that_one_hand_drew_cannot_be_split(split):
    drawings = (Drawing("fluent-emoji", "bell"), Drawing("fluent-emoji-flat", "bell"))
    art = Art(drawings, np.zeros((2, 8, 8, 4), np.uint8))
    if split == "test":
        assert scenes.split_drawings(art, ["bell"], split) == (0, 1)
        return
    with pytest.raises(DataError, match="bell by two hands or more"):
        scenes.split_drawings(art, ["bell"], split)


def test_any_split_has_all_drawings(art):
    every = scenes.split_drawings(art, ["dot", "ring"], "any")
    assert every == (*art.of("dot"), *art.of("ring"))


def test_ids_go_through_the_classes_in_turn():
    ids = scenes.item_ids(("a", "b", "c"), "train", 7)
    assert ids[:4] == ("train/a/000000", "train/b/000001", "train/c/000002", "train/a/000003")
    assert len(set(ids)) == 7
    assert scenes.item_ids(("a", "b", "c"), "train", 5) == ids[:5]
