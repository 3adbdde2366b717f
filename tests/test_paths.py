"""Paths: where the project is, and the three variables that move what it holds."""

import subprocess
import sys
from pathlib import Path

import pytest

from robust_lib import paths

VARIABLES = ("ROBUST_ROOT", "ROBUST_BUILD", "ROBUST_DATA")


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


def test_the_project_is_the_folder_of_the_library():
    assert paths.root() == Path(__file__).resolve().parents[1]
    for folder in (paths.manifests(), paths.notebooks(), paths.book()):
        assert folder.parent == paths.root()
        assert folder.is_dir()


def test_all_that_is_generated_lies_in_one_folder_that_can_be_deleted():
    build = paths.root() / "build"
    generated = (paths.cache(), paths.data(), paths.profile("mini"))
    assert generated == (build / "cache", build / "data", build / "mini")


def test_each_variable_moves_what_it_says_and_nothing_else(monkeypatch, tmp_path):
    monkeypatch.setenv("ROBUST_ROOT", str(tmp_path / "project"))
    assert paths.manifests() == tmp_path / "project" / "data_manifests"
    assert paths.data() == tmp_path / "project" / "build" / "data"
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path / "fast"))
    assert paths.cache() == tmp_path / "fast" / "cache"
    assert paths.data() == tmp_path / "fast" / "data"
    assert paths.root() == tmp_path / "project"
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path / "large"))
    assert paths.data() == tmp_path / "large"
    assert paths.build() == tmp_path / "fast"


def test_a_folder_of_data_holds_for_the_processes_that_are_started(monkeypatch, tmp_path):
    monkeypatch.setenv("ROBUST_DATA", "to be put back")
    monkeypatch.chdir(tmp_path)
    paths.use_data(Path("relative"))
    code = "from robust_lib import paths; print(paths.data())"
    told = subprocess.run(
        [sys.executable, "-c", code], cwd="/", capture_output=True, text=True, check=True
    ).stdout
    assert told == f"{tmp_path / 'relative'}\n"
