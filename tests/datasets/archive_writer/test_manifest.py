"""A tree's manifest: what it was made with, and whether it may be gone on with."""

import json
from functools import partial

import pytest
from PIL import Image

from robust_lib import atomic
from robust_lib.datasets.archive_writer import files, manifest
from robust_lib.datasets.archive_writer.manifest import NAME
from robust_lib.datasets.archive_writer.write import write
from robust_lib.preprocessing import Preprocessing
from tests import tiny, trees
from tests.datasets.archive_writer.made import AS_IT_IS, QUICK, refused
from tests.trees import WNIDS


def test_the_manifest_says_how_it_was_made(val, target, monkeypatch):
    whole = atomic.write_bytes

    def with_manifest(path, content):
        there = json.loads((target / NAME).read_text("utf-8"))
        severities = there["corruptions"]["frost"]["severities"]
        assert severities == {"2": "begun", "5": "begun"}
        whole(path, content)

    monkeypatch.setattr(files, "write_bytes", with_manifest)
    written = write(val, target, corruptions=["frost"], severities=[5, 2], seed=4, limit=4)
    assert written.sentence.endswith(
        " s; frost: drawn stand-ins for the frost pictures, not canonical."
    )
    there = json.loads((target / NAME).read_text("utf-8"))
    assert there["source"] == "val"
    assert there["corruptions"] == {
        "frost": {
            "convention": "drawn stand-ins for the frost pictures, not canonical",
            "severities": {"2": "complete", "5": "complete"},
        }
    }
    settings = there["settings"]
    assert {"seed": 4, "resize": 256, "crop": 224, "quality": 85, "images": 4}.items() <= (
        settings.items()
    )
    assert {"numpy", "opencv", "pillow", "torch"} <= settings["versions"].keys()
    assert len(settings["code"]) == len(settings["pictures"]) == 64


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"seed": 1}, "seed (0 there, 1 now)"),
        (
            {"geometry": Preprocessing(240, None)},
            "resize (256 there, 240 now), crop (224 there, none now)",
        ),
        ({"limit": 5}, "number of images (8 there, 5 now)"),
    ],
)
def test_other_settings_are_named(tree, change, told):
    target, again = tree
    files = tiny.files(target)
    message = refused(partial(again, **change), told, "Nothing was written; use a different folder")
    assert "quality" not in message
    assert tiny.files(target) == files


def test_another_picture_among_the_source_is_noticed(tree, val):
    again = tree[1]
    trees.save(val / WNIDS[0] / "one_more.JPEG", 5)
    refused(again, "number of images (8 there, 9 now)")
    (val / WNIDS[0] / "ILSVRC2012_val_00000001.JPEG").unlink()
    refused(again, "digest of the images' names and sizes (")


@pytest.mark.parametrize(
    ("place", "value", "told"),
    [
        ("source_digest", lambda *_: "0" * 64, "digest of this library's code ("),
        ("cv2.__version__", "3.4.2", "version of opencv ("),
        ("ARCHIVE_QUALITY", 75, "quality (85 there, 75 now)"),
    ],
)
def test_other_code_is_noticed(tree, monkeypatch, place, value, told):
    monkeypatch.setattr(f"robust_lib.datasets.archive_writer.manifest.{place}", value)
    refused(tree[1], told)


def test_other_frost_pictures_are_noticed_where_they_matter(val, target, monkeypatch):
    write(val, target, corruptions=["frost", "fog"], severities=[1])
    monkeypatch.setattr(manifest, "convention", lambda name: "as published")
    assert write(val, target, corruptions=["fog"], severities=[2]).made == 8
    refused(
        partial(write, val, target, corruptions=["frost"], severities=[2]),
        "frost (drawn stand-ins for the frost pictures, not canonical there, as published now)",
    )


def test_a_folder_of_something_else_is_left_alone(val, target):
    target.mkdir()
    (target / "thesis.tex").write_text("Years of work.")
    refused(partial(write, val, target), "it contains thesis.tex", "Nothing was written")
    assert tiny.files(target) == {"thesis.tex": b"Years of work."}


def test_the_published_archive_is_left_alone(val, target):
    trees.imagenet_c(target, ["fog"], [1])
    files = tiny.files(target)
    refused(partial(write, val, target), "it contains fog and no robust_corrupt.json")
    assert tiny.files(target) == files


def test_an_empty_folder_is_as_good_as_none(val, target):
    target.mkdir()
    (target / f".{NAME}.4711").write_text("{")  # killed while the manifest was written
    assert write(val, target, **QUICK).made == 32
    assert {one.name for one in target.iterdir()} == {NAME, "contrast", "shot_noise"}


def test_a_file_in_the_place_of_the_folder(val, target):
    target.write_text("A file.")
    refused(partial(write, val, target), f"{target} is a file")


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"made_by": "somebody"}', "\x00\x01"], ids=["cut", "list", "other", "0"]
)
def test_a_manifest_of_something_else(val, target, content):
    target.mkdir()
    (target / NAME).write_text(content)
    refused(partial(write, val, target), "is not what `robust corrupt` writes")
    assert tiny.files(target) == {NAME: content.encode()}


def test_where_no_picture_was_made_other_settings_begin_anew(val, target):
    """A picture that is refused is taken away, as the message says: the same call goes on."""
    small = val / WNIDS[3] / "small.png"
    Image.new("RGB", (20, 20)).save(small)
    call = partial(write, val, target, corruptions=["fog"], severities=[1], geometry=AS_IT_IS)
    for path in val.rglob("*.JPEG"):
        Image.new("RGB", (40, 40)).save(path)
    refused(call, "remove this one")
    assert (target / NAME).exists()
    small.unlink()
    assert call().made == 8
    Image.new("RGB", (40, 40)).save(small)
    refused(call, "these differ: number of images (8 there, 9 now)")
