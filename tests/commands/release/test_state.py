"""A release begins where everything agrees and is committed; each fault is named."""

import datetime
import json

import pytest

from robust_book.commands.release import state
from robust_lib.errors import RunError
from tests.commands.release import small


@pytest.fixture
def root(tmp_path, monkeypatch):
    return small.checkout(tmp_path / "toy", monkeypatch)


def change(path, old, new):
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def test_one_version_has_its_day_and_its_notes(root):
    found = state.version(root)
    assert (found.name, found.number, found.date) == ("toy-lib", "1.2.0", datetime.date(2026, 3, 4))
    assert found.notes == "- New."
    assert found.when.isoformat() == "2026-03-04T00:00:00+00:00"


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("CHANGELOG.md", "2026-03-04", "Unreleased", r"\[1\.2\.0\] - Unreleased`: write .*YYYY"),
        ("CHANGELOG.md", "2026-03-04", "2026-13-04", r"2026-13-04`: write .*YYYY-MM-DD"),
        ("CHANGELOG.md", "[1.2.0]", "[1.3.0]", r"no section \[1\.2\.0\]"),
        (
            "CITATION.cff",
            "version: 1.2.0\ndate",
            "version: 1.1.0\ndate",
            r"1\.1\.0`: write 1\.2\.0",
        ),
        (
            "CITATION.cff",
            "date-released: 2026-03-04\n",
            "",
            r"`date-released: None`: write 2026-03",
        ),
        ("pyproject.toml", "1.2.0", "1.3.0", r"the 1\.3\.0 of pyproject\.toml"),
    ],
)
def test_a_file_that_disagrees_is_named_with_what_to_write(root, file, old, new, told):
    change(root / file, old, new)
    with pytest.raises(RunError, match=told):
        state.version(root)


def test_faults_are_named_together(root):
    change(root / "CHANGELOG.md", "2026-03-04", "Unreleased")
    change(root / "CITATION.cff", "version: 1.2.0\ndate", "version: 1.1.0\ndate")
    with pytest.raises(RunError, match=r"CHANGELOG\.md has .*CITATION\.cff has"):
        state.version(root)


def test_the_commit_of_a_clean_checkout_is_known(root):
    assert len(state.commit()) == 40


@pytest.mark.parametrize("name", ["README.md", "new file.txt"])
def test_a_file_that_is_not_as_committed_is_named(root, name):
    (root / name).write_text("changed", "utf-8")
    with pytest.raises(RunError, match=rf"clean checkout, but 1 files .*: {name}\. Commit"):
        state.commit()


def test_without_git_there_is_no_release(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_ROOT", str(tmp_path))
    with pytest.raises(RunError, match="Expected a git checkout"):
        state.commit()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"dirty": True}, "one was run from files that belong to no commit"),
        ({"commit": "unknown"}, "one was run from files that belong to no commit"),
        ({"pictures": "shown"}, "one shows images that may not be redistributed"),
    ],
)
def test_a_run_that_cannot_be_passed_on_is_named(root, given, told):
    results = root / "build" / "toys" / "results"
    assert state.records(results).keys() == {"one"}
    (results / "one.json").write_text(json.dumps(small.record(**given)), "utf-8")
    with pytest.raises(RunError, match=told):
        state.records(results)


def test_without_results_there_is_nothing_to_release(tmp_path):
    with pytest.raises(RunError, match="`make book` to compute them"):
        state.records(tmp_path)
