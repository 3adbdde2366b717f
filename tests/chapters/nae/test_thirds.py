"""Thirds of pictures by confidence, of predictions that are known."""

import pytest

from robust_book.chapters.nae import thirds
from robust_lib.results.key_number import KeyNumber
from tests.protocols.nae.toys import masked


def test_the_surest_third_is_right_first():
    numbers = thirds.accuracies(masked("hard", {"mine": 15}, images=30), "mine", "hard")
    assert numbers["hard_surest"].value == 1
    assert numbers["hard_least_sure"].value == 0
    assert 0.5 < numbers["hard_confidence"].value < 1


def test_a_third_says_of_how_many_pictures_it_is_and_how_far_it_could_move():
    numbers = thirds.accuracies(masked("hard", {"mine": 15}, images=30), "mine", "hard")
    assert numbers["hard_surest"].text == "100.0 % [69.2, 100.0]"
    assert numbers["hard_least_sure"].text == "0.0 % [0.0, 30.8]"
    assert [numbers[f"hard_{name}"].n for name in ("surest", "least_sure", "confidence")] == [
        10,
        10,
        30,
    ]
    seeded = thirds.accuracies(masked("hard", {"mine": 0}, images=30, seeds=3), "mine", "hard")
    assert seeded["hard_surest"].text == "10.0 % [0.0, 20.0]"
    assert "least to the greatest seed" in seeded["hard_surest"].convention


def test_seeds_are_averaged():
    numbers = thirds.accuracies(masked("hard", {"mine": 0}, images=30, seeds=3), "mine", "hard")
    assert numbers["hard_surest"].value == pytest.approx(0.1)  # 0, 1 and 2 of ten


@pytest.mark.parametrize(("ordinary", "words"), [(0.9, "says less of"), (0.15, "says no less of")])
def test_the_outcome_compares_hard_with_ordinary_pictures(ordinary, words):
    values = {"hard_surest": 0.3, "hard_least_sure": 0.2}
    values |= {"ordinary_surest": ordinary, "ordinary_least_sure": 0.1}
    found = thirds.outcome({key: KeyNumber("", value) for key, value in values.items()})
    assert words in found.text
    assert "(10 points between the thirds)" in found.text
