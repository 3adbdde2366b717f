"""The rooms of the notebooks: found by a notebook's name, in the book's order."""

import pytest

from robust_book import chapters
from robust_book.chapters import inc_2_mce, tour
from robust_lib import paths
from robust_lib.errors import InputError


def test_a_notebook_has_the_module_of_its_name_without_its_number():
    assert chapters.module("inc_2_mce") is inc_2_mce
    assert chapters.module("00_tour") is tour
    assert chapters.chapter("00_tour") is tour.CHAPTER


def test_all_chapters_are_those_of_the_committed_notebooks_in_order():
    found = [record.notebook for record in chapters.all_chapters()]
    assert found == sorted(path.stem for path in paths.notebooks().glob("*.ipynb"))
    assert found[0] == "00_tour"


def test_the_book_has_a_part_for_each_paper_and_one_for_what_is_in_none():
    names = ["vid_1_dataset", "more_1", "overlap_1_matrix", "inc_2_mce", "00_tour"]
    assert chapters.parts(names) == {
        "Start": ("00_tour",),
        "Common Corruptions": ("inc_2_mce",),
        "Overlapping Score": ("overlap_1_matrix",),
        "Natural Perturbations from Videos": ("vid_1_dataset",),
        "More chapters": ("more_1",),
    }
    assert next(iter(chapters.parts(chapters.notebooks()))) == "Start"


def test_a_chapter_that_there_is_not_is_refused():
    with pytest.raises(InputError, match=r"chapter.*00_tour.*inc_9"):
        chapters.chapter("inc_9")


def test_a_notebook_without_a_module_says_what_to_write(monkeypatch, tmp_path):
    (tmp_path / "nao_9_nothing.ipynb").touch()
    monkeypatch.setattr(paths, "notebooks", lambda: tmp_path)
    with pytest.raises(InputError, match=r"robust_book\.chapters\.nao_9_nothing with the record"):
        chapters.chapter("nao_9_nothing")


def test_a_module_that_lacks_something_else_says_so_itself(monkeypatch):
    missing = ModuleNotFoundError("No module named 'captum'", name="captum")

    def broken(_):
        raise missing

    monkeypatch.setattr(chapters, "import_module", broken)
    with pytest.raises(ModuleNotFoundError, match="captum"):
        chapters.module("inc_2_mce")
