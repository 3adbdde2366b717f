"""Listings: a second look asks once a folder, and sees whatever a folder's time tells."""

import gzip
import json
import os

import pytest
from PIL import Image

from robust_lib import paths
from robust_lib.errors import DataError
from robust_lib.fetch import listing
from robust_lib.fetch.listing import forget, listed, once
from tests import trees
from tests.looks import aged, counting


@pytest.fixture(autouse=True)
def build(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path / "build"))


@pytest.fixture
def folder(tmp_path):
    return aged(trees.class_folders(tmp_path / "val", per_class=3))


def names(found):
    return {below: one.pictures for below, one in found.items()}


def test_it_has_all_pictures_with_their_sizes(folder):
    found = listed(folder)
    assert found[""].folders == trees.WNIDS
    assert found[""].pictures == ()
    for wnid in trees.WNIDS:
        one = found[wnid]
        assert list(one.pictures) == sorted(file.name for file in (folder / wnid).iterdir())
        assert list(one.sizes) == [(folder / wnid / name).stat().st_size for name in one.pictures]


def test_hidden_and_other_files_do_not_count_and_links_are_followed(folder, tmp_path):
    (folder / "README.txt").write_text("About")
    (folder / trees.WNIDS[0] / ".hidden.jpeg").write_bytes(b"")
    (folder / ".cache").mkdir()
    elsewhere = trees.class_folders(tmp_path / "elsewhere", per_class=1)
    (folder / "linked").symlink_to(elsewhere)
    found = listed(folder)
    assert found[""].folders == tuple(sorted((*trees.WNIDS, "linked")))
    assert ".hidden.jpeg" not in found[trees.WNIDS[0]].pictures
    assert len(found[f"linked/{trees.WNIDS[0]}"].pictures) == 1


@pytest.mark.parametrize("per_class", [1, 20])
def test_a_second_look_asks_once_a_folder_whatever_it_holds(tmp_path, monkeypatch, per_class):
    folder = aged(trees.class_folders(tmp_path / "many", per_class=per_class))
    first = listed(folder)
    looks = counting(monkeypatch)
    assert listed(folder) == first
    assert looks == {"stat": 1 + len(trees.WNIDS), "scandir": 0}


def add(folder):
    trees.save(folder / trees.WNIDS[1] / "new.jpg")


def take(folder):
    next((folder / trees.WNIDS[1]).iterdir()).unlink()


def move(folder):
    file = next((folder / trees.WNIDS[1]).iterdir())
    file.rename(folder / trees.WNIDS[2] / file.name)


def swap(folder):
    one, other = (folder / wnid for wnid in trees.WNIDS[:2])
    one.rename(folder / "aside")
    other.rename(one)
    (folder / "aside").rename(other)


def drop(folder):
    for file in (folder / trees.WNIDS[1]).iterdir():
        file.unlink()
    (folder / trees.WNIDS[1]).rmdir()


def deeper(folder):
    trees.save(folder / trees.WNIDS[1] / "more" / "new.jpg")


@pytest.mark.parametrize("change", [add, take, move, swap, drop, deeper])
def test_a_changed_folder_is_noticed(folder, change):
    before = names(listed(folder))
    change(folder)
    after = names(listed(folder))
    assert after != before
    forget()
    assert names(listed(folder)) == after


def test_folders_that_changed_just_now_are_looked_at_again(tmp_path):
    """Two changes may fall into one tick of the file system's clock."""
    folder = trees.class_folders(tmp_path / "fresh")
    listed(folder)
    inside = folder / trees.WNIDS[0]
    when = inside.stat().st_mtime_ns
    trees.save(inside / "new.jpg")
    os.utime(inside, ns=(when, when))
    assert "new.jpg" in listed(folder)[trees.WNIDS[0]].pictures


def test_only_the_changed_folder_is_read(folder, monkeypatch):
    listed(folder)
    add(folder)
    looks = counting(monkeypatch)
    listed(folder)
    assert looks["scandir"] == 1


@pytest.mark.parametrize("harm", [b"", b"\x1f\x8b\x08 cut", b"nothing"])
def test_a_damaged_listing_is_none(folder, harm):
    first = listed(folder)
    (file,) = (paths.cache() / "folders").glob("*")
    file.write_bytes(harm)
    assert listed(folder) == first


def test_a_listing_of_another_format_is_none(folder, monkeypatch):
    first = listed(folder)
    (file,) = (paths.cache() / "folders").glob("*")
    record = json.loads(gzip.decompress(file.read_bytes()))
    file.write_bytes(gzip.compress(json.dumps(record | {"format": 0}).encode()))
    assert listed(folder) == first


def test_who_cannot_keep_it_looks_each_time(folder, monkeypatch):
    def full(*_):
        raise OSError("no room")

    monkeypatch.setattr(listing, "_write", full)
    assert listed(folder) == listed(folder)


def test_once_means_once(folder, monkeypatch):
    listed(folder)
    looks = counting(monkeypatch)
    with once():
        first = listed(folder)
        with once():
            assert listed(folder) is first
        assert listed(folder) is first
    assert looks["stat"] == 1 + len(trees.WNIDS)
    assert listed(folder) is not first


def test_forgotten_listings_are_made_of_every_file(folder):
    listed(folder)
    file = next((folder / trees.WNIDS[0]).iterdir())
    file.write_bytes(b"shrunk")  # which no folder's time tells
    assert 6 not in listed(folder)[trees.WNIDS[0]].sizes
    forget()
    assert 6 in listed(folder)[trees.WNIDS[0]].sizes


def test_all_pictures_that_pillow_reads_are_there_and_all_else_is_named(folder):
    """Films, documents, tables and what other programs draw are no pictures to Pillow, either."""
    Image.init()
    others = {"EPS", "FITS", "FLI", "GRIB", "BUFR", "HDF5", "IPTC", "MPEG", "WMF"}
    reads = {end for end, kind in Image.registered_extensions().items() if kind in Image.OPEN}
    reads -= {end for end, kind in Image.registered_extensions().items() if kind in others}
    assert set(listing.SUFFIXES) == reads
    for name in ("a.webp", "b.TIF", "c.heic", "README", "Thumbs.db", "._a.jpg", ".DS_Store"):
        (folder / trees.WNIDS[0] / name).touch()
    found = listed(folder)[trees.WNIDS[0]]
    assert {"a.webp", "b.TIF"} < set(found.pictures)
    assert found.others == ("README", "c.heic")


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
@pytest.mark.parametrize("name", ["caf\udce9/a.png", "val/caf\udce9.png"])
def test_a_name_that_is_no_text_is_refused(tmp_path, name):
    file = tmp_path / name
    file.parent.mkdir()
    file.touch()
    with pytest.raises(DataError, match=r"UTF-8, but got '.*caf\\udce9"):
        listed(file.parent)
