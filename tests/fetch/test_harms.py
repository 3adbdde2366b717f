"""Harms to the real layouts, each found by `robust verify`; a whole copy has no problem."""

import shutil

import pytest
from PIL import Image

from robust_lib.fetch.verification import verify
from tests import tiny, trees

PAIR = trees.WNIDS[:2]
IMAGES = 8


@pytest.fixture(params=["archive", "kit alone", "our list alone", "nothing beside"])
def validation(request, tmp_path, monkeypatch):
    """Sorted validation images of four classes, with what tells that they are whole."""
    tiny.real_layouts(tmp_path)
    manifest = tmp_path / "data_manifests/datasets/imagenet_val.yaml"
    tiny.change(manifest, images=IMAGES)
    folder = tiny.enter(tmp_path, monkeypatch) / "data" / "imagenet_val"
    trees.class_folders(folder / "val")
    if request.param == "our list alone":
        (tmp_path / "data_manifests" / "truth").mkdir()
        ours = tmp_path / "data_manifests" / "truth" / "imagenet_val.csv"
        ours.write_text("index\n" + "".join(f"{number % 4}\n" for number in range(IMAGES)))
    elif request.param != "nothing beside":
        truth = [trees.WNIDS[number % 4] for number in range(IMAGES)]
        trees.devkit(folder, trees.KIT_ORDER, truth)
    if request.param == "archive":
        flat = tmp_path / "flat"
        flat.mkdir()
        for file in (folder / "val").rglob("*.JPEG"):
            shutil.copy(file, flat)
        archive = trees.tar(flat, folder / "ILSVRC2012_img_val.tar")
        files = [{"name": archive.name, "bytes": archive.stat().st_size, "into": "val"}]
        tiny.change(manifest, files=files)
    return folder / "val", request.param


def problems(**options):
    return "; ".join(verify("imagenet_val", picture_sizes=True, **options).problems)


def test_a_whole_copy_is_complete(validation):
    assert problems(pictures=True) == ""


def test_swapped_class_folders(validation):
    folder, beside = validation
    first, other = (folder / wnid for wnid in PAIR)
    first.rename(folder / "aside")
    other.rename(first)
    (folder / "aside").rename(other)
    if beside == "nothing beside":
        notes = " ".join(verify("imagenet_val").notes)
        assert "there is no list of the images' classes" in notes
    else:
        assert f"swapped: {PAIR[0]} holds the images of {PAIR[1]}" in problems()


def test_a_picture_moved_to_another_class(validation):
    folder, beside = validation
    moved = next((folder / PAIR[0]).iterdir())
    moved.rename(folder / PAIR[1] / moved.name)
    if beside == "nothing beside":
        assert f"unequal numbers of images: {PAIR[0]} 1, {PAIR[1]} 3" in problems()
    else:
        assert f"{PAIR[1]}/{moved.name} belongs to {PAIR[0]}" in problems()


def test_a_picture_shrunk(validation):
    folder, beside = validation
    shrunk = next((folder / PAIR[0]).iterdir())
    with Image.open(shrunk) as picture:
        picture.resize((20, 15)).save(shrunk)
    if beside == "archive":
        assert f"{PAIR[0]}/{shrunk.name} has" in problems()
    else:
        notes = " ".join(verify("imagenet_val", picture_sizes=True).notes)
        assert "a tar of these images has 20,480 bytes, the published one 6,744,924,160" in notes


def test_a_picture_cut_short(validation):
    folder, _ = validation
    cut = next((folder / PAIR[0]).iterdir())
    cut.write_bytes(cut.read_bytes()[:-200])
    assert f"cannot be read completely: 1 ({PAIR[0]}/{cut.name})" in problems(pictures=True)


def test_sizes_stay_known_when_the_archive_is_deleted(validation):
    folder, beside = validation
    if beside == "archive":
        verify("imagenet_val", picture_sizes=True)
        (folder.parent / "ILSVRC2012_img_val.tar").unlink()
        test_a_picture_shrunk(validation)


@pytest.fixture
def archive(tmp_path, monkeypatch):
    """Two cells of the archive, and validation images that are sorted."""
    tiny.real_layouts(tmp_path)
    data = tiny.enter(tmp_path, monkeypatch) / "data"
    trees.class_folders(data / "imagenet_val" / "val", per_class=1)
    trees.imagenet_c(data / "imagenet_c", ["fog"], side=224)
    return data / "imagenet_c" / "fog"


def told(**options):
    return "; ".join(verify("imagenet_c", only=["fog/"], **options).problems)


def test_a_whole_cell_is_complete(archive):
    assert told(pictures=True) == ""


def test_harms_to_a_cell_are_found(archive):
    moved = next((archive / "2" / PAIR[0]).iterdir())
    moved.rename(archive / "2" / PAIR[1] / moved.name)
    assert f"fog/2: images in the folder of another class: 1 ({PAIR[1]}/" in told()
    shrunk, cut = (next((archive / name / PAIR[0]).iterdir()) for name in "34")
    Image.open(shrunk).resize((112, 112)).save(shrunk)
    cut.write_bytes(cut.read_bytes()[:-200])
    every = told(pictures=True)
    assert "fog/3: images whose sizes differ from 224 x 224 pixels: 1" in every
    assert "fog/4: images that cannot be read completely: 1" in every
    for wnid, other in (("aside", PAIR[0]), (PAIR[0], PAIR[1]), (PAIR[1], "aside")):
        (archive / "5" / other).rename(archive / "5" / wnid)
    assert "fog/5: class folders are swapped" in told()
