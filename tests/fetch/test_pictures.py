"""Pictures that are cut short, no pictures, or of another size."""

import json
import shutil
import tarfile
from pathlib import Path

import pytest

from robust_lib.config.dataset_files import File
from robust_lib.config.manifests import DatasetManifest, load_dataset
from robust_lib.fetch import pictures
from tests import tiny, trees

TRUTH = {f"{number}.JPEG": f"n{number % 3:08d}" for number in range(9)}
VAL = Path("val")


def placed(**changes):
    lies = TRUTH | {f"{name[1:]}.JPEG": inside for name, inside in changes.items()}
    return [VAL / inside / name for name, inside in lies.items() if inside]


def told(files, truth=TRUTH):
    return list(pictures.misplaced(VAL, files, truth))


def test_pictures_in_their_classes_have_no_problem():
    assert told(placed()) == []
    assert told([VAL / name for name in TRUTH]) == []  # flat: no folder tells a class


def test_a_moved_picture_is_named_with_both_classes():
    assert told(placed(_4="n00000002")) == [
        "val: images in the folder of another class: 1 (n00000002/4.JPEG belongs to n00000001)"
    ]
    three = told(placed(_4="n00000002", _5="n00000001", _0="n00000001"))[0]
    assert three.startswith("val: images in the folder of another class: 3 (")
    assert "..." not in three
    four = told(placed(_4="n00000002", _5="n00000001", _0="n00000001", _1="n00000002"))[0]
    assert four.count(" belongs to ") == 3
    assert four.endswith(", ...)")


def test_swapped_class_folders_are_named():
    turned = {"n00000000": "n00000001", "n00000001": "n00000000", "n00000002": "n00000002"}
    files = [VAL / turned[inside] / name for name, inside in TRUTH.items()]
    assert told(files) == [
        "val: class folders are swapped: n00000000 holds the images of n00000001, n00000001 "
        "holds those of n00000000"
    ]


def test_missing_unknown_and_doubled_pictures_are_counted():
    assert told(placed(_4=None)) == ["val: images of the list that are not there: 1 (4.JPEG)"]
    files = [*placed(), VAL / "n00000000" / "x.JPEG", VAL / "n00000001" / "0.JPEG"]
    assert told(files) == [
        "val: images that are in no list: 1 (x.JPEG)",
        "val: images that occur twice: 1 (0.JPEG)",
        "val: images in the folder of another class: 1 (n00000001/0.JPEG belongs to n00000000)",
    ]


@pytest.fixture
def project(tmp_path, monkeypatch):
    tiny.real_layouts(tmp_path)
    return tiny.enter(tmp_path, monkeypatch) / "data"


def known(name, folder):
    return pictures.known_folders(load_dataset(name), folder / name)


def test_the_kit_tells_the_classes_of_the_archives_pictures_too(project):
    trees.devkit(project / "imagenet_val", trees.KIT_ORDER, trees.TRUTH)
    truth = known("imagenet_val", project)
    assert truth == known("imagenet_c", project)
    assert list(truth.values()) == list(trees.TRUTH)


def test_without_the_kit_a_sorted_copy_tells_those_of_the_archive(project):
    assert known("imagenet_val", project) is None
    assert known("imagenet_c", project) is None
    trees.class_folders(project / "imagenet_val" / "val", per_class=1)
    assert known("imagenet_val", project) is None
    assert set(known("imagenet_c", project).values()) == set(trees.WNIDS)


def test_a_broken_kit_is_left_to_those_who_need_it(project):
    folder = trees.devkit(project / "imagenet_val", trees.KIT_ORDER, trees.TRUTH)
    (folder / "ILSVRC2012_devkit_t12/data/meta.mat").write_bytes(b"")
    assert known("imagenet_val", project) is None
    shutil.rmtree(folder)
    assert known("imagenet_a", project) is None


MANIFEST = DatasetManifest(
    name="small", title="Small", kind="image_folder", layout="folders", licence="none",
    access="open", instructions="ask somebody",
    files=(File(name="a.tar", into="."), File(name="kit.tar.gz", into=".")),
)  # fmt: skip


@pytest.fixture(params=["sorted", "flat"])
def unpacked(request, tmp_path):
    """A tar, and its pictures sorted into class folders or flat."""
    inside = tmp_path / "source"
    files = trees.class_folders(inside / "root")
    if request.param == "flat":
        for file in list(files.rglob("*.JPEG")):
            file.rename(inside / file.name)
    (inside / "README.txt").write_text("no picture")
    folder = tmp_path / "small"
    folder.mkdir()
    trees.tar(inside, folder / "a.tar")
    files = trees.class_folders(folder / "val")
    return folder, sorted(files.rglob("*.JPEG"))


def test_the_table_is_made_of_the_users_archive(unpacked):
    folder, files = unpacked
    assert pictures.recorded_sizes(folder) is None
    assert pictures.record_sizes(MANIFEST, folder) == folder / ".sizes.json"
    known = pictures.recorded_sizes(folder)
    assert len(known) == len(files) == 8
    assert {file.stat().st_size for file in files} == set(known.values())
    assert not any("README" in name for name in known)


def test_without_an_archive_nothing_is_recorded(tmp_path):
    assert pictures.record_sizes(MANIFEST, tmp_path) is None
    other = MANIFEST.model_copy(update={"kind": "imagenet_c"})
    trees.tar(trees.class_folders(tmp_path / "source"), tmp_path / "a.tar")
    assert pictures.record_sizes(other, tmp_path) is None
    (tmp_path / ".sizes.json").write_text("half a ta")
    assert pictures.recorded_sizes(tmp_path) is None


def test_other_sizes_are_named(unpacked):
    folder, files = unpacked
    pictures.record_sizes(MANIFEST, folder)
    known = pictures.recorded_sizes(folder)
    assert list(pictures.of_other_sizes(folder / "val", files, known)) == []
    before = files[3].stat().st_size
    files[3].write_bytes(files[3].read_bytes()[:-9])
    (told,) = pictures.of_other_sizes(folder / "val", files, known)
    assert "images whose sizes differ from those in the archive: 1 (" in told
    assert f"{files[3].name} has {before - 9:,} bytes, not {before:,}" in told


def test_a_tars_size_follows_from_its_files(tmp_path):
    files = sorted(trees.flat_validation(tmp_path, 40).rglob("*.JPEG"))
    archive = tmp_path / "val.tar"
    with tarfile.open(archive, "w", format=tarfile.USTAR_FORMAT) as packed:
        for file in files:
            packed.add(file, arcname=file.name)
    assert pictures.packed_size(files) == archive.stat().st_size
    files[0].write_bytes(b"\0" * 50_000)
    assert pictures.packed_size(files) > archive.stat().st_size
    for size in (8704, 8705):  # with its header and the two empty blocks, a record and more
        files[0].write_bytes(b"\0" * size)
        assert pictures.packed_size(files[:1]) == (10240 if size == 8704 else 20480)


def test_the_table_is_plain_json(unpacked):
    folder, _ = unpacked
    pictures.record_sizes(MANIFEST, folder)
    assert json.loads((folder / pictures.TABLE).read_text()) == pictures.recorded_sizes(folder)


def faults(folder, side=None):
    return list(pictures.unreadable(folder, sorted(folder.rglob("*.JPEG")), side))


def test_whole_pictures_have_no_problem(tmp_path):
    assert faults(trees.class_folders(tmp_path)) == []
    assert faults(trees.class_folders(tmp_path, side=224), side=224) == []


def test_cut_and_foreign_files_are_found(tmp_path):
    files = sorted(trees.class_folders(tmp_path).rglob("*.JPEG"))
    files[1].write_bytes(files[1].read_bytes()[:-200])
    files[2].write_text("no picture")
    (problem,) = faults(tmp_path)
    named = [file.relative_to(tmp_path).as_posix() for file in files[1:3]]
    told_of = ", ".join(named)
    assert problem == f"{tmp_path}: images that cannot be read completely: 2 ({told_of})"
