"""What holds for every figure."""

import matplotlib as mpl
import pytest

from tests import miniature


@pytest.fixture(autouse=True)
def no_trace():
    """No figure may change matplotlib's settings, or be kept by pyplot."""
    before = {name: repr(value) for name, value in mpl.rcParams.items()}
    yield
    assert {name: repr(value) for name, value in mpl.rcParams.items()} == before
    import matplotlib.pyplot as plt

    assert plt.get_fignums() == []


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A whole project whose world are the shapes."""
    return miniature.project(tmp_path, monkeypatch)
