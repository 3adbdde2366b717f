import tarfile

import pytest

from robust_lib.errors import DataError
from robust_lib.fetch.shards import tars
from tests import shards, trees


def labels(path):
    return [one.label for one in tars.contents(path).samples]


def test_each_way_to_tell_a_class_is_read(tmp_path):
    told = [
        {"cls": b"7"}, {"cls": b"7\n"}, {"cls": b"n01440764"}, {"json": b'{"label": 7}'},
        {"json": b'{"wnid": "n01440764", "width": 3}'}, {"json": b"7"}, {"txt": b"tench"},
        {"json": b'{"width": 3}', "cls": b"7"}, {"cls": b"7", "json": b'{"width": 3}'},
    ]  # fmt: skip
    samples = [(f"s{n}", {"JPEG": b"x", **one}) for n, one in enumerate(told)]
    path = shards.write_tar(tmp_path / "0.tar", samples)
    wnid = "n01440764"
    assert labels(path) == [7, 7, wnid, 7, wnid, 7, None, 7, 7]


def test_the_class_may_stand_before_or_after_the_picture_and_names_may_hold_points(tmp_path):
    name = "n01498041/0.000348_chameleon _ box turtle_0.55540705"
    path = shards.write_tar(tmp_path / "0.tar", [(name, {"cls": b"6", "jpg": b"one"})])
    held = tars.contents(path).samples
    assert [(one.name, one.label, one.bytes) for one in held] == [(f"{name}.jpg", 6, 3)]
    assert tars.read(path, held[0]) == b"one"


def test_other_members_are_no_pictures(tmp_path):
    trees.save(tmp_path / "src" / "a.png")
    (tmp_path / "src" / "README.txt").write_text("a")
    (tmp_path / "src" / "._a.png").write_text("a")
    (tmp_path / "src" / "link.png").symlink_to("a.png")
    path = trees.tar(tmp_path / "src", tmp_path / "0.tar")
    assert [one.name for one in tars.contents(path).samples] == ["a.png"]


def test_an_unreadable_class_and_a_broken_tar_are_errors_that_name_them(tmp_path):
    path = shards.write_tar(tmp_path / "0.tar", [("s0", {"jpg": b"x", "json": b"{"})])
    with pytest.raises(DataError, match=r"0\.tar: s0\.json.*class.*image"):
        tars.contents(path)
    (tmp_path / "1.tar").write_bytes(b"<html>" * 400)
    with pytest.raises(DataError, match=r"read.*tar.*1\.tar"):
        tars.contents(tmp_path / "1.tar")
    with tarfile.open(path, "w:gz"):
        pass
    with pytest.raises(DataError, match="Could not read the tar"):
        tars.contents(path)
