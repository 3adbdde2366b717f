"""What rooms share: a small project of four classes, its validation pictures, and its data."""

from pathlib import Path

import pytest

from tests import shards


@pytest.fixture
def small_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project's folder; what it names lies in the folder of `data`."""
    monkeypatch.setenv("ROBUST_ROOT", str(tmp_path / "project"))
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path / "data"))
    shards.small_project(tmp_path / "project")
    return tmp_path / "project"


@pytest.fixture
def sorted_copy(small_project: Path, tmp_path: Path) -> Path:
    """Return the validation pictures in class folders."""
    return shards.validation(tmp_path / "sorted")


@pytest.fixture
def data(small_project: Path, tmp_path: Path) -> Path:
    """Return where the small project looks for its validation pictures."""
    return tmp_path / "data" / "small_val"
