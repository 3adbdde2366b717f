"""One way to write a number and its interval."""

import pytest

from robust_lib.results.notation import Cell, ends, listed, spelled, with_interval, written


def test_an_interval_stands_in_brackets_with_the_decimals_of_its_number():
    assert with_interval(76.7, 75.0, 78.25, 1, " %") == "76.7 % [75.0, 78.2]"
    assert with_interval(-0.5, -1.0, 0.0, 2) == "−0.50 [−1.00, 0.00]"


def test_a_number_without_an_interval_stands_alone():
    assert with_interval(*Cell(0.5)) == "0.5"
    assert ends(0.1, None) == ""


@pytest.mark.parametrize(
    ("value", "decimals", "shown"),
    [(-0.04, 1, "0.0"), (0.04, 1, "0.0"), (-1000.0, 0, "−1,000"), (12.345, 2, "12.35")],
)
def test_no_number_is_written_as_minus_nothing(value, decimals, shown):
    assert written(value, decimals) == shown


def test_words_get_their_unit_alone():
    assert spelled("76.7", "percent") == "76.7 %"
    assert spelled(None, "percent") == "–"
    assert spelled(0.5, "points", 1) == "50.0 points"


def test_names_are_listed_as_a_sentence_has_them():
    assert [listed(["a", "b", "c"][:many]) for many in range(4)] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]
