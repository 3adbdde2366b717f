"""Pictures in the folders of other classes: swapped, moved, twice, missing or unknown."""

import shutil
from pathlib import Path

import pytest

from robust_lib.config.manifests import load_dataset
from robust_lib.fetch import members
from tests import tiny, trees

TRUTH = {f"{number}.JPEG": f"n{number % 3:08d}" for number in range(9)}
VAL = Path("val")


def placed(**changes):
    lies = TRUTH | {f"{name[1:]}.JPEG": inside for name, inside in changes.items()}
    return [VAL / inside / name for name, inside in lies.items() if inside]


def told(files, truth=TRUTH):
    return list(members.problems(VAL, files, truth))


def test_pictures_in_their_classes_have_no_problem():
    assert told(placed()) == []
    assert told([VAL / name for name in TRUTH]) == []  # flat: no folder tells a class


def test_a_moved_picture_is_named_with_both_classes():
    assert told(placed(_4="n00000002")) == [
        "val: pictures in the folder of another class: 1 (n00000002/4.JPEG belongs to n00000001)"
    ]
    assert told(placed(_4="n00000002", _5="n00000001", _0="n00000001"))[0].startswith(
        "val: pictures in the folder of another class: 3 ("
    )


def test_swapped_class_folders_are_named():
    turned = {"n00000000": "n00000001", "n00000001": "n00000000", "n00000002": "n00000002"}
    files = [VAL / turned[inside] / name for name, inside in TRUTH.items()]
    assert told(files) == [
        "val: class folders are swapped: n00000000 holds the pictures of n00000001, n00000001 "
        "those of n00000000"
    ]


def test_missing_unknown_and_doubled_pictures_are_counted():
    assert told(placed(_4=None)) == ["val: pictures of the list that are not there: 1 (4.JPEG)"]
    files = [*placed(), VAL / "n00000000" / "x.JPEG", VAL / "n00000001" / "0.JPEG"]
    assert told(files) == [
        "val: pictures that are in no list: 1 (x.JPEG)",
        "val: pictures that are there twice: 1 (0.JPEG)",
        "val: pictures in the folder of another class: 1 (n00000001/0.JPEG belongs to n00000000)",
    ]


@pytest.fixture
def project(tmp_path, monkeypatch):
    tiny.real_layouts(tmp_path)
    return tiny.enter(tmp_path, monkeypatch) / "data"


def known(name, folder):
    return members.known(load_dataset(name), folder / name)


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
