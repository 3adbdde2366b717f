"""A release is whole, the same each time, and there or not there."""

import json

import pytest

from robust_book.commands import release
from robust_lib.errors import RunError
from tests.commands.release import small


@pytest.fixture
def root(tmp_path, monkeypatch):
    return small.checkout(tmp_path / "toy", monkeypatch)


def content(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


WHOLE = {
    "croissant/ours.json", "CHANGELOG.md", "CITATION.cff", "LICENSE", "NOTES.md", "README.md",
    "SHA256SUMS", "book.pdf", "verify.py",
    "packages/toy_lib-1.2.0-py3-none-any.whl", "packages/toy_lib-1.2.0.tar.gz",
    "results/inc-tab1.csv", "results/one.json", "ro-crate-metadata.json", "site.zip",
    ".zenodo.json", "codecheck.yml", "codemeta.json", "workflow/Snakefile",
}  # fmt: skip


def test_a_release_has_all_its_parts_and_their_sums(root):
    made = release.make("toys", steps=small.STEPS)
    assert made == root / "build" / "release" / "toy-lib-1.2.0"
    assert content(made).keys() == WHOLE
    assert release.check(made) == []
    assert (made / "NOTES.md").read_text("utf-8") == "# toy-lib 1.2.0, 2026-03-04\n\n- New.\n"
    described = json.loads((made / "ro-crate-metadata.json").read_text("utf-8"))["@graph"]
    files = {one["@id"] for one in described if "File" in one["@type"]}
    assert files == WHOLE - {"ro-crate-metadata.json", "SHA256SUMS"}


def test_two_releases_of_one_commit_are_the_same_bytes(root):
    made = release.make("toys", steps=small.STEPS)
    first = content(made)
    made.rename(root / "build" / "first")
    assert content(release.make("toys", steps=small.STEPS)) == first


def test_a_changed_or_lost_file_is_found(root):
    made = release.make("toys", steps=small.STEPS)
    (made / "LICENSE").write_text("Not free.\n", "utf-8")
    (made / "site.zip").unlink()
    assert release.check(made) == ["LICENSE", "site.zip"]


def test_a_release_that_is_there_is_not_replaced(root):
    made = release.make("toys", steps=small.STEPS)
    before = content(made)
    with pytest.raises(
        RunError, match=r"exists already\. Delete that folder, or set the next version"
    ):
        release.make("toys", steps=small.STEPS)
    assert content(made) == before


@pytest.mark.parametrize("step", ["render", "print", "build"])
def test_a_step_that_fails_leaves_nothing(root, step):
    def fail(*_):
        raise RunError("no browser")

    steps = {name: getattr(small.STEPS, name) for name in ("render", "print", "build", "trained")}
    with pytest.raises(RunError, match="no browser"):
        release.make("toys", steps=release.Steps(**steps | {step: fail}))
    assert list((root / "build" / "release").iterdir()) == []


def test_a_dirty_checkout_is_refused_before_anything_is_made(root):
    (root / "README.md").write_text("changed", "utf-8")
    with pytest.raises(RunError, match="Expected a clean checkout"):
        release.make("toys", steps=small.STEPS)
    assert not (root / "build" / "release").exists()


def test_a_folder_without_sums_cannot_be_checked(tmp_path):
    with pytest.raises(RunError, match="Expected SHA256SUMS"):
        release.check(tmp_path)
