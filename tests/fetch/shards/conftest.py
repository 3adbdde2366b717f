"""The small project of four classes, and its validation pictures."""

import pytest

from tests import shards


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_ROOT", str(tmp_path / "project"))
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path / "data"))
    shards.small_project(tmp_path / "project")


@pytest.fixture
def sorted_copy(tmp_path):
    return shards.validation(tmp_path / "sorted")


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data" / "small_val"
