"""Distributions that install, archives and checksums that are the same for the same files."""

import datetime
import os
import sys
import zipfile

import pytest

from robust_book.commands.release import packages
from robust_lib.errors import RunError


def uv(folder, monkeypatch, script):
    """Let a script stand for uv, beside a python of its own."""
    path = folder / "bin" / "uv"
    path.parent.mkdir()
    path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    path.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(path.with_name("python")))


def test_without_uv_it_is_said_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RunError, match="Expected uv, which builds the wheel"):
        packages.build(tmp_path, tmp_path / "out", 0)


def test_a_build_that_fails_says_why(tmp_path, monkeypatch):
    uv(tmp_path, monkeypatch, "echo no backend >&2; exit 2")
    with pytest.raises(RunError, match="building them failed: no backend"):
        packages.build(tmp_path, tmp_path / "out", 0)


def test_both_packages_are_dated_by_the_release(tmp_path, monkeypatch):
    out = tmp_path / "out"
    made = (
        f"mkdir {out}; cd {out}; echo $SOURCE_DATE_EPOCH | tee a.whl > a.tar.gz; touch .gitignore"
    )
    uv(tmp_path, monkeypatch, made)
    found = packages.build(tmp_path, out, 86400)
    assert [path.name for path in found] == ["a.tar.gz", "a.whl"]
    assert found[1].read_text("utf-8") == "86400\n"
    assert sorted(path.name for path in out.iterdir()) == ["a.tar.gz", "a.whl"]


WHEN = datetime.datetime(2026, 3, 4, tzinfo=datetime.UTC)


@pytest.fixture
def tree(tmp_path):
    folder = tmp_path / "tree"
    (folder / "below").mkdir(parents=True)
    (folder / "b.txt").write_text("b", "utf-8")
    (folder / "below" / "a.txt").write_text("a", "utf-8")
    return folder


def test_the_same_files_make_the_same_archive_whenever_they_were_written(tree, tmp_path):
    one = packages.archive(tree, tmp_path / "site.zip", WHEN).read_bytes()
    os.utime(tree / "b.txt", (0, 0))
    (tree / "b.txt").chmod(0o600)
    (tmp_path / "again").mkdir()
    assert packages.archive(tree, tmp_path / "again" / "site.zip", WHEN).read_bytes() == one
    (tree / "b.txt").write_text("c", "utf-8")
    assert packages.archive(tree, tmp_path / "site.zip", WHEN).read_bytes() != one


def test_an_archive_unpacks_into_one_folder_of_its_name(tree, tmp_path):
    made = packages.archive(tree, tmp_path / "site.zip", WHEN)
    with zipfile.ZipFile(made) as opened:
        assert opened.namelist() == ["site/b.txt", "site/below/a.txt"]
        assert opened.read("site/below/a.txt") == b"a"


def test_days_before_zips_had_any_are_the_first_one(tree, tmp_path):
    early = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    with zipfile.ZipFile(packages.archive(tree, tmp_path / "site.zip", early)) as opened:
        assert opened.infolist()[0].date_time == (1980, 1, 1, 0, 0, 0)
