import pytest

from robust_lib.miniworld import icons, scenes
from tests import miniature


@pytest.fixture(scope="session")
def art(tmp_path_factory):
    """The shapes of all four sets, 64 pixels."""
    archives = miniature.packages(tmp_path_factory.mktemp("packages"))
    return icons.load(archives, miniature.SHAPES, size=64)


@pytest.fixture(scope="session")
def things(art):
    """What clips show: for each wider class where its drawings lie, and where the clutter does."""
    wide = {"angular": ["square-box", "flag"], "round": ["ball"]}
    return scenes.targets_by_class(art, wide, "any"), (*art.of("dot"), *art.of("ring"))


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A whole project whose world are the shapes."""
    return miniature.project(tmp_path, monkeypatch)
