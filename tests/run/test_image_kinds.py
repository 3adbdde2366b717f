"""What more is known of some image sets, and what is said where it is not."""

import numpy as np
import pytest

from robust_lib.cache import Store
from robust_lib.config.profiles import load_profile
from robust_lib.datasets.derived import Subset
from robust_lib.datasets.imagenet_22k import ImageNet22K, Subtypes
from robust_lib.datasets.objects import Objects
from robust_lib.errors import InputError
from robust_lib.miniworld.familiar import FamiliarScenes
from robust_lib.miniworld.scene_set import Scenes
from robust_lib.miniworld.worlds import load_world
from robust_lib.run.image_kinds import (
    as_annotations,
    as_frame_sets,
    as_icons,
    as_layouts,
    as_objects,
    as_scenes,
    subtypes,
)
from robust_lib.run.image_sets import image_set
from tests import miniature, trees
from tests.boxed import Squares
from tests.toys import Swatches, SwatchFrames


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path)


def role(name, store):
    return image_set(load_profile("mini"), name, store)


def test_what_is_made_of_scenes_knows_its_scenes(store):
    candidates = role("candidates_a", store)
    assert as_scenes(candidates) is candidates
    assert as_scenes(Subset(candidates, (3, 1))) is candidates
    assert as_scenes(role("imagenet_val_o", store)).name == "scenes_val"
    assert as_scenes(role("candidates_o", store)).world.name == "scenes_o_strangers"
    for other in ("textures", "blobs"):
        with pytest.raises(InputError, match="Expected rendered scenes with known ground truth"):
            as_scenes(role(other, store))


def test_frames_know_their_sets_and_their_boxes():
    frames = SwatchFrames()
    assert as_frame_sets(frames).frames == frames.ids
    assert [one.label for one in as_annotations(frames)] == frames.labels.tolist()
    with pytest.raises(InputError, match=r"photographs.*objects.*COCO"):
        as_objects(frames)


def test_photographs_know_their_objects():
    box = np.array([[1.0, 2.0, 5.0, 8.0]], np.float32)
    photographs = Squares(count=1, kept=(Objects(64, 64, box, np.array([1])),))
    assert as_objects(photographs) == photographs.annotations
    assert as_objects(Subset(photographs, (0,))) == photographs.annotations
    with pytest.raises(InputError, match="Expected frames of videos, but squares has boxes of"):
        as_annotations(photographs)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (as_frame_sets, "frames of videos, in sets around anchors, but swatches contains single"),
        (as_annotations, "images with boxes, but swatches has none"),
        (as_objects, "images with boxes, but swatches has none"),
        (as_icons, "icons, some of which can be held out, but swatches contains other"),
        (as_scenes, "rendered scenes with known ground truth, but swatches contains other"),
        (as_layouts, "rendered layouts with known ground truth, but swatches contains other"),
    ],
)
def test_single_pictures_and_parts_of_such_sets_are_refused(asked, words):
    for pictures in (Swatches(), Subset(Swatches(), (1, 0))):
        with pytest.raises(InputError, match=words):
            asked(pictures)


def test_subtypes_of_scenes_are_their_drawings_and_of_a_part_the_parts(tmp_path, monkeypatch):
    store = Store(miniature.project(tmp_path, monkeypatch) / "store")
    scenes = Scenes("toys", load_world("toys"), "test", 12, store, size=32)
    shown = subtypes(scenes, store)
    assert shown == tuple(str(scenes.compose(item).drawing) for item in scenes.ids)
    assert subtypes(Subset(scenes, (7, 2)), store) == (shown[7], shown[2])


def test_subtypes_of_photographs_are_their_folders(tmp_path, store):
    pairs = [("n00000001", "n00000002"), ("n00000001", "n00000003")]
    trees.imagenet_22k(tmp_path, pairs, per_synset=4)
    told = Subtypes({"n00000002": 0, "n00000003": 0}, {}, ())
    classes = trees.class_list(["n00000001"])
    given = {"tested": 2, "trained": 2, "name": "toys"}
    images = ImageNet22K(tmp_path / "imagenet22k", classes, told, "seen", **given)
    assert subtypes(images, store) == ("n00000002",) * 2 + ("n00000003",) * 2
    assert subtypes(Subset(images, (3, 0)), store) == ("n00000003", "n00000002")


def test_nobody_knows_the_subtypes_of_other_pictures(store):
    with pytest.raises(InputError, match="Expected rendered scenes"):
        subtypes(Swatches(count=3, side=8), store)


def test_familiar_scenes_play_the_seen_side(store):
    seen, unseen = (role(f"imagenet_22k_{side}", store) for side in ("seen", "unseen"))
    assert isinstance(seen, FamiliarScenes)
    assert not isinstance(unseen, FamiliarScenes)
    assert seen.ids == unseen.ids
    assert (seen.split, unseen.split) == ("train", "test")
