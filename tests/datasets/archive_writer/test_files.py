"""The files of a tree: Pillow's bytes and a comment, from all kinds of pictures, over none."""

import errno
import io
import os
import re
import shutil
import signal
import time
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch
from PIL import Image, JpegImagePlugin

from robust_lib.datasets.archive_writer.files import processes
from robust_lib.datasets.archive_writer.write import write
from robust_lib.datasets.imagenet_c import corrupt_stack
from robust_lib.errors import DataError, InputError, RunError
from tests import tiny, trees
from tests.datasets.archive_writer.made import AS_IT_IS, QUICK, pictures, refused, without_comment
from tests.trees import WNIDS


def test_the_files_are_the_archives_kind_of_jpeg(tree):
    quality = io.BytesIO()
    Image.new("RGB", (8, 8)).save(quality, "JPEG", quality=85)
    tables = Image.open(quality).quantization
    for name, content in pictures(tree[0]).items():
        with Image.open(io.BytesIO(content)) as picture:
            assert (picture.format, picture.size, picture.mode) == ("JPEG", (224, 224), "RGB")
            assert picture.quantization == tables
            assert JpegImagePlugin.get_sampling(picture) == 2  # 4:2:0
            comment = picture.info["comment"].decode()
        assert re.fullmatch(
            rf"robust corrupt, {name}, settings [0-9a-f]{{16}}, bytes {len(content):010d}", comment
        )


@pytest.mark.parametrize("name", ["gaussian_noise", "elastic_transform", "jpeg_compression"])
def test_but_for_the_comment_the_files_are_pillows_byte_for_byte(val, target, name):
    write(val, target, corruptions=[name], severities=[3], seed=5)
    for path in sorted(val.rglob("*.JPEG")):
        key = path.relative_to(val).as_posix()
        picture = Image.open(path).resize((341, 256), Image.Resampling.BILINEAR)
        clean = np.array(picture.crop((58, 16, 282, 240)))[None]
        exact = corrupt_stack(clean, name, 3, ids=[key], seed=5, storage="memory")[0]
        file = io.BytesIO()
        levels = (exact * np.float32(255)).astype(np.uint8)
        Image.fromarray(levels).save(file, "JPEG", quality=85, optimize=True)
        content = (target / name / "3" / key).read_bytes()
        assert without_comment(content) == file.getvalue()


MODES = {
    "L": "grey.png",
    "LA": "grey_alpha.png",
    "1": "bits.png",
    "P": "palette.png",
    "RGBA": "alpha.png",
    "CMYK": "print.jpg",
}


def test_all_kinds_of_pictures_become_rgb_as_pillow_converts_them(tmp_path):
    """CMYK in a JPEG and a palette with transparency are the ones that ImageNet and icons have."""
    for mode, name in MODES.items():
        picture = trees.picture(1, 60, 50)
        if mode in ("LA", "RGBA"):
            picture.putalpha(trees.picture(2, 60, 50).convert("L"))
        path = tmp_path / "val" / "n01440764" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        extra = {"transparency": bytes(range(256))} if mode == "P" else {}
        picture.convert(mode).save(path, **extra)
        with Image.open(path) as stored:
            assert stored.mode == mode
            plain = tmp_path / "plain" / "n01440764" / f"{path.stem}.png"
            plain.parent.mkdir(parents=True, exist_ok=True)
            with pytest.warns(UserWarning, match="Palette") if mode == "P" else nullcontext():
                stored.convert("RGB").save(plain)
    for folder in ("val", "plain"):
        write(tmp_path / folder, tmp_path / f"{folder}_c", corruptions=["contrast"])
    converted, plain = (pictures(tmp_path / f"{folder}_c") for folder in ("val", "plain"))
    assert len(converted) == 5 * len(MODES)
    assert converted.keys() == plain.keys()
    for name in converted:
        assert without_comment(converted[name]) == without_comment(plain[name])


@pytest.mark.parametrize("kind", ["picture", "text", "other cell", "other tree"])
def test_a_file_that_it_did_not_make_is_not_written_over(tree, val, tmp_path, kind):
    target, again = tree
    name = f"{WNIDS[2]}/ILSVRC2012_val_00000003.JPEG"
    place = target / "contrast" / "4" / name
    if kind == "picture":
        Image.open(io.BytesIO(place.read_bytes())).save(place, quality=95)
    elif kind == "text":
        place.write_text("mine")
    elif kind == "other cell":
        shutil.copyfile(target / "contrast" / "1" / name, place)
    else:
        write(val, tmp_path / "other", **QUICK, seed=1)
        shutil.copyfile(tmp_path / "other" / "contrast" / "4" / name, place)
    content = place.read_bytes()
    refused(again, f"Expected {place} to be a file that `robust corrupt` made", "move it away")
    assert place.read_bytes() == content
    place.unlink()
    assert again().made == 1


def cut(path):
    path.write_bytes(path.read_bytes()[:-300])


def empty(path):
    path.write_bytes(b"")


def text(path):
    path.write_text("This is not a picture.")


def tiny_picture(path):
    trees.save(path, 0, 31, 200)


@pytest.mark.parametrize("spoil", [cut, empty, text])
def test_a_picture_that_is_none_is_found_before_the_work(val, target, spoil):
    path = val / WNIDS[3] / "ILSVRC2012_val_00000008.JPEG"
    spoil(path)
    refused(partial(write, val, target, **QUICK), f"Could not read the image {path}")
    assert pictures(target) == {}


def test_a_picture_that_is_too_small(val, target):
    path = val / WNIDS[3] / "ILSVRC2012_val_00000008.JPEG"
    tiny_picture(path)
    small = partial(write, val, target, **QUICK, geometry=AS_IT_IS)
    refused(small, "at least 32 px", "has 40 x 30")
    val = trees.class_folders(target.parent / "large", side=64)
    tiny_picture(val / WNIDS[3] / "ILSVRC2012_val_00000008.JPEG")
    assert pictures(target) == {}
    refused(
        partial(write, val, target, **QUICK, geometry=AS_IT_IS),
        "at least 32 px",
        "ILSVRC2012_val_00000008.JPEG has 31 x 200",
    )


def test_grey_values_of_16_bits_are_those_of_8(val, target):
    """As where they are read in a folder of one's own: Pillow would clip nearly all to white."""
    grey = np.linspace(0, 65535, 64 * 64).reshape(64, 64)
    for name, kind, scale in (("deep", np.uint16, 1), ("flat", np.uint8, 257)):
        Image.fromarray(np.round(grey / scale).astype(kind)).save(val / WNIDS[1] / f"{name}.png")
    said = write(val, target, corruptions=["brightness"], severities=[1])
    deep, flat = (target / "brightness/1" / WNIDS[1] / f"{name}.JPEG" for name in ("deep", "flat"))
    np.testing.assert_array_equal(np.asarray(Image.open(deep)), np.asarray(Image.open(flat)))
    assert "grey of 16 bits, shown as value / 257: 1" in said.sentence


def test_a_full_disk_in_the_middle_of_a_file(tree, val, tmp_path, monkeypatch):
    """Half of a file is written, then there is no room for the rest: nobody gets to see it."""
    whole, target = Path.write_bytes, tmp_path / "again"

    def half(path, content):
        if "shot_noise/4" not in str(path):
            return whole(path, content)
        whole(path, content[: len(content) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", half)
        with pytest.raises(OSError, match="No space left on device"):
            write(val, target, **QUICK)
    assert [path.name for path in target.rglob(".*")] == []
    assert 0 < len(pictures(target)) < 32
    write(val, target, **QUICK)
    assert tiny.files(target) == tiny.files(tree[0])


def double(number, stopped):
    return 2 * number


def threads(stopped):
    return os.getpid(), torch.get_num_threads(), cv2.getNumThreads()


def refuse(stopped):
    raise DataError("The picture is broken.")


def no_space(stopped):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "the file")


def mistake(stopped):
    raise ZeroDivisionError("a mistake")


def die(stopped):
    os.kill(os.getpid(), signal.SIGKILL)


def until_stopped(begun, ended, stopped):
    begun.touch()
    while not stopped():
        time.sleep(0.01)
    ended.touch()


@pytest.fixture(scope="module", autouse=True)
def importable():
    """Let the processes find this file, whose functions they are sent by name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(Path(__file__).parents[3])
        yield


@pytest.fixture(scope="module")
def two(importable):
    """Two processes for all tests that leave them in order."""
    with processes(2) as each:
        yield each


def test_all_answers_come(two):
    assert sorted(two(partial(double, number) for number in range(7))) == list(range(0, 14, 2))
    assert list(two([])) == []
    assert list(two([partial(double, 4)])) == [8]


def test_each_process_has_one_thread(two):
    answers = list(two([threads] * 8))
    assert {answer[1:] for answer in answers} == {(1, 1)}
    assert os.getpid() not in {answer[0] for answer in answers}


def test_with_one_worker_this_process_does_the_work_and_is_as_before():
    before = torch.get_num_threads(), cv2.getNumThreads()
    torch.set_num_threads(2)
    cv2.setNumThreads(2)
    try:
        with processes(1) as each:
            assert list(each([threads])) == [(os.getpid(), 1, 1)]
        assert (torch.get_num_threads(), cv2.getNumThreads()) == (2, 2)
    finally:
        torch.set_num_threads(before[0])
        cv2.setNumThreads(before[1])


@pytest.mark.parametrize(
    ("task", "kind", "told"),
    [
        (refuse, DataError, "The picture is broken."),
        (no_space, OSError, "No space left on device: 'the file'"),
    ],
)
def test_errors_arrive_as_they_are(two, task, kind, told):
    with pytest.raises(kind, match=told):
        list(two([task]))


def test_a_mistake_says_where_it_was_made(two):
    with pytest.raises(ZeroDivisionError) as caught:
        list(two([mistake]))
    assert "in mistake" in "".join(caught.value.__notes__)


def test_a_process_that_ends_is_told():
    with pytest.raises(RunError, match="fewer workers"), processes(2) as each:
        list(each([die, partial(double, 1)]))


def test_the_others_stop_when_one_fails(tmp_path):
    begun, ended = tmp_path / "begun", tmp_path / "ended"
    with pytest.raises(DataError), processes(2) as each:
        list(each([partial(until_stopped, begun, ended), partial(wait_and_refuse, begun)]))
    assert ended.exists()


def wait_and_refuse(begun: Path, stopped):
    while not begun.exists():
        time.sleep(0.01)
    refuse(stopped)


@pytest.mark.parametrize("workers", [0, -1])
def test_no_worker_is_refused(workers):
    with pytest.raises(InputError, match=f"at least one worker process, but got {workers}"):
        processes(workers).__enter__()
