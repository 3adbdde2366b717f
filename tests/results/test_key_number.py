"""Numbers for the prose: their text, and what gives them their meaning."""

from dataclasses import asdict

from robust_lib.results.key_number import (
    NOT_MEASURED,
    KeyNumber,
    count,
    percent,
    points,
    score,
)
from robust_lib.results.row import Row


def row(**changes):
    columns = {"item": "inc-tab1", "dataset": "toy", "model": "net", "metric": "fpr_at_recall"}
    return Row(**columns | {"value": 0.123, "n": 9, "n_full": 90} | changes)


def test_a_row_in_percent_says_what_it_is():
    assert percent(row()) == KeyNumber("12.3 %", 0.123, "fpr at recall of net on toy", 9)


def test_the_interval_and_the_convention_stand_beside_it():
    number = percent(row(low=0.1, high=0.2, convention="masked"))
    assert number.convention == "fpr at recall of net on toy, [10.0, 20.0] %; masked"


def test_without_a_row_there_are_words():
    assert percent(None) == NOT_MEASURED
    assert percent(None, missing="an undefined share") == KeyNumber("an undefined share")


def test_points_have_their_interval_and_words_without_a_row():
    found = points(row(metric="drop", value=0.2, low=0.125, high=0.25))
    assert (found.text, found.value, found.n) == ("20.0 [12.5, 25.0] points", 0.2, 9)
    assert points(None) == NOT_MEASURED


def test_a_score_has_two_decimals_and_a_true_minus_sign():
    found = score(row(metric="slope", value=-0.25, low=-0.5, high=0.125, convention="of 3"))
    assert found == KeyNumber("−0.25 [−0.50, 0.12]", -0.25, "of 3", 9)
    assert score(row(metric="slope")).convention == ""
    assert score(None) == NOT_MEASURED


def test_a_count_has_its_thousands_apart():
    assert count(1109) == KeyNumber("1,109", 1109)
    assert count(3, "anchors", 3) == KeyNumber("3", 3, "anchors", 3)


def test_its_fields_are_what_the_role_reads():
    assert list(asdict(NOT_MEASURED)) == ["text", "value", "convention", "n"]
