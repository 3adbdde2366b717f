"""ImageNet-VID's folders as frames with one label each."""

import numpy as np
import pytest
from PIL import Image

from robust_lib.config.class_lists import load_classes
from robust_lib.datasets import ImageSet, imagenet_vid, open_picture
from robust_lib.datasets.imagenet_vid import VidFrames, frames, videos
from robust_lib.errors import DataError, InputError
from robust_lib.preprocessing import Preprocessing
from tests import trees

SMALL = Preprocessing(16, 12)
VID = load_classes("imagenet_vid")
TRAIN = "train/ILSVRC2015_VID_train_0000/ILSVRC2015_train_"


@pytest.fixture
def root(tmp_path):
    return trees.vid_frames(tmp_path) / "ILSVRC2015"


def test_training_videos_lie_one_folder_deeper(root):
    assert videos(root, "train") == (f"{TRAIN}00000000", f"{TRAIN}00000001")
    assert videos(root, "val") == ("val/ILSVRC2015_val_00000000", "val/ILSVRC2015_val_00000001")


def test_frames_stand_in_the_order_of_time_and_nothing_else_is_one(root):
    (root / f"Data/VID/{TRAIN}00000001/README.txt").write_text("no frame")
    expected = tuple(f"{TRAIN}00000001/{number:06d}.JPEG" for number in range(3))
    assert frames(root, f"{TRAIN}00000001") == expected


@pytest.mark.parametrize("split", ["train", "val"])
def test_the_largest_object_is_the_label_and_frames_without_any_are_left_out(root, split):
    images = VidFrames(root, split, VID)
    assert isinstance(images, ImageSet)
    assert (images.name, images.classes) == (f"imagenet_vid_{split}", "imagenet_vid")
    assert {images.class_names[label] for label in images.labels} == {"car"}
    assert [item[-11:] for item in images.ids] == ["000000.JPEG", "000001.JPEG"] * 2
    expected = SMALL.apply(open_picture(root / "Data/VID" / images.ids[1]))
    np.testing.assert_array_equal(images.read(1, SMALL), expected)


@pytest.mark.parametrize("split", ["train", "val"])
def test_the_objects_of_a_frame_are_read_when_they_are_asked_for(root, split):
    images = VidFrames(root, split, VID)
    assert len(images.annotations) == len(images)
    assert [images.annotations[place].label for place in range(4)] == images.labels.tolist()
    assert images.annotations[0].boxes.shape[1] == 4


def test_every_other_frame_and_a_limit(root):
    assert [item[-11:] for item in VidFrames(root, "val", VID, every=2).ids] == ["000000.JPEG"] * 2
    assert len(VidFrames(root, "val", VID, limit=3)) == 3
    with pytest.raises(InputError, match="but got 0\\."):
        VidFrames(root, "val", VID, every=0)


def test_no_picture_is_opened_while_the_set_is_made(root, monkeypatch):
    def refuse(*_):
        raise AssertionError("a picture was opened")

    monkeypatch.setattr(Image, "open", refuse)
    assert len(VidFrames(root, "train", VID)) == 4


def test_what_is_missing_is_told(root):
    with pytest.raises(InputError, match="the split to be one of train, val, but got test"):
        videos(root, "test")
    (root / f"Annotations/VID/{TRAIN}00000001/000001.xml").unlink()
    with pytest.raises(DataError, match=r"annotations.*6 frames.*1.*none"):
        VidFrames(root, "train", VID)
    for picture in (root / "Data/VID/val/ILSVRC2015_val_00000001").iterdir():
        picture.unlink()
    with pytest.raises(DataError, match=r"frames of a video in .*, but found none"):
        VidFrames(root, "val", VID)
    with pytest.raises(DataError, match="Expected a folder of images"):
        videos(root / "none", "val")
    (root / "empty/Data/VID/train").mkdir(parents=True)
    with pytest.raises(DataError, match="Expected folders of videos"):
        videos(root / "empty", "train")


def test_manifests_name_the_split(root):
    train, val = (
        imagenet_vid.load(name, root.parent) for name in ("imagenet_vid_train", "imagenet_vid")
    )
    assert (train.name, val.name) == ("imagenet_vid_train", "imagenet_vid")
    assert train.ids[0].startswith(TRAIN)
    assert val.ids[0].startswith("val/")
    assert len({train.digest, val.digest}) == 2
    with pytest.raises(InputError, match=r"imagenet_a.*videos.*boxes.*image_fol"):
        imagenet_vid.load("imagenet_a")
