"""Folders for the tests of the tree's writer."""

from functools import partial

import pytest

from robust_lib.datasets.archive_writer.write import write
from tests import trees
from tests.datasets.archive_writer.made import QUICK


@pytest.fixture(scope="module", autouse=True)
def no_data(tmp_path_factory):
    """Frost of stand-ins, whatever the project's data folder has."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROBUST_DATA", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture
def val(tmp_path):
    """Eight pictures of four classes."""
    return trees.class_folders(tmp_path / "val")


@pytest.fixture
def target(tmp_path):
    return tmp_path / "imagenet_c"


@pytest.fixture
def tree(val, target):
    """A small tree, and the function that goes on with it."""
    again = partial(write, val, target, **QUICK)
    again()
    return target, again


@pytest.fixture
def many(tmp_path):
    """Sixty pictures: some seconds of work on a fast machine, too."""
    return trees.class_folders(tmp_path / "many", per_class=15)
