"""Sentences to tick: for exercises that no computer checks, and for no others."""

from robust_book.course.checklists import CHECKLISTS
from robust_book.course.checks import EXERCISES
from robust_lib import paths


def test_an_exercise_has_a_check_or_a_checklist():
    notebooks = {path.stem for path in paths.notebooks().glob("*.ipynb")}
    assert set(CHECKLISTS) <= notebooks
    for name, listed in CHECKLISTS.items():
        assert set(listed).isdisjoint(EXERCISES.get(name, {}))


def test_a_checklist_is_of_whole_sentences_in_the_first_person():
    for listed in CHECKLISTS.values():
        for sentences in listed.values():
            assert len(sentences) >= 2
            for sentence in sentences:
                assert sentence.endswith(".")
                assert " I " in f" {sentence}"
