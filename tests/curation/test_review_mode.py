"""Modes of the review sheet: keys that do not collide, and the paper's answers."""

import pytest

from robust_lib.curation.decisions import WORDS
from robust_lib.curation.review_mode import PICTURES, REASONS, ROUND_1, ROUND_2, SIMILAR


@pytest.mark.parametrize("mode", [PICTURES, ROUND_1, ROUND_2])
def test_every_answer_has_a_key_and_a_word_of_its_own(mode):
    keys = [choice.key for choice in mode.choices]
    assert len(set(keys)) == len(set(mode.words)) == len(mode.choices)
    assert "z" not in keys  # it takes back
    assert all(len(key) == 1 and key.islower() for key in keys)


def test_pictures_take_the_words_of_a_filtration():
    assert PICTURES.words == WORDS
    assert "".join(choice.key for choice in PICTURES.choices) == "kdu"


def test_pairs_are_shown_one_by_one_and_dissimilar_ones_have_a_reason():
    assert ROUND_1.page == 1
    assert ROUND_1.shuffled
    assert ROUND_1.words == (SIMILAR, *REASONS, "unsure", "wrong")
    grouped = [choice.word for choice in ROUND_1.choices if choice.group == "dissimilar"]
    assert tuple(grouped) == REASONS
    assert ROUND_1.choices == ROUND_2.choices
    assert ROUND_1.saves != ROUND_2.saves
