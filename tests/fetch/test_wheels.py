"""Files out of wheels, brought by pip itself from a folder; nothing goes outside."""

import hashlib
import os

import pytest

from robust_lib.config.dataset_files import File
from robust_lib.config.manifests import load_dataset
from robust_lib.errors import FetchError
from robust_lib.fetch import fetch, wheels
from tests.wheels import packed, wheel

PICTURE, CAT = b"a picture", b"a cat"
FILES = {"toys/data/one.png": PICTURE, "toys/data/cats.tar.gz": packed({"./cat.jpg": CAT})}


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def index(tmp_path, monkeypatch):
    """A folder that is all that pip knows, with the wheel of toys-of-tests 1.0."""
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    digest = wheel(tmp_path / "index", "toys-of-tests", FILES)
    return tmp_path / "index", digest


def file(digest: str, member: str, content: bytes, name: str = "n01440764/one.png") -> File:
    source = f"toys-of-tests==1.0/{member}#sha256={digest}"
    return File(name=name, pypi=source, bytes=len(content), sha256=sha256(content))


def test_files_of_a_wheel_are_read_and_the_wheel_is_brought_once(index, tmp_path):
    folder, digest = index
    one = file(digest, "toys/data/one.png", PICTURE)
    path = wheels.bring(one, tmp_path / "data" / "photographs")
    assert (path.read_bytes(), path.parent.name) == (PICTURE, "n01440764")
    (next(folder.iterdir())).unlink()  # pip would find nothing now
    cat = file(digest, "toys/data/cats.tar.gz/cat.jpg", CAT, "cat.jpg")
    assert wheels.bring(cat, tmp_path / "data" / "photographs").read_bytes() == CAT
    path.write_bytes(b"another")
    with pytest.raises(FetchError, match="bytes"):
        wheels.bring(one, tmp_path / "data" / "photographs")


def test_another_wheel_or_another_file_is_refused_and_not_kept(index, tmp_path):
    _, digest = index
    other = file(sha256(b"other"), "toys/data/one.png", PICTURE)
    with pytest.raises(FetchError, match=r"wheel of toys-of-tests==1\.0 differs"):
        wheels.bring(other, tmp_path)
    assert not list((tmp_path / "data" / "wheels").glob("*.whl"))
    with pytest.raises(FetchError, match=r"published n01440764/one\.png.*toys"):
        wheels.bring(file(digest, "toys/data/one.png", b"a pictura"), tmp_path)
    with pytest.raises(FetchError, match=r"Expected toys/data/two\.png in"):
        wheels.bring(file(digest, "toys/data/two.png", PICTURE), tmp_path)
    assert not (tmp_path / "n01440764").exists()


def test_without_the_package_pips_words_are_passed_on_and_the_address_is_next(
    index, site, project, tmp_path
):
    folder, digest = index
    (next(folder.iterdir())).unlink()
    one = file(digest, "toys/data/one.png", PICTURE, "one.png")
    with pytest.raises(FetchError, match=r"pip.*download toys-of-tests==1\.0: ERROR"):
        wheels.bring(one, tmp_path)
    site.add("one.png", PICTURE)
    known = one.model_dump(exclude_none=True) | {"url": site.url("one.png")}
    project("small", files=[known], images=1, classes="pair")
    assert (fetch("small") / "one.png").read_bytes() == PICTURE


def test_a_file_of_an_installed_package_is_copied(tmp_path):
    chelsea = next(f for f in load_dataset("photographs_open").files if "chelsea" in f.name)
    assert wheels.bring(chelsea, tmp_path).stat().st_size == chelsea.bytes
    for place, message in (
        ("toys_of_nobody/a.png", "to be installed"),
        ("skimage/a.png", "no suc"),
    ):
        with pytest.raises(FetchError, match=message):
            wheels.bring(File(name="a.png", installed=place), tmp_path)
