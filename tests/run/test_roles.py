"""What is known of a role before its images are read; with images, see `test_image_sets`."""

import pytest

from robust_lib.config.class_lists import load_classes
from robust_lib.config.manifests import load_dataset
from robust_lib.config.profiles import changed, load_profile
from robust_lib.datasets.synthetic import Synthetic
from robust_lib.datasets.user_folder import image_folder
from robust_lib.run import roles
from robust_lib.run.roles import (
    VIDEO_BOXES,
    described,
    is_labelled,
    is_there,
    kind,
    label_space,
    title,
    with_edition,
    world_of,
)
from tests import trees


@pytest.mark.parametrize("role", ["coco_train", "coco_val", "openimages", "nao"])
def test_photographs_are_of_cocos_classes_and_some_of_none(role):
    full = load_profile("full")
    assert label_space(full, role) == load_classes("coco")
    assert not is_labelled(full, role)


def test_candidates_lend_their_classes():
    mini = load_profile("mini")
    assert label_space(mini, "imagenet_a") == label_space(mini, "candidates_a")
    assert is_labelled(mini, "imagenet_a")
    assert not is_labelled(mini, "imagenet_o")


def test_a_role_has_the_kind_of_its_data_set():
    mini = load_profile("mini")
    users = mini.model_copy(update={"data": {"nao": "folder:mine"}})
    assert kind(mini, "nao") == "filtered_objects"
    assert kind(users, "nao") is kind(users, "imagenet_val") is None


def test_a_world_may_be_a_part_of_one():
    options = load_dataset("scenes_val").options
    whole, tenth = world_of(options), world_of(options | {"every": 10})
    assert set(tenth.inside) < set(whole.inside)
    assert label_space(load_profile("mini"), "imagenet_val").names == tuple(whole.inside)


def test_a_run_is_told_in_words():
    profile = changed(load_profile("mini"), seeds=[0, 1], limit=3)
    images = Synthetic("noise", "blobs", 4, 32, "pets", ("cat", "dog"))
    told = described(profile, "imagenet_val", images)
    assert told == "miniature on icon art, 2 classes, 3 scenes, 2 seeds"
    assert title("nao") == "Natural Adversarial Objects"
    assert title("folder:a/b") == "the folder b"


def test_random_pictures_of_a_pool_are_there_with_their_boxes(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path))
    full = load_profile("full")
    assert not is_there(full, "openimages_random")
    pictures = tmp_path / "openimages_train" / "images"
    pictures.mkdir(parents=True)
    (pictures / "0123456789abcdef.jpg").write_bytes(b"a picture")
    assert not is_there(full, "openimages_random")  # their boxes are missing
    boxes = tmp_path / "openimages_boxes"
    boxes.mkdir()
    for file in load_dataset("openimages_boxes").files:
        (boxes / file.name).write_text("a table")
    assert is_there(full, "openimages_random")


def test_of_a_users_folder_it_is_told_what_is_not_shown_as_it_is(tmp_path):
    trees.save(tmp_path / "goldfish" / "a.webp")
    (tmp_path / "goldfish" / "b.heic").touch()
    chosen = load_profile("smoke")
    chosen = chosen.model_copy(update={"data": {"imagenet_val": f"folder:{tmp_path}"}})
    told = roles.described(chosen, "imagenet_val", image_folder(tmp_path))
    assert told.endswith("; 1 file left out (.heic 1; first: goldfish/b.heic)")


def test_boxes_of_the_edition_of_2015_alone_are_scored_as_the_part_that_has_them(
    tmp_path, monkeypatch
):
    """487 of 1,109 sets; with the videos of 2017, or without any, all are meant."""
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path))
    trained = load_profile("full_trained")
    role, whole, part = VIDEO_BOXES
    assert with_edition(trained) == trained
    annotations = tmp_path / "imagenet_vid" / "ILSVRC2015" / "Annotations" / "VID" / "val"
    for video, plays in (("ILSVRC2015_val_00000000", part), ("ILSVRC2017_val_00000000", whole)):
        (annotations / video).mkdir(parents=True)
        (annotations / video / "000000.xml").write_text("<annotation/>")
        found = with_edition(trained)
        assert found.data[role] == plays
        assert found.data["imagenet_vid_robust"] == whole  # classifiers need no boxes
