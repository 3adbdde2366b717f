"""A tiny project whose chapters are executed once, and copies of it for tests that break them."""

import importlib.util
import shutil
from pathlib import Path
from types import ModuleType

import pytest

from robust_lib import paths
from tests.tiny import shared

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def tiny() -> ModuleType:
    """The module that makes the tiny book."""
    spec = importlib.util.spec_from_file_location(
        "tiny_book", REPOSITORY / "tests" / "site" / "fixture.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def executed(tiny, tmp_path_factory) -> Path:
    """A project folder with executed chapters; do not change it."""
    return shared(tmp_path_factory, "tiny_book", tiny.make)


@pytest.fixture
def project(executed, tmp_path, monkeypatch) -> Path:
    """A copy of the project that a test may break, and that the library sees as its own."""
    copy = tmp_path / "project"
    shutil.copytree(executed, copy, symlinks=True)
    monkeypatch.setenv("ROBUST_ROOT", str(copy))
    monkeypatch.setenv("ROBUST_BUILD", str(copy / "build"))
    assert paths.root() == copy
    return copy
