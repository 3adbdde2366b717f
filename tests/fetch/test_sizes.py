"""The sizes of an archive's pictures, recorded and compared."""

import json
import tarfile

import pytest

from robust_lib.config.dataset_files import File
from robust_lib.config.manifests import DatasetManifest
from robust_lib.fetch import sizes
from tests import trees

MANIFEST = DatasetManifest(
    name="small", title="Small", kind="image_folder", layout="folders", licence="none",
    access="open", instructions="ask somebody",
    files=(File(name="a.tar", into="."), File(name="kit.tar.gz", into=".")),
)  # fmt: skip


@pytest.fixture(params=["sorted", "flat"])
def unpacked(request, tmp_path):
    """A tar, and its pictures sorted into class folders or flat."""
    inside = tmp_path / "source"
    pictures = trees.class_folders(inside / "root")
    if request.param == "flat":
        for file in list(pictures.rglob("*.JPEG")):
            file.rename(inside / file.name)
    (inside / "README.txt").write_text("no picture")
    folder = tmp_path / "small"
    folder.mkdir()
    trees.tar(inside, folder / "a.tar")
    pictures = trees.class_folders(folder / "val")
    return folder, sorted(pictures.rglob("*.JPEG"))


def test_the_table_is_made_of_the_users_archive(unpacked):
    folder, pictures = unpacked
    assert sizes.recorded(folder) is None
    assert sizes.record(MANIFEST, folder) == folder / ".sizes.json"
    known = sizes.recorded(folder)
    assert len(known) == len(pictures) == 8
    assert {file.stat().st_size for file in pictures} == set(known.values())
    assert not any("README" in name for name in known)


def test_without_an_archive_nothing_is_recorded(tmp_path):
    assert sizes.record(MANIFEST, tmp_path) is None
    other = MANIFEST.model_copy(update={"kind": "imagenet_c"})
    trees.tar(trees.class_folders(tmp_path / "source"), tmp_path / "a.tar")
    assert sizes.record(other, tmp_path) is None
    (tmp_path / ".sizes.json").write_text("half a ta")
    assert sizes.recorded(tmp_path) is None


def test_other_sizes_are_named(unpacked):
    folder, pictures = unpacked
    sizes.record(MANIFEST, folder)
    known = sizes.recorded(folder)
    assert list(sizes.problems(folder / "val", pictures, known)) == []
    before = pictures[3].stat().st_size
    pictures[3].write_bytes(pictures[3].read_bytes()[:-9])
    (told,) = sizes.problems(folder / "val", pictures, known)
    assert "pictures of other sizes than in the archive: 1 (" in told
    assert f"{pictures[3].name} has {before - 9:,} bytes, not {before:,}" in told


def test_a_tars_size_follows_from_its_files(tmp_path):
    pictures = sorted(trees.flat_validation(tmp_path, 40).rglob("*.JPEG"))
    archive = tmp_path / "val.tar"
    with tarfile.open(archive, "w", format=tarfile.USTAR_FORMAT) as packed:
        for file in pictures:
            packed.add(file, arcname=file.name)
    assert sizes.packed(pictures) == archive.stat().st_size
    pictures[0].write_bytes(b"\0" * 50_000)
    assert sizes.packed(pictures) > archive.stat().st_size


def test_the_table_is_plain_json(unpacked):
    folder, _ = unpacked
    sizes.record(MANIFEST, folder)
    assert json.loads((folder / sizes.TABLE).read_text()) == sizes.recorded(folder)
