import pytest

from robust_lib.miniworld import icons
from tests import miniature


@pytest.fixture(scope="session")
def art(tmp_path_factory):
    """The shapes of all four sets, 64 pixels."""
    archives = miniature.packages(tmp_path_factory.mktemp("packages"))
    return icons.load(archives, miniature.SHAPES, size=64)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A whole project whose world are the shapes."""
    return miniature.project(tmp_path, monkeypatch)
