"""Trees in the archive's layout: the same bytes however they are made, and nothing overwritten."""

import json
import shutil
from collections import namedtuple
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock

from robust_lib import vocabulary
from robust_lib.datasets import batch
from robust_lib.datasets.archive_writer.manifest import NAME
from robust_lib.datasets.archive_writer.write import GROUPS, chosen, write
from robust_lib.datasets.image_folder import ImageFolder
from robust_lib.datasets.imagenet_c import BENCHMARK, Archive, Corrupted, as_stored
from robust_lib.errors import InputError, RunError
from robust_lib.preprocessing import Preprocessing
from tests import tiny, trees
from tests.datasets.archive_writer.made import (
    AS_IT_IS,
    QUICK,
    pictures,
    refused,
    sizes,
    without_comment,
)
from tests.trees import WNIDS

# What is written.


def test_the_layout_is_that_of_the_archive(val, target):
    written = write(val, target, **QUICK)
    names = {path.relative_to(val).as_posix() for path in val.rglob("*.JPEG")}
    assert len(names) == 8
    expected = {f"{c}/{s}/{n}" for c in ("contrast", "shot_noise") for s in (1, 4) for n in names}
    assert pictures(target).keys() == expected
    assert (written.images, written.made, written.kept) == (8, 32, 0)
    assert written.sentence.startswith(
        "32 files written and 0 kept (8 images, 2 corruptions, 2 severities) in "
    )


def test_what_is_read_back_is_what_is_corrupted_on_the_fly(val, target):
    write(val, target, corruptions=["all"], severities=[2], seed=3)
    base = ImageFolder(val, trees.class_list())
    for name in vocabulary.NAMES:
        stored = Archive(target, name, 2, classes=trees.class_list())
        flying = Corrupted(base, name, 2, seed=3, geometry=BENCHMARK)
        assert stored.ids == flying.ids
        np.testing.assert_array_equal(stored.labels, flying.labels)
        for index in (0, 5):
            read = stored.read(index, Preprocessing(None, 224))
            np.testing.assert_array_equal(read, flying.read(index, Preprocessing(None, 224)))
    # Whatever a network's own filter and size are.
    for clean in (Preprocessing(256, 224, "bicubic"), Preprocessing(272, 240, "bicubic")):
        both = [batch(images, [0, 5], as_stored(clean)) for images in (stored, flying)]
        np.testing.assert_array_equal(*both)


def test_the_seed_makes_another_tree_of_the_same_kind(val, tmp_path):
    trees_by_seed = []
    for seed in (0, 1):
        write(val, tmp_path / str(seed), **QUICK, seed=seed)
        content = pictures(tmp_path / str(seed))
        trees_by_seed.append({name: without_comment(file) for name, file in content.items()})
    one, other = trees_by_seed
    assert one.keys() == other.keys()
    assert {name for name in one if one[name] == other[name]} == {
        name for name in one if name.startswith("contrast")
    }


def test_other_sizes(tmp_path):
    val = trees.class_folders(tmp_path / "val", side=64)
    trees.save(val / WNIDS[0] / "wide.png", 77, 90, 40)
    write(val, tmp_path / "kept", **QUICK, geometry=AS_IT_IS)
    kept = sizes(tmp_path / "kept")
    assert kept.pop("contrast/1/n01440764/wide.JPEG") == (90, 40)
    assert {size for name, size in kept.items() if "wide" not in name} == {(64, 64)}
    write(val, tmp_path / "small", **QUICK, geometry=Preprocessing(48, 40))
    assert set(sizes(tmp_path / "small").values()) == {(40, 40)}


def test_a_limit_takes_of_all_classes_and_keeps_their_folders(val, target):
    write(val, target, **QUICK, limit=3)
    fog = Archive(target, "contrast", 4, classes=trees.class_list())
    assert fog.ids == ImageFolder(val, trees.class_list(), limit=3).ids


def test_files_beside_pictures_are_left_out(val, target):
    (val / "README.txt").write_text("About these pictures.")
    (val / WNIDS[0] / "list.txt").write_text("A list.")
    (val / WNIDS[0] / ".hidden.JPEG").write_text("Not a picture.")
    (val / ".thumbnails").mkdir()
    assert write(val, target, **QUICK).images == 8
    assert sorted(one.name for one in (target / "contrast" / "1").iterdir()) == sorted(WNIDS)


# However the work is done.


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    """A folder, and the files of all its corruptions at one severity."""
    folder = tmp_path_factory.mktemp("everything")
    val = trees.class_folders(folder / "val", WNIDS[:2], per_class=3, side=250)
    write(val, folder / "one", corruptions=["all"], severities=[4], seed=9)
    return val, tiny.files(folder / "one")


def test_two_processes_and_another_batch_give_the_same_bytes(everything, target):
    val, expected = everything
    work = {"corruptions": ["all"], "severities": [4], "seed": 9}
    written = write(val, target, **work, workers=2, batch=2)
    assert written.made == 6 * 21
    assert tiny.files(target) == expected


def test_one_by_one_and_in_another_order_gives_the_same_bytes(everything, target):
    val, expected = everything
    for name in reversed(vocabulary.NAMES):
        write(val, target, corruptions=[name], severities=[4], seed=9, batch=1)
    assert tiny.files(target) == expected


def test_a_part_of_the_pictures_gives_the_same_pixels(everything, target):
    val, expected = everything
    write(val, target, corruptions=["all"], severities=[4], seed=9, limit=3, batch=3)
    some = pictures(target)
    assert len(some) == 3 * 21
    for name, content in some.items():
        assert without_comment(content) == without_comment(expected[name])


# Stopped and called again.


def test_a_second_call_does_nothing(tree):
    target, again = tree
    before = {path: path.stat().st_mtime_ns for path in target.rglob("*.JPEG")}
    files = tiny.files(target)
    written = again()
    assert (written.made, written.kept) == (0, 32)
    assert {path: path.stat().st_mtime_ns for path in target.rglob("*.JPEG")} == before
    assert tiny.files(target) == files


def test_what_lacks_is_made_and_the_rest_is_kept(tree):
    target, again = tree
    files = tiny.files(target)
    paths = sorted(target.rglob("*.JPEG"))
    paths[0].unlink()
    paths[9].write_bytes(paths[9].read_bytes()[:-100])  # cut short
    paths[17].write_bytes(b"")  # a power cut
    shutil.rmtree(target / "shot_noise" / "4" / WNIDS[1])
    left = paths[20].with_name(f".{paths[20].name}.0badf00d")  # a kill, while this file was written
    left.write_bytes(b"\xff\xd8")
    written = again()
    assert (written.made, written.kept) == (3 + 2, 32 - 5)
    assert tiny.files(target) == files


def test_a_tree_can_grow(tree):
    target, again = tree
    files = pictures(target)
    written = again(corruptions=["noise"], severities=[1, 2])
    assert (written.made, written.kept) == (8 * 5, 8)
    assert files.items() <= pictures(target).items()
    manifest = json.loads((target / NAME).read_text("utf-8"))
    states = {name: one["severities"] for name, one in manifest["corruptions"].items()}
    assert list(states) == ["gaussian_noise", "shot_noise", "impulse_noise", "contrast"]
    assert states["shot_noise"] == dict.fromkeys("124", "complete")


# What is refused.


def test_two_at_once(val, target):
    with FileLock(target.parent / f".{target.name}.lock"):
        refused(partial(write, val, target), "no other process that writes", kind=RunError)
    assert not target.exists()


@pytest.mark.parametrize(
    ("source", "into", "told"),
    [
        ("val", "val/imagenet_c", "two separate folders"),
        ("val", "val", "two separate folders"),
        ("val", ".", "two separate folders"),
        ("vall", "out", "a folder of class folders at"),
        (f"val/{WNIDS[0]}", "out", "Expected class folders in"),
        ("above", "out", "in the class folders of"),
    ],
)
def test_folders_that_do_not_fit(val, tmp_path, monkeypatch, source, into, told):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "above").mkdir()
    (tmp_path / "above" / "val").symlink_to(val)
    files = tiny.files(tmp_path)
    message = refused(partial(write, Path(source), Path(into)), told)
    assert str(tmp_path) in message
    assert tiny.files(tmp_path) == files


def test_two_pictures_that_would_be_one_file(val, target):
    trees.save(val / WNIDS[0] / "ILSVRC2012_val_00000001.png")
    refused(
        partial(write, val, target),
        "would both be stored as n01440764/ILSVRC2012_val_00000001.JPEG",
    )
    assert not target.exists()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"corruptions": ["fogg"]}, "Expected corruption to be one of all, common, noise, blur"),
        ({"corruptions": []}, "at least one corruption"),
        ({"severities": [1, 6]}, "Expected severity to be one of 1, 2, 3, 4, 5, but got 6."),
        ({"severities": [0]}, "but got 0."),
        ({"severities": []}, "one severity"),
        ({"workers": 0}, "at least one worker process, but got 0"),
        ({"batch": 0}, "at least one image in a batch, but got 0"),
        ({"limit": 0}, "limit of at least one image, but got 0"),
    ],
)
def test_values_that_make_no_sense(val, target, change, told):
    refused(partial(write, val, target, **change), told, kind=InputError)
    assert not target.exists()


def test_words_for_several_corruptions():
    assert chosen(["common"], [5, 5, 1]) == (vocabulary.COMMON, (1, 5))
    assert chosen(["all"], [2])[0] == vocabulary.NAMES
    assert chosen(["extra", "fog", "fog"], [2])[0] == ("fog", *vocabulary.EXTRA)
    assert set(GROUPS).isdisjoint(vocabulary.NAMES)


def test_too_little_space_is_told_before_the_work(val, target, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10**12, 10**12, 200_000))
    work = partial(write, val, target, **QUICK)
    refused(work, "Expected space for 32 files", "at least 0.0 GB, but 0.0 GB are free")
    assert pictures(target) == {}
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10**12, 10**12, 240_000))
    assert work().made == 32
