import base64
import hashlib
import json

import pytest

from robust_lib.config.dataset_files import File, Mirror
from robust_lib.errors import FetchError
from robust_lib.fetch import checksums


def integrity(content: bytes) -> str:
    return "sha512-" + base64.b64encode(hashlib.sha512(content).digest()).decode()


def test_npm_integrity_is_the_sha512_in_base64(tmp_path):
    path = tmp_path / "a.tgz"
    path.write_bytes(b"package")
    file = File(name="a.tgz", sha512=integrity(b"package"))
    assert checksums.published(file) == {"sha512": hashlib.sha512(b"package").hexdigest()}
    checksums.check(path, file)
    with pytest.raises(FetchError, match="expected sha512"):
        checksums.check(path, File(name="a.tgz", sha512=integrity(b"other")))


def test_a_missing_file_and_a_wrong_size_are_named(tmp_path):
    with pytest.raises(FetchError, match="but there is none"):
        checksums.check(tmp_path / "a.tar", File(name="a.tar"))
    (tmp_path / "a.tar").write_bytes(b"123")
    with pytest.raises(FetchError, match=r"4 bytes.*3"):
        checksums.check(tmp_path / "a.tar", File(name="a.tar", bytes=4))


def test_a_checked_file_is_read_again_only_when_it_changed_or_on_demand(tmp_path, monkeypatch):
    path = tmp_path / "a.tar"
    path.write_bytes(b"123")
    file = File(name="a.tar", md5=hashlib.md5(b"123").hexdigest())
    reads = []
    feed_file = checksums.feed_file
    monkeypatch.setattr(
        checksums, "feed_file", lambda hashes, read: reads.append(read) or feed_file(hashes, read)
    )
    checksums.check(path, file)
    checksums.check(path, file)
    assert len(reads) == 1
    checksums.check(path, file, again=True)
    assert len(reads) == 2
    path.write_bytes(b"124")
    with pytest.raises(FetchError, match="expected md5"):
        checksums.check(path, file)


def test_a_new_manifest_is_checked_although_the_file_has_a_receipt(tmp_path):
    path = tmp_path / "a.tar"
    path.write_bytes(b"123")
    checksums.check(path, File(name="a.tar"))
    with pytest.raises(FetchError, match="expected md5"):
        checksums.check(path, File(name="a.tar", md5="0" * 32))


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"sha256": 3}'])
def test_a_damaged_receipt_is_named(tmp_path, text):
    path = tmp_path / "a.tar"
    path.write_bytes(b"123")
    checksums.receipt_path(path).write_text(text)
    with pytest.raises(FetchError, match=r"a\.tar\.sha256\.json is not the record"):
        checksums.check(path, File(name="a.tar"))


def test_a_read_only_folder_is_checked_without_receipt(tmp_path, monkeypatch):
    path = tmp_path / "a.tar"
    path.write_bytes(b"123")
    monkeypatch.setattr(checksums.os, "access", lambda *_: False)
    checksums.check(path, File(name="a.tar", bytes=3))
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.tar"]


def test_a_receipt_says_what_it_stands_on(tmp_path):
    path = tmp_path / "a.tar"
    path.write_bytes(b"123")
    md5 = hashlib.md5(b"123").hexdigest()
    checksums.check(path, File(name="a.tar", md5=md5))
    receipt = json.loads(checksums.receipt_path(path).read_text())
    assert receipt["published"] == {"md5": md5}
    assert receipt["sha256"] == hashlib.sha256(b"123").hexdigest()
    assert receipt["bytes"] == 3


def test_what_a_mirror_gives_is_right_if_it_was_put_there_by_hand(tmp_path):
    path = tmp_path / "a.tar"
    path.write_bytes(b"123")
    own = Mirror(url="https://b.org/a.tar", bytes=3, sha256=hashlib.sha256(b"123").hexdigest())
    file = File(name="a.tar", bytes=5, md5="0" * 32, mirrors=[own])
    checksums.check(path, file)
    assert json.loads(checksums.receipt_path(path).read_text())["published"].keys() == {"sha256"}
    with pytest.raises(FetchError, match=r"5 bytes.*3"):
        checksums.check(path, file.model_copy(update={"mirrors": ()}))


def test_the_beginning_of_a_checksum_is_compared_with_as_many_digits(tmp_path):
    path = tmp_path / "net-a665a459.pth"
    path.write_bytes(b"123")
    checksums.check(path, File(name=path.name, sha256_begins="a665a459"))
    with pytest.raises(FetchError, match="expected sha256 a665a450, but got a665a459"):
        checksums.check(path, File(name=path.name, sha256_begins="a665a450"))
    whole = File(name=path.name, sha256="a665a459" + "0" * 56, sha256_begins="a665a459")
    with pytest.raises(FetchError, match="expected sha256 a665a4590"):
        checksums.check(path, whole)


def test_what_no_manifest_describes_must_stay_what_it_was_at_first(tmp_path):
    path = tmp_path / "a.pth"
    path.write_bytes(b"123")
    checksums.check_unchanged(path)
    path.touch()
    checksums.check_unchanged(path)
    path.write_bytes(b"124")
    with pytest.raises(FetchError, match="its sha256 was a665a459"):
        checksums.check_unchanged(path)


def test_what_a_publisher_told_stays_in_the_receipt(tmp_path):
    path = tmp_path / "a.pth"
    path.write_bytes(b"123")
    told = hashlib.sha256(b"123").hexdigest()
    checksums.check(path, File(name="a.pth", sha256=told))
    path.touch()
    checksums.check_unchanged(path)
    receipt = json.loads(checksums.receipt_path(path).read_text())
    assert receipt["published"] == {"sha256": told}
    path.write_bytes(b"124")
    with pytest.raises(FetchError, match=f"expected sha256 {told}"):
        checksums.check_unchanged(path)
