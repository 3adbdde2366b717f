"""A notebook finds the module of its name; one that has none is told to write it."""

import pytest

from robust_lib import chapters, paths
from robust_lib.errors import InputError


def test_every_notebook_has_a_record_of_its_name_in_the_order_of_names():
    records = chapters.all_chapters()
    assert tuple(record.notebook for record in records) == chapters.notebooks()
    assert list(chapters.notebooks()) == sorted(path.stem for path in paths.notebooks().iterdir())


def test_a_chapter_may_show_the_networks_of_another():
    assert chapters.chapter("overlap_2_balance_and_cover").also == (
        chapters.chapter("overlap_1_matrix"),
    )


def test_an_unknown_chapter_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match=r"chapter to be one of 00_tour, .* but got inc_9"):
        chapters.chapter("inc_9")


def test_a_notebook_without_a_module_is_told_where_to_write_one(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "notebooks", lambda: tmp_path)
    (tmp_path / "toy_1.ipynb").touch()
    with pytest.raises(
        InputError, match=r"a module robust_lib\.chapters\.toy_1 .*architecture\.md"
    ):
        chapters.chapter("toy_1")


def test_what_a_chapters_module_lacks_is_not_taken_for_a_missing_chapter(monkeypatch):
    def broken(name):
        raise ModuleNotFoundError("No module named 'sesame'", name="sesame")

    monkeypatch.setattr(chapters, "import_module", broken)
    with pytest.raises(ModuleNotFoundError, match="sesame"):
        chapters.module("inc_2_mce")
