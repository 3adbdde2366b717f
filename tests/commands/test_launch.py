"""What a launch button leads to: the committed notebook, and a cell that installs what it needs."""

import json

import nbformat
import pytest

from robust_book.commands import launch
from robust_lib import paths

COMMIT = "0123456789abcdef0123456789abcdef01234567"
REPOSITORY = "https://example.org/me/book"


def record(name="inc_2_mce", commit=COMMIT, dirty=False):
    return {"notebook": name, "provenance": {"commit": commit, "dirty": dirty}}


@pytest.mark.parametrize("source", sorted(paths.notebooks().glob("*.ipynb")), ids=lambda p: p.stem)
def test_a_notebook_to_launch_is_the_committed_one_and_one_cell_before_it(source, tmp_path):
    (made,) = launch.write([record(source.stem)], tmp_path, REPOSITORY)
    notebook = nbformat.reads(made.read_text("utf-8"), as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    committed = json.loads(source.read_text("utf-8"))["cells"]
    assert json.loads(made.read_text("utf-8"))["cells"][1:] == committed
    ids = [cell.id for cell in notebook.cells]
    assert len(set(ids)) == len(ids)


def test_the_first_cell_installs_the_library_at_the_commit_and_fetches_the_art(tmp_path):
    (made,) = launch.write([record()], tmp_path, REPOSITORY)
    first = json.loads(made.read_text("utf-8"))["cells"][0]["source"]
    assert f'"robust-lib[detect,explain] @ git+{REPOSITORY}@{COMMIT}"' in first
    assert 'fetch("icons")' in first
    assert made == tmp_path / "0123456789ab" / "inc_2_mce.ipynb"


@pytest.mark.parametrize("given", [{"commit": "unknown"}, {"dirty": True}])
def test_a_run_that_is_at_no_commit_has_nothing_to_launch(given, tmp_path):
    assert launch.write([record(**given)], tmp_path / "none", REPOSITORY) == []
    assert not (tmp_path / "none").exists()


def test_the_extras_of_the_first_cell_are_those_of_the_package():
    import tomllib

    project = tomllib.loads((paths.root() / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(launch.EXTRAS.split(",")) <= project["optional-dependencies"].keys()
