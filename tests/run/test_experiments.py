"""Experiments: what makes a run another one than the book's, and where it goes."""

import json

import nbformat
import pytest

from robust_lib import atomic, paths
from robust_lib.errors import InputError
from robust_lib.run import experiments
from robust_lib.run.experiments import (
    INTO_BOOK,
    changed,
    defaults,
    folder,
    found,
    table_folder,
)

PARAMETERS = """
profile = "mini"
limit: int | None = None
seeds = None
word = "none"
wanted = ["fog"]
a, b = 1, 2
c = d = 3
print("no")
"""


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A project whose only notebook is "toy"."""
    (tmp_path / "data_manifests").symlink_to(paths.manifests())
    monkeypatch.setenv("ROBUST_ROOT", str(tmp_path))
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path / "build"))
    (tmp_path / "notebooks").mkdir()
    return write(tmp_path / "notebooks" / "toy.ipynb", PARAMETERS)


def write(path, *cells):
    made = [nbformat.v4.new_code_cell(cell, metadata={"tags": ["parameters"]}) for cell in cells]
    nbformat.write(nbformat.v4.new_notebook(cells=made), path)
    return path


def test_what_the_parameters_cell_assigns(toy):
    own = {"profile": "mini", "limit": None, "seeds": None, "word": "none", "wanted": ["fog"]}
    assert defaults(toy) == own | {"c": 3, "d": 3}


@pytest.mark.parametrize("number", [0, 2])
def test_there_is_one_cell_of_parameters(toy, number):
    write(toy, *number * ["limit = 1"])
    with pytest.raises(InputError, match=rf"toy\.ipynb, but found {number}\."):
        defaults(toy)


@pytest.mark.parametrize(
    "same",
    [
        {},
        {"limit": None, "word": "none"},
        {"seeds": 1},
        {"seeds": [0]},
        {"seeds": "[0]"},
        {"device": "cuda", "data": "/elsewhere", "profile": "mini"},
        {"wanted": ["fog"]},
        {"wanted": '["fog"]'},
        {"severities": (1, 2, 3, 4, 5)},
    ],
)
def test_the_books_run_with_what_it_is_anyway(toy, same):
    assert changed("toy", "mini", same) == {}
    assert folder("toy", "mini", same) == paths.profile("mini")


@pytest.mark.parametrize(
    "other",
    [{"limit": 3}, {"seeds": 3}, {"seeds": [1]}, {"word": "two"}, {"wanted": ["fog", "snow"]}],
)
def test_another_run_has_its_own_folder(toy, other):
    assert list(changed("toy", "mini", other)) == list(other)
    beside = folder("toy", "mini", other)
    assert beside.parent == paths.runs()
    assert folder("toy", "mini", other | {"device": "cuda"}) == beside
    assert folder("toy", "smoke", other) != beside


def test_an_experiment_says_what_sets_it_apart_and_no_run_in_words_says(toy):
    asked = {"word": "two", "limit": 3, "seeds": 3, "wanted": '["fog", "snow"]', "device": "cuda"}
    assert experiments.in_words("toy", "mini", asked) == ", word two, wanted fog snow"
    assert experiments.in_words("toy", "mini", {"word": "none"}) == ""
    assert experiments.in_words("toy", "mini", {"wanted": list("abcd")}) == ", 4 wanted"


def test_every_question_has_another_folder(toy):
    asked = [{"limit": n, "word": word} for n in range(5) for word in ("one", "two")]
    assert len({folder("toy", "mini", one) for one in asked}) == 10


def test_a_run_may_be_made_for_the_book(toy, monkeypatch):
    monkeypatch.setenv(INTO_BOOK, "1")
    assert folder("toy", "mini", {"limit": 3}) == paths.profile("mini")


def test_experiments_are_found_the_last_one_first(toy):
    assert found() == ()
    for limit in (3, 4):
        told = {"profile": "mini", "parameters": {"limit": limit}, "date": f"2026-01-0{limit}"}
        home = folder("toy", "mini", {"limit": limit})
        atomic.write_json(home / "results" / "toy.json", {"provenance": told})
    failed = {"metadata": {"papermill": {"parameters": {"profile": "smoke", "limit": 5}}}}
    home = folder("toy", "smoke", {"limit": 5})
    atomic.write_bytes(home / "failed" / "toy.ipynb", json.dumps(failed).encode())
    every = found()
    assert [(one.profile, one.parameters["limit"], one.date) for one in every] == [
        ("mini", 4, "2026-01-04"),
        ("mini", 3, "2026-01-03"),
        ("smoke", 5, None),
    ]
    assert all(
        experiments.folder(one.notebook, one.profile, one.parameters) == one.folder for one in every
    )
    assert every[0].name == every[0].folder.name


def test_a_table_of_the_profile_as_it_is_lies_in_its_folder_and_every_other_one_apart(toy):
    whole = {"models": None, "limit": None, "severities": [1, 2, 3, 4, 5]}
    assert table_folder("both", "full", whole) == paths.profile("full") / "both"
    asked = [whole | change for change in ({"limit": 3}, {"models": ["a"]}, {"models": ["b"]})]
    folders = [table_folder("both", "full", one) for one in asked]
    assert {each.parent for each in folders} == {paths.runs()}
    assert len(set(folders)) == 3


def test_a_table_beside_the_book_is_no_run_of_a_notebook(toy):
    atomic.write_bytes(table_folder("both", "full", {"limit": 3}) / "both.csv", b"")
    assert found() == ()


def test_a_run_that_was_stopped_has_left_nothing_to_list(toy):
    (folder("toy", "mini", {"limit": 3}) / "notebooks").mkdir(parents=True)
    assert found() == ()
