"""Archives and sums depend on names and bytes alone."""

import datetime
import os
import shutil
import subprocess
import zipfile

import pytest

from robust_book.commands.release import packed

WHEN = datetime.datetime(2026, 3, 4, tzinfo=datetime.UTC)


@pytest.fixture
def tree(tmp_path):
    folder = tmp_path / "tree"
    (folder / "below").mkdir(parents=True)
    (folder / "b.txt").write_text("b", "utf-8")
    (folder / "below" / "a.txt").write_text("a", "utf-8")
    return folder


def test_the_same_files_make_the_same_archive_whenever_they_were_written(tree, tmp_path):
    one = packed.archive(tree, tmp_path / "site.zip", WHEN).read_bytes()
    os.utime(tree / "b.txt", (0, 0))
    (tree / "b.txt").chmod(0o600)
    (tmp_path / "again").mkdir()
    assert packed.archive(tree, tmp_path / "again" / "site.zip", WHEN).read_bytes() == one
    (tree / "b.txt").write_text("c", "utf-8")
    assert packed.archive(tree, tmp_path / "site.zip", WHEN).read_bytes() != one


def test_an_archive_unpacks_into_one_folder_of_its_name(tree, tmp_path):
    made = packed.archive(tree, tmp_path / "site.zip", WHEN)
    with zipfile.ZipFile(made) as opened:
        assert opened.namelist() == ["site/b.txt", "site/below/a.txt"]
        assert opened.read("site/below/a.txt") == b"a"


def test_days_before_zips_had_any_are_the_first_one(tree, tmp_path):
    early = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    with zipfile.ZipFile(packed.archive(tree, tmp_path / "site.zip", early)) as opened:
        assert opened.infolist()[0].date_time == (1980, 1, 1, 0, 0, 0)


def test_the_sums_are_what_the_usual_tool_checks(tree):
    packed.write_sums(tree)
    packed.write_sums(tree)
    lines = (tree / packed.SUMS).read_text("utf-8").splitlines()
    assert [line.split("  ")[1] for line in lines] == ["b.txt", "below/a.txt"]
    if tool := shutil.which("sha256sum"):
        subprocess.run([tool, "--check", "--quiet", packed.SUMS], cwd=tree, check=True)
