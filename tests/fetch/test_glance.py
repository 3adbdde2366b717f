"""A glance at a data set: what is only begun, or empty, is not there."""

import pytest

from robust_lib.config.class_lists import load_classes
from robust_lib.fetch.glance import seems_there
from tests.supplied import class_folders

WNIDS = load_classes("imagenet_1k").folders


def test_class_folders_are_all_there_and_not_empty(tmp_path):
    assert not seems_there("imagenet_val", tmp_path)
    val = tmp_path / "val"
    for name in WNIDS:
        (val / name).mkdir(parents=True)
    assert not seems_there("imagenet_val", tmp_path)  # empty ones
    class_folders(val)
    assert seems_there("imagenet_val", tmp_path)
    (val / WNIDS[500]).rmdir()
    assert not seems_there("imagenet_val", tmp_path)


def test_flat_pictures_need_a_list_of_their_classes(tmp_path):
    (tmp_path / "val").mkdir()
    (tmp_path / "val" / "ILSVRC2012_val_00000001.JPEG").write_bytes(b"a picture")
    assert not seems_there("imagenet_val", tmp_path)
    (tmp_path / "LOC_val_solution.csv").write_text("ImageId,PredictionString")
    assert seems_there("imagenet_val", tmp_path)


def test_the_archives_cells_are_looked_at_and_those_alone_that_are_asked(tmp_path):
    for severity in range(1, 6):
        class_folders(tmp_path / "fog" / str(severity))
    assert seems_there("imagenet_c", tmp_path, only=["fog/"])
    assert not seems_there("imagenet_c", tmp_path, only=["fog/", "snow/"])
    assert not seems_there("imagenet_c", tmp_path)
    (tmp_path / "snow" / "1").mkdir(parents=True)
    assert not seems_there("imagenet_c", tmp_path, only=["snow/"])


@pytest.mark.parametrize("name", ["dtd", "paintings"])
def test_without_class_folders_a_picture_must_lie_there(tmp_path, name):
    root = tmp_path / "dtd" / "images" if name == "dtd" else tmp_path
    (root / "banded").mkdir(parents=True)
    (root / "README.txt").write_text("about")
    (root / ".hidden.jpg").write_bytes(b"not to be seen")
    assert not seems_there(name, tmp_path)
    (root / "banded" / "banded_0001.jpg").write_bytes(b"a picture")
    assert seems_there(name, tmp_path)


def test_each_thing_that_a_copy_must_hold_is_looked_for(tmp_path):
    root = tmp_path / "cifar-100-python"
    root.mkdir()
    for name in ("train", "test", "meta"):
        assert not seems_there("cifar100", tmp_path)
        (root / name).write_bytes(b"pickled")
    assert seems_there("cifar100", tmp_path)
    (root / "test").write_bytes(b"")
    assert not seems_there("cifar100", tmp_path)
