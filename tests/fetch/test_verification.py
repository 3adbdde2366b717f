import re

import pytest

from robust_lib.config.class_lists import load_classes
from robust_lib.config.dataset_files import File
from robust_lib.errors import DataError
from robust_lib.fetch import archives, checksums, devkit, pictures
from robust_lib.fetch.verification import seems_there, verify
from tests import coco_trees, trees
from tests.supplied import class_folders

PAIR = trees.WNIDS[:2]


@pytest.fixture
def sorted_set(project, tmp_path):
    layout = {"root": "val", "images": 4, "folders": "pair", "classes": "pair"}
    project("small", files=[{"name": "val.tar", "url": "http://127.0.0.1:1/val.tar"}], **layout)
    folder = tmp_path / "data" / "small"
    trees.class_folders(folder / "val", PAIR)
    return folder


def test_a_complete_copy_has_no_problems(sorted_set):
    report = verify("small")
    assert (report.ok, report.images, report.folder) == (True, 4, sorted_set)
    assert any("4 images" in note for note in report.notes)
    assert any(
        "val.tar: is not there; its unpacked contents were checked" in n for n in report.notes
    )
    report.require()


def test_stray_files_are_no_pictures_and_hidden_folders_no_classes(sorted_set):
    for stray in ("README.txt", "n01440764/.DS_Store", "n01440764/._a.JPEG", ".cache/x.png"):
        (sorted_set / "val" / stray).parent.mkdir(exist_ok=True)
        (sorted_set / "val" / stray).write_bytes(b"")
    assert verify("small").ok


def test_missing_pictures_are_counted(sorted_set):
    next((sorted_set / "val").rglob("*.JPEG")).unlink()
    report = verify("small")
    assert not report.ok
    with pytest.raises(DataError, match=r"complete.*4 images.*found 3"):
        report.require()


def test_missing_and_foreign_class_folders_are_named(sorted_set):
    (sorted_set / "val" / PAIR[0]).rename(sorted_set / "val" / "n99999999")
    problems = " ".join(verify("small").problems)
    assert "lacks 1 class folders (n01440764)" in problems
    assert "has besides 1 class folders (n99999999)" in problems


def test_of_all_of_imagenet_22k_the_data_sets_own_classes_are_counted(sorted_set, monkeypatch):
    trees.class_folders(sorted_set / "val", trees.WNIDS[2:], per_class=1)
    assert "has besides 2 class folders" in " ".join(verify("small").problems)
    monkeypatch.setattr(pictures, "WHOLE", 3)
    report = verify("small")
    assert (report.problems, report.images) == ((), 4)
    assert any("all of ImageNet-22K, of which 2 classes" in note for note in report.notes)


def test_a_flat_copy_is_counted_and_noted(sorted_set):
    for picture in list((sorted_set / "val").rglob("*.JPEG")):
        picture.rename(sorted_set / "val" / picture.name)
    for wnid in PAIR:
        (sorted_set / "val" / wnid).rmdir()
    report = verify("small")
    assert report.ok
    assert any("not sorted into class folders" in note for note in report.notes)


def test_an_absent_copy_is_a_problem(project):
    project("small", root="val", images=4, folders="pair")
    report = verify("small")
    assert "val: is not there" in report.problems[0]
    assert report.images == 0


def test_files_are_looked_at_by_size_and_on_demand_by_checksum(project, tmp_path):
    folder = tmp_path / "data" / "loose"
    folder.mkdir(parents=True)
    (folder / "a.bin").write_bytes(b"123")
    project("loose", files=[{"name": "a.bin", "url": "http://127.0.0.1:1/a", "bytes": 4}])
    assert verify("loose").problems == ("a.bin: expected 4 bytes, but got 3",)
    stated = {"name": "a.bin", "url": "http://127.0.0.1:1/a", "bytes": 3, "md5": "0" * 32}
    project("loose", files=[stated])
    assert verify("loose").ok
    assert "expected md5" in verify("loose", checksums=True).problems[0]
    (folder / "a.bin").unlink()
    assert verify("loose").problems == ("a.bin: is not there",)


def test_right_checksums_are_noted(project, tmp_path):
    folder = tmp_path / "data" / "loose"
    folder.mkdir(parents=True)
    (folder / "a.bin").write_bytes(b"123")
    project("loose", files=[{"name": "a.bin", "url": "http://127.0.0.1:1/a"}])
    checksums.check(folder / "a.bin", File(name="a.bin"))
    assert verify("loose", checksums=True).notes == ("a.bin: the checksum is correct",)
    (folder / "a.bin").write_bytes(b"124")
    assert "its sha256 was" in verify("loose", checksums=True).problems[0]


def test_an_unpacked_archive_may_be_deleted(project, tmp_path):
    folder = tmp_path / "data" / "packed"
    folder.mkdir(parents=True)
    url = "http://127.0.0.1:1/a.tar"
    project("packed", files=[{"name": "a.tar", "url": url, "into": ".", "md5": "0" * 32}])
    assert not verify("packed").ok
    archives.mark_unpacked("a.tar", folder, f"md5:{'0' * 32}")
    assert verify("packed").notes == ("a.tar: was unpacked and then deleted",)


def test_cells_are_looked_at_one_by_one_or_some_of_them(project, tmp_path):
    cell = {"matches": 2, "images": 2, "folders": "pair"}
    contents = [{"path": "fog/[1-2]"} | cell, {"path": "snow/[1-2]"} | cell]
    project("cells", kind="imagenet_c", contents=contents)
    folder = tmp_path / "data" / "cells"
    trees.imagenet_c(folder, ["fog"], [1, 2], PAIR, side=8)
    report = verify("cells", only=["fog/"])
    assert (report.ok, report.images) == (True, 4)
    assert "snow/[1-2]: expected 2 of these, but found 0" in verify("cells").problems[0]
    next((folder / "fog" / "2").rglob("*.JPEG")).unlink()
    assert "fog/2: expected 2 images, but found 1" in verify("cells", only=["fog"]).problems[0]


def test_parts_are_looked_at_as_the_whole_and_generated_sets_not_at_all(sorted_set, project):
    project("part", of="small", classes="pair")
    assert verify("part").name == "small"
    project("drawn", access="generated")
    assert verify("drawn").ok


@pytest.mark.parametrize(
    ("name", "build"),
    [
        ("imagenet_vid_robust", trees.vid_robust),
        ("nao", coco_trees.nao),
        ("coco_val", coco_trees.coco),
    ],
)
def test_the_real_manifests_find_their_layouts(tmp_path, name, build):
    problems = verify(name, build(tmp_path)).problems
    # The small copies have too few of everything, and nothing else is wrong with them.
    assert all(re.search(r": expected \d+( or \d+)? [a-z ]+, but found \d+$", p) for p in problems)
    assert not any("annotations/instances" in p and "of these" in p for p in problems)


@pytest.mark.parametrize("edition", ["ILSVRC", "ILSVRC2015"])
def test_either_edition_of_imagenet_vid_is_found_and_only_that_of_2017_is_whole(tmp_path, edition):
    folder = trees.vid_boxes(tmp_path)
    (folder / "ILSVRC2015").rename(folder / edition)
    (problem,) = verify("imagenet_vid", folder).problems
    assert f"{edition}/Annotations/VID/val/ILSVRC2017_val_00000000: is not there (only" in problem
    assert "487 can be scored as imagenet_vid_robust_2015" in problem
    (folder / edition / "Annotations/VID/val/ILSVRC2017_val_00000000").mkdir()
    assert verify("imagenet_vid", folder).ok


def test_objects_are_counted_and_what_differs_is_told_in_words(tmp_path):
    report = verify("coco_val", coco_trees.coco(tmp_path / "coco"))
    told = "\n".join(report.problems)
    assert "instances_val2017.json: expected 36781 objects, but found 2" in told
    assert "expected 4952 images with objects, but found 1" in told
    assert "expected 446 regions of crowds, but found 1" in told
    assert "expected 11004 objects of the category person, but found 1" in told
    assert any("2 objects in 1 images, 1 of them" in note for note in report.notes)
    released = verify("nao", coco_trees.nao(tmp_path / "nao"))
    told = "\n".join(released.problems)
    assert "images: expected 7935 or 7936 images, but found 4" in told
    assert "instances_train.json: expected 2734 images with objects, but found 1" in told
    assert "instances_*.json: expected 13604 objects, but found 3" in told
    assert "category toilet" not in told  # it has none there, as it should
    assert any("78 of 80 categories have none" in note for note in released.notes)


def test_a_copy_as_it_should_be_has_the_right_objects(project, tmp_path):
    coco_trees.nao(tmp_path / "data" / "small")
    stated = {"objects": 3, "pictures": 2, "crowds": 0, "by_class": {"dog": 2, "toilet": 0}}
    content = {"path": "annotations/*.json", "matches": 3, "objects": stated}
    project("small", contents=[content, {"path": "images", "images": [3, 4]}])
    assert verify("small").problems == ()
    (tmp_path / "data" / "small" / "annotations" / "instances_test.json").write_text("[]")
    assert "instances_test.json, an object with the lists" in verify("small").problems[0]


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


def test_flat_pictures_need_a_list_of_their_classes_and_the_projects_own_is_one(
    tmp_path, monkeypatch
):
    (tmp_path / "val").mkdir()
    (tmp_path / "val" / "ILSVRC2012_val_00000001.JPEG").write_bytes(b"a picture")
    assert seems_there("imagenet_val", tmp_path)
    monkeypatch.setattr(devkit, "_ours", lambda manifest: tmp_path / "none.csv")
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
