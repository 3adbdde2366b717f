import errno
import io
import tarfile
import zipfile

import pytest

from robust_lib.errors import FetchError
from robust_lib.fetch import archives
from tests import trees


def tar_of(path, *members):
    """Pack members given as TarInfo, or as (name, content)."""
    with tarfile.open(path, "w") as packed:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                packed.addfile(member)
            else:
                info = tarfile.TarInfo(member[0])
                info.size = len(member[1])
                packed.addfile(info, io.BytesIO(member[1]))
    return path


def link(name, target, kind=tarfile.SYMTYPE):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def special(name, kind):
    info = tarfile.TarInfo(name)
    info.type = kind
    return info


def zip_of(path, **members):
    with zipfile.ZipFile(path, "w") as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return path


def contents(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_a_tar_is_unpacked_whole(tmp_path, mode):
    source = trees.imagenet_a(tmp_path / "source")
    archive = trees.tar(source, tmp_path / "a.tar", mode=mode)
    folder = archives.extract(archive, tmp_path / "new" / "data")
    assert contents(folder) == contents(source)
    assert {path.name for path in folder.parent.iterdir()} == {"data"}
    assert folder.stat().st_mode & 0o777 == 0o755


def test_a_zip_is_unpacked_whole(tmp_path):
    archive = zip_of(tmp_path / "a.zip", **{"val/1.jpg": b"one", "val/2.jpg": b"two"})
    folder = archives.extract(archive, tmp_path / "data")
    assert contents(folder) == {"val/1.jpg": b"one", "val/2.jpg": b"two"}


def test_a_tar_that_ends_in_a_zip_is_a_tar(tmp_path):
    zip_of(tmp_path / "inner.zip", hidden=b"x")
    inner = (tmp_path / "inner.zip").read_bytes()
    archive = tar_of(tmp_path / "a.tar", ("first", b"1"), ("inner.zip", inner))
    assert set(contents(archives.extract(archive, tmp_path / "data"))) == {"first", "inner.zip"}


def test_several_archives_share_a_folder(tmp_path):
    for name in ("fog", "snow"):
        trees.imagenet_c(tmp_path / name, [name], [1])
        archives.extract(trees.tar(tmp_path / name, tmp_path / f"{name}.tar"), tmp_path / "data")
    assert {path.name for path in (tmp_path / "data").iterdir()} == {"fog", "snow"}


def test_what_an_interrupted_run_left_is_replaced_not_mixed(tmp_path):
    archive = tar_of(tmp_path / "a.tar", ("set/new", b"1"), ("list", b"2"))
    (tmp_path / "data" / "set").mkdir(parents=True)
    (tmp_path / "data" / "set" / "old").write_bytes(b"0")
    (tmp_path / "data" / "list").write_bytes(b"0")
    folder = archives.extract(archive, tmp_path / "data")
    assert contents(folder) == {"set/new": b"1", "list": b"2"}
    assert {path.name for path in folder.iterdir()} == {"set", "list"}


def test_links_that_stay_inside_are_kept(tmp_path):
    archive = tar_of(
        tmp_path / "a.tar",
        ("set/real", b"1"),
        link("set/soft", "real"),
        link("other/up", "../set/real"),
        link("set/hard", "set/real", tarfile.LNKTYPE),
    )
    folder = archives.extract(archive, tmp_path / "data")
    assert set(contents(folder).values()) == {b"1"}
    assert (folder / "other" / "up").is_symlink()


@pytest.mark.parametrize(
    ("member", "reason"),
    [
        (("../evil", b"x"), "its name leads outside"),
        (("set/../../evil", b"x"), "its name leads outside"),
        (("/evil", b"x"), "its name leads outside"),
        (("..\\evil", b"x"), "its name leads outside"),
        (("C:\\evil", b"x"), "its name leads outside"),
        (("\\evil", b"x"), "its name leads outside"),
        (link("escape", "../../etc"), "it links to ./../../etc, outside"),
        (link("set/escape", "../.."), r"it links to set/../.., outside"),
        (link("escape", "/etc"), "it links to /etc, outside"),
        (link("hard", "../secret", tarfile.LNKTYPE), "it links to ../secret, outside"),
        (special("pipe", tarfile.FIFOTYPE), "neither a file"),
        (special("device", tarfile.CHRTYPE), "neither a file"),
    ],
)
def test_a_member_that_leaves_is_refused_before_anything_is_written(tmp_path, member, reason):
    archive = tar_of(tmp_path / "a.tar", ("good", b"1"), member)
    with pytest.raises(FetchError) as caught:
        archives.extract(archive, tmp_path / "place" / "data")
    assert reason in str(caught.value)
    assert "Nothing was written" in str(caught.value)
    assert list((tmp_path / "place").iterdir()) == []


def test_a_member_that_goes_through_a_link_is_refused(tmp_path):
    archive = tar_of(tmp_path / "a.tar", link("set/a", "."), ("set/a/b", b"x"))
    with pytest.raises(FetchError, match="leads through a link"):
        archives.extract(archive, tmp_path / "data")
    assert not (tmp_path / "data").exists()


def test_zips_are_judged_alike(tmp_path):
    for number, name in enumerate(["../evil", "/evil", "a/../../evil", "..\\evil"]):
        archive = zip_of(tmp_path / f"{number}.zip", **{"good": b"1", name: b"x"})
        with pytest.raises(FetchError, match="leads outside the folder"):
            archives.extract(archive, tmp_path / "data")
    soft = zipfile.ZipInfo("soft")
    soft.create_system, soft.external_attr = 3, 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "link.zip", "w") as packed:
        packed.writestr(soft, "/etc/passwd")
    with pytest.raises(FetchError, match="neither a file"):
        archives.extract(tmp_path / "link.zip", tmp_path / "data")
    assert not (tmp_path / "data").exists()
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize("share", [0.3, 0.7, 0.98])
@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_a_truncated_tar_leaves_nothing(tmp_path, mode, share):
    source = trees.imagenet_a(tmp_path / "source", per_class=5)
    archive = trees.tar(source, tmp_path / "a.tar", mode=mode)
    whole = archive.read_bytes()
    # An uncompressed tar ends in empty blocks; cut it inside what comes before them.
    end = len(whole.rstrip(b"\0")) if mode == "w" else len(whole)
    archive.write_bytes(whole[: int(share * end)])
    (tmp_path / "place").mkdir()
    with pytest.raises(FetchError, match="not a whole tar or zip archive"):
        archives.extract(archive, tmp_path / "place" / "data")
    assert list((tmp_path / "place").iterdir()) == []


def test_a_damaged_zip_and_another_file_are_named(tmp_path):
    archive = zip_of(tmp_path / "a.zip", picture=b"abcdefgh" * 100)
    damaged = archive.read_bytes().replace(b"abcdefgh", b"abcdefgi", 1)
    archive.write_bytes(damaged)
    with pytest.raises(FetchError, match=r"whole.*archive.*CRC"):
        archives.extract(archive, tmp_path / "data")
    (tmp_path / "page.tar").write_bytes(b"<html>Please log in</html>")
    with pytest.raises(FetchError, match="not a whole tar or zip archive"):
        archives.extract(tmp_path / "page.tar", tmp_path / "data")
    assert not (tmp_path / "data").exists()


def test_a_full_disk_is_said_so_and_leaves_nothing(tmp_path, monkeypatch):
    archive = tar_of(tmp_path / "a.tar", ("first", b"1"), ("second", b"2"))

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tarfile, "copyfileobj", full)
    (tmp_path / "place").mkdir()
    with pytest.raises(FetchError, match="The disk is full"):
        archives.extract(archive, tmp_path / "place" / "data")
    assert list((tmp_path / "place").iterdir()) == []


def test_another_fault_of_the_system_is_passed_on_in_words(tmp_path):
    archive = tar_of(tmp_path / "a.tar", ("first", b"1"))
    (tmp_path / "data").write_text("a file where the folder should be")
    with pytest.raises(FetchError, match="Could not unpack"):
        archives.extract(archive, tmp_path / "data")


def test_the_mark_belongs_to_one_version_of_one_archive(tmp_path):
    assert not archives.is_unpacked("a.tar", tmp_path, "md5:1")
    archives.mark_unpacked("a.tar", tmp_path, "md5:1")
    assert archives.is_unpacked("a.tar", tmp_path, "md5:1")
    assert not archives.is_unpacked("a.tar", tmp_path, "md5:2")
    assert not archives.is_unpacked("b.tar", tmp_path, "md5:1")
    (tmp_path / ".a.tar.unpacked.json").write_text("{")
    assert not archives.is_unpacked("a.tar", tmp_path, "md5:1")
