"""Where numbers come from: what git, the packages and the machine say."""

import datetime
import json
import platform
import subprocess
import sys

import numpy
import pytest

from robust_lib.run import provenance as origin
from robust_lib.run.provenance import PACKAGES, commit_of, device_name, provenance, versions


def git(folder, *words):
    names = ["-c", "user.name=tests", "-c", "user.email=tests@localhost"]
    return subprocess.run(
        ["git", *names, *words], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A project under git with one commit."""
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    git(tmp_path, "init", "--quiet")
    (tmp_path / "code.py").write_text("one = 1\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "first")
    monkeypatch.setenv("ROBUST_ROOT", str(tmp_path))
    return tmp_path


def test_the_commit_is_that_of_the_project(repository):
    assert commit_of() == (git(repository, "rev-parse", "HEAD"), False)


def test_a_changed_file_makes_it_dirty_and_a_new_one_does_not(repository):
    """Results and scratch files lie about in every working folder; code that changed matters."""
    (repository / "notes.txt").write_text("mine")
    assert commit_of()[1] is False
    (repository / "code.py").write_text("one = 2\n")
    commit, dirty = commit_of()
    assert (len(commit), dirty) == (40, True)


def test_an_unpacked_archive_has_no_commit(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_ROOT", str(tmp_path))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert commit_of() == ("unknown", False)


def test_the_commit_of_a_repository_around_it_is_not_its_own(repository, monkeypatch):
    inside = repository / "downloads" / "project"
    inside.mkdir(parents=True)
    monkeypatch.setenv("ROBUST_ROOT", str(inside))
    assert commit_of() == ("unknown", False)


def test_git_may_be_absent(repository, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert commit_of() == ("unknown", False)


def test_git_may_hang(repository, monkeypatch):
    def hang(*words, **_):
        raise subprocess.TimeoutExpired(words, 20)

    monkeypatch.setattr(subprocess, "run", hang)
    assert commit_of() == ("unknown", False)


def test_versions_are_those_that_are_installed(monkeypatch):
    found = versions()
    assert tuple(found) == PACKAGES
    assert found["numpy"] == numpy.__version__
    assert "absent" not in found.values()
    monkeypatch.setattr(origin, "PACKAGES", ("numpy", "no-such-package"))
    assert versions() == {"numpy": numpy.__version__, "no-such-package": "absent"}


def test_the_device_has_a_name(monkeypatch):
    assert device_name("cpu") == f"cpu ({platform.machine()}, one thread a process)"
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert device_name("cuda:1").startswith("cuda:1 (")
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    monkeypatch.setattr("torch.cuda.get_device_name", lambda device: f"GPU of {device}")
    assert device_name("cuda:1") == "GPU of cuda:1"


def test_the_record_is_json_and_has_what_the_site_asks_for(repository):
    from robust_book.commands.site import PROVENANCE

    record = provenance(
        profile="smoke",
        parameters={"models": ["resnet18"], "limit": 8},
        seeds=(0, 1),
        datasets={"scenes_val": "ab"},
        weights={"resnet18_mini": "cd"},
        device="cpu",
        seconds=1.26,
        command="papermill notebooks/x.ipynb out.ipynb",
    )
    assert set(record) >= PROVENANCE
    assert json.loads(json.dumps(record)) == record
    assert record["seeds"] == [0, 1]
    assert record["seconds"] == 1.3
    assert record["versions"]["python"] == ".".join(map(str, sys.version_info[:3]))
    assert datetime.date.fromisoformat(record["date"]) <= datetime.datetime.now(datetime.UTC).date()
    assert (record["commit"], record["dirty"]) == commit_of()
