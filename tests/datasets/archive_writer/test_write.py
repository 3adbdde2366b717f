"""Trees in the archive's layout: the same bytes however they are made, and nothing overwritten."""

import errno
import io
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections import namedtuple
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock
from PIL import Image, JpegImagePlugin

from robust_lib import atomic, vocabulary
from robust_lib.datasets.archive_writer import files as corrupt_files
from robust_lib.datasets.archive_writer import manifest as tree_manifest
from robust_lib.datasets.archive_writer.manifest import NAME
from robust_lib.datasets.archive_writer.write import GROUPS, chosen, write
from robust_lib.datasets.image_folder import ImageFolder
from robust_lib.datasets.imagenet_c import Archive, Corrupted, corrupt_stack
from robust_lib.errors import DataError, InputError, RunError
from robust_lib.preprocessing import Preprocessing
from tests import tiny, trees
from tests.trees import WNIDS

AS_IT_IS = Preprocessing(None, None)
QUICK = {"corruptions": ["contrast", "shot_noise"], "severities": [1, 4]}
CLI = (sys.executable, "-c", "from robust_lib.commands.cli import main; main()", "corrupt")


@pytest.fixture
def val(tmp_path):
    """Eight pictures of four classes."""
    return trees.class_folders(tmp_path / "val")


@pytest.fixture
def target(tmp_path):
    return tmp_path / "imagenet_c"


@pytest.fixture
def tree(val, target):
    """A small tree, and the function that goes on with it."""
    again = partial(write, val, target, **QUICK)
    again()
    return target, again


def refused(work, *told, kind=DataError):
    """The work must fail with one paragraph that says what is told."""
    with pytest.raises(kind) as caught:
        work()
    message = str(caught.value)
    assert "\n" not in message
    for words in told:
        assert words in message
    return message


def pictures(folder):
    """The tree's pictures alone, by path."""
    return {name: content for name, content in tiny.files(folder).items() if name != NAME}


def sizes(folder):
    return {name: Image.open(io.BytesIO(file)).size for name, file in pictures(folder).items()}


def without_comment(content):
    """A JPEG file less its comment."""
    length = int.from_bytes(content[22:24], "big")
    assert content[20:22] == b"\xff\xfe"
    return content[:20] + content[22 + length :]


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


def test_what_is_read_back_is_what_is_corrupted_on_the_fly(val, target):
    write(val, target, corruptions=["all"], severities=[2], seed=3)
    base = ImageFolder(val, trees.class_list())
    for name in vocabulary.NAMES:
        stored = Archive(target, name, 2, classes=trees.class_list())
        flying = Corrupted(base, name, 2, seed=3)
        assert stored.ids == flying.ids
        np.testing.assert_array_equal(stored.labels, flying.labels)
        for index in (0, 5):
            read = stored.read(index, Preprocessing(None, 224))
            np.testing.assert_array_equal(read, flying.read(index, Preprocessing(256, 224)))


def test_the_manifest_says_how_it_was_made(val, target, monkeypatch):
    whole = atomic.write_bytes

    def with_manifest(path, content):
        manifest = json.loads((target / NAME).read_text("utf-8"))
        severities = manifest["corruptions"]["frost"]["severities"]
        assert severities == {"2": "begun", "5": "begun"}
        whole(path, content)

    monkeypatch.setattr(corrupt_files, "write_bytes", with_manifest)
    written = write(val, target, corruptions=["frost"], severities=[5, 2], seed=4, limit=4)
    assert written.sentence.endswith(
        " s; frost: drawn stand-ins for the frost pictures, not canonical."
    )
    manifest = json.loads((target / NAME).read_text("utf-8"))
    assert manifest["source"] == "val"
    assert manifest["corruptions"] == {
        "frost": {
            "convention": "drawn stand-ins for the frost pictures, not canonical",
            "severities": {"2": "complete", "5": "complete"},
        }
    }
    settings = manifest["settings"]
    assert {"seed": 4, "resize": 256, "crop": 224, "quality": 85, "images": 4}.items() <= (
        settings.items()
    )
    assert {"numpy", "opencv", "pillow", "torch"} <= settings["versions"].keys()
    assert len(settings["code"]) == len(settings["pictures"]) == 64


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
            with pytest.warns(UserWarning, match="Palette") if mode == "P" else _silent():
                stored.convert("RGB").save(plain)
    for folder in ("val", "plain"):
        write(tmp_path / folder, tmp_path / f"{folder}_c", corruptions=["contrast"])
    converted, plain = (pictures(tmp_path / f"{folder}_c") for folder in ("val", "plain"))
    assert len(converted) == 5 * len(MODES)
    assert converted.keys() == plain.keys()
    for name in converted:
        assert without_comment(converted[name]) == without_comment(plain[name])


class _silent:  # noqa: N801 - a context like pytest.warns
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


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
    left = paths[20].with_name(f".{paths[20].name}.4711")  # a kill, while this file was written
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


def ctrl_c_ends_it():
    """A shell's background job ignores Ctrl-C, and hands that on, be it the tests themselves."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def run(*words, first=ctrl_c_ends_it):
    """Start the command with two processes, in a session of its own."""
    return subprocess.Popen(
        [*CLI, *map(str, words), "--workers", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        preexec_fn=first,
    )


def some_files(folder, process, number):
    """Wait until some files are there."""
    for _ in range(6000):
        if len(list(folder.rglob("[!.]*.JPEG"))) >= number:
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    raise AssertionError("Nothing was written.")


SLOW = ("--corruptions", "glass_blur", "fog", "--severities", "1", "5", "--batch", "1")


@pytest.fixture
def many(tmp_path):
    """Two hundred pictures: some seconds of work on a fast machine, too."""
    return trees.class_folders(tmp_path / "many", per_class=50)


@pytest.mark.slow
def test_after_a_kill_in_the_middle_the_tree_is_as_if_nothing_had_been(many, target, tmp_path):
    process = run(many, target, *SLOW)
    some_files(target, process, 12)
    process.kill()
    # The pipes end with the last process that has them: the workers have ended, too.
    printed, complaint = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    assert printed == ""
    assert "Traceback" not in complaint
    there = len(list(target.rglob("[!.]*.JPEG")))
    assert 12 <= there < 800
    assert json.loads((target / NAME).read_text("utf-8"))["corruptions"]["fog"]["severities"] == (
        {"1": "begun", "5": "begun"}
    )
    again = run(many, target, *SLOW)
    printed, complaint = again.communicate(timeout=300)
    assert again.returncode == 0, complaint
    assert f"{800 - there} files written and {there} kept (200 images" in printed
    write(many, tmp_path / "whole", corruptions=["fog", "glass_blur"], severities=[1, 5])
    assert tiny.files(target) == tiny.files(tmp_path / "whole")


def test_an_interrupted_run_leaves_whole_files_and_says_how_to_go_on(many, target):
    process = run(many, target, *SLOW)
    some_files(target, process, 3)
    os.killpg(process.pid, signal.SIGINT)  # Ctrl-C reaches the workers, too
    _, complaint = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "stopped; run it again and it goes on from what is stored" in complaint
    assert "Traceback" not in complaint
    hidden = [path.name for path in target.rglob(".*")]
    assert hidden == []


# What is refused.


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"seed": 1}, "seed (0 there, 1 now)"),
        (
            {"geometry": Preprocessing(240, None)},
            "resize (256 there, 240 now), crop (224 there, none now)",
        ),
        ({"limit": 5}, "number of pictures (8 there, 5 now)"),
    ],
)
def test_other_settings_are_named(tree, change, told):
    target, again = tree
    files = tiny.files(target)
    message = refused(partial(again, **change), told, "Nothing was written; name another folder")
    assert "quality" not in message
    assert tiny.files(target) == files


def test_another_picture_among_the_source_is_noticed(tree, val):
    again = tree[1]
    trees.save(val / WNIDS[0] / "one_more.JPEG", 5)
    refused(again, "number of pictures (8 there, 9 now)")
    (val / WNIDS[0] / "ILSVRC2012_val_00000001.JPEG").unlink()
    refused(again, "digest of the pictures' names and sizes (")


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
    monkeypatch.setattr(tree_manifest, "convention", lambda name: "as published")
    assert write(val, target, corruptions=["fog"], severities=[2]).made == 8
    refused(
        partial(write, val, target, corruptions=["frost"], severities=[2]),
        "frost (drawn stand-ins for the frost pictures, not canonical there, as published now)",
    )


def test_a_folder_of_something_else_is_left_alone(val, target):
    target.mkdir()
    (target / "thesis.tex").write_text("Years of work.")
    refused(partial(write, val, target), "it holds thesis.tex", "Nothing was written")
    assert tiny.files(target) == {"thesis.tex": b"Years of work."}


def test_the_published_archive_is_left_alone(val, target):
    trees.imagenet_c(target, ["fog"], [1])
    files = tiny.files(target)
    refused(partial(write, val, target), "it holds fog and no robust_corrupt.json")
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


def test_two_at_once(val, target):
    with FileLock(target.parent / f".{target.name}.lock"):
        refused(partial(write, val, target), "another process does", kind=RunError)
    assert not target.exists()


@pytest.mark.parametrize(
    ("source", "into", "told"),
    [
        ("val", "val/imagenet_c", "two folders that lie apart"),
        ("val", "val", "two folders that lie apart"),
        ("val", ".", "two folders that lie apart"),
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
        ({"batch": 0}, "at least one picture in a batch, but got 0"),
        ({"limit": 0}, "limit of at least one picture, but got 0"),
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


# Pictures that cannot be used.


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
    refused(partial(write, val, target, **QUICK), f"Could not read the picture {path}")
    assert pictures(target) == {}


def test_a_picture_that_is_too_small(val, target):
    path = val / WNIDS[3] / "ILSVRC2012_val_00000008.JPEG"
    tiny_picture(path)
    small = partial(write, val, target, **QUICK, geometry=AS_IT_IS)
    refused(small, "at least 32 px", "has 40 x 30")
    val = trees.class_folders(target.parent / "large", side=64)
    tiny_picture(val / WNIDS[3] / "ILSVRC2012_val_00000008.JPEG")
    refused(
        partial(write, val, target, **QUICK, geometry=AS_IT_IS),
        "at least 32 px",
        "ILSVRC2012_val_00000008.JPEG has 31 x 200",
    )


def test_grey_values_of_16_bits_are_refused(val, target):
    """Pillow would clip them, and nearly all would be white."""
    grey = np.linspace(0, 65535, 64 * 64).astype(np.uint16).reshape(64, 64)
    path = val / WNIDS[1] / "deep.png"
    Image.fromarray(grey).save(path)
    refused(partial(write, val, target, **QUICK), f"but {path} has grey values of 16 bits")


def spoiled_inside(path):
    """A PNG file whose ends are whole and whose middle is not."""
    trees.save(path, 7, 300, 300)
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 64] = bytes(64)
    path.write_bytes(content)


@pytest.mark.slow
def test_a_picture_that_is_broken_inside_stops_the_work_and_what_is_written_stays(
    val, target, tmp_path
):
    path = val / WNIDS[3] / "zebra.png"
    good = trees.save(path, 7, 300, 300).read_bytes()
    write(val, tmp_path / "whole", **QUICK)
    spoiled_inside(path)
    assert path.stat().st_size == len(good)
    words = ("--corruptions", "contrast", "shot_noise", "--severities", "1", "4", "--batch", "1")
    process = run(val, target, *words)
    _, complaint = process.communicate(timeout=120)
    assert process.returncode == 1
    assert f"robust: Could not read the picture {path}" in complaint
    assert "Traceback" not in complaint
    files = pictures(target)
    assert files
    path.write_bytes(good)
    written = write(val, target, **QUICK)
    assert written.kept == len(files)
    assert tiny.files(target) == tiny.files(tmp_path / "whole")


# A disk that is full.


def test_too_little_space_is_told_before_the_work(val, target, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10**12, 10**12, 200_000))
    work = partial(write, val, target, **QUICK)
    refused(work, "Expected room for 32 files", "at least 0.0 GB, but 0.0 GB are free")
    assert pictures(target) == {}
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10**12, 10**12, 240_000))
    assert work().made == 32


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


def test_a_worker_that_cannot_write_says_so(many, target):
    """The system's limit on the size of files stands for a full disk."""

    def no_large_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))

    process = run(many, target, "--corruptions", "shot_noise", first=no_large_files)
    _, complaint = process.communicate(timeout=120)
    assert process.returncode == 1
    last = complaint.rpartition("robust: ")[2]
    assert "A file could not be read or written: [Errno 27] File too large" in last
    assert "what was stored before is intact" in last
    assert "Traceback" not in complaint
    assert [path.name for path in target.rglob(".*")] == []


# The command.


@pytest.fixture
def command(monkeypatch, capsys):
    return partial(tiny.command, monkeypatch, capsys)


def test_the_command_writes_the_same_tree(val, target, tmp_path, command):
    write(val, tmp_path / "expected", **QUICK, seed=2, limit=6)
    words = ("--corruptions", "shot_noise", "contrast", "--severities", "4", "1")
    settings = ("--seed", "2", "--limit", "6", "--workers", "1", "--batch", "4")
    status, printed, _ = command("corrupt", str(val), str(target), *words, *settings)
    assert status == 0
    assert printed.startswith(f"{target}: 24 files written and 0 kept (6 images, 2 corruptions")
    assert printed.count("\n") == 1
    assert tiny.files(target) == tiny.files(tmp_path / "expected")


@pytest.mark.parametrize(
    "words",
    [
        ("--severities", "1", "2", "--corruptions", "contrast", "pixelate", "--seed", "0"),
        ("--corruptions=contrast", "pixelate", "--severities=1", "--severities", "2"),
        ("--corruptions", "pixelate", "--corruptions", "contrast", "--severities", "2", "1"),
    ],
)
def test_options_take_several_words(val, target, command, words):
    end = ("--workers", "1", "--resize", "none", "--crop", "30")
    refusal = command("corrupt", str(val), str(target), *words, *end)
    assert refusal[0] == 1  # 30 pixels are too few, so the words have been understood
    end = ("--workers", "1", "--resize", "48", "--crop", "none")
    assert command("corrupt", str(val), str(target), *words, *end)[0] == 0
    cells = {path.relative_to(target).as_posix() for path in target.glob("*/*")}
    assert cells == {"contrast/1", "contrast/2", "pixelate/1", "pixelate/2"}
    assert set(sizes(target).values()) == {(64, 48)}


def test_the_command_takes_the_benchmarks_mean_by_default(val, target, command):
    status, printed, _ = command("corrupt", str(val), str(target), "--limit", "1", "--workers", "1")
    assert status == 0
    assert "75 files written and 0 kept (1 images, 15 corruptions, 5 severities)" in printed


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--corruptions", "fogg"), "Expected corruption to be one of all, common"),
        (("--severities", "6"), "Expected severity to be one of 1, 2, 3, 4, 5, but got 6."),
        (("--workers", "0"), "Expected at least one worker process, but got 0."),
        (("--resize", "big"), "Expected --resize to be a number of pixels, or none, but got big."),
        (("--resize", "200"), "Expected a crop no larger than the resized shorter side (200)"),
        (("--crop", "0"), "at least one pixel, but got 0"),
    ],
)
def test_the_command_says_what_is_wrong(val, target, command, words, told):
    status, _, complaint = command("corrupt", str(val), str(target), *words)
    assert status == 1
    assert told in complaint
    assert complaint.count("\n") == 1
    assert not target.exists()


@pytest.mark.parametrize(
    "words", [(), ("--severities", "much"), ("--corruptions",), ("more", "--limit", "3")]
)
def test_the_command_shows_how_it_is_used(val, target, command, words):
    places = (str(val), str(target)) if words else (str(val),)
    status, _, complaint = command("corrupt", *places, *words)
    assert status == 2
    assert "Usage: robust corrupt" in complaint or "requires an argument" in complaint
