"""The branch of notebooks to launch grows by what a site brings, and forgets nothing."""

import os
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "workflow" / "launch_branch.sh"
WHO = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a"}
WHO |= {"GIT_COMMITTER_EMAIL": "a@b"}


def git(folder, *words):
    """Run git as somebody without settings, and return what it says."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
    env = kept | {"GIT_CONFIG_GLOBAL": os.devnull} | WHO
    done = subprocess.run(["git", *words], cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def checkout(tmp_path):
    git(tmp_path, "init", "--quiet", "--bare", "remote")
    git(tmp_path, "clone", "--quiet", "remote", "checkout")
    (tmp_path / "checkout" / "code.py").write_text("1\n", "utf-8")
    git(tmp_path / "checkout", "add", ".")
    git(tmp_path / "checkout", "commit", "--quiet", "-m", "one")
    return tmp_path / "checkout"


def published(checkout, folder):
    env = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
    subprocess.run([SCRIPT, folder], cwd=checkout, env=env, check=True)
    remote = checkout.parent / "remote"
    return git(remote, "ls-tree", "-r", "--name-only", "launch").split()


def test_the_branch_keeps_the_notebooks_of_other_commits_and_nothing_of_the_project(checkout):
    sites = []
    for commit in ("aaaa", "bbbb"):
        sites.append(checkout.parent / f"site-{commit}")
        (sites[-1] / commit).mkdir(parents=True)
        (sites[-1] / commit / "00_tour.ipynb").write_text(commit, "utf-8")
    assert published(checkout, sites[0]) == ["aaaa/00_tour.ipynb"]
    assert published(checkout, sites[1]) == ["aaaa/00_tour.ipynb", "bbbb/00_tour.ipynb"]
    assert git(checkout, "status", "--porcelain") == ""
    assert len(git(checkout.parent / "remote", "log", "--oneline", "launch").splitlines()) == 2
