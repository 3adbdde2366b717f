"""What holds for every figure."""

import matplotlib as mpl
import pytest


@pytest.fixture(autouse=True)
def no_trace():
    """No figure may change matplotlib's settings, or be kept by pyplot."""
    before = {name: repr(value) for name, value in mpl.rcParams.items()}
    yield
    assert {name: repr(value) for name, value in mpl.rcParams.items()} == before
    import matplotlib.pyplot as plt

    assert plt.get_fignums() == []
