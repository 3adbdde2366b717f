"""Numbers for the prose: their text, and what gives them their meaning."""

from dataclasses import asdict

from robust_lib.results.compare import compare
from robust_lib.results.key_number import (
    NOT_MEASURED,
    KeyNumber,
    anchor,
    claim_numbers,
    count,
    percent,
    points,
    score,
)
from robust_lib.results.row import Row
from robust_lib.results.table import Results


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
    assert list(asdict(NOT_MEASURED)) == ["text", "value", "convention", "n", "ends"]


def test_each_claim_of_an_item_has_an_id_that_no_item_has():
    assert anchor("inc-Fig2", 3) == "inc-fig2-claim-3"
    assert len({anchor("a", 1), anchor("a", 2), "a"}) == 3


def verdicts(alexnet=1.0, resnet50=0.8):
    about = {"item": "inc-tab1", "dataset": "imagenet_c", "metric": "mce", "n": 9, "n_full": 9}
    values = {"alexnet": alexnet, "resnet50": resnet50}
    rows = (Row(**about, model=m, value=v, low=v, high=v) for m, v in values.items())
    return compare(Results.of(rows), "inc-tab1")


def test_a_claim_has_its_word_and_our_numbers_under_its_place_on_the_page():
    numbers = claim_numbers("inc-tab1", verdicts())
    word = numbers[anchor("inc-tab1", 1)]
    assert word.text == word.value == "holds"
    assert "mCE falls from AlexNet to ResNet-50." in word.convention
    assert numbers["inc-tab1-claim-1-verb"].text == "holds"
    here = numbers["inc-tab1-claim-1-here"].text
    assert here.startswith("100.0 % against 80.0 %")
    assert numbers["inc-tab1-claims"].text == "1 holds"


def test_the_other_run_has_the_other_word():
    assert claim_numbers("inc-tab1", verdicts(resnet50=1.2))["inc-tab1-claim-1"].text == (
        "does not hold"
    )


def test_what_was_not_measured_says_so():
    numbers = claim_numbers("inc-tab1", compare(Results(), "inc-tab1"))
    assert numbers["inc-tab1-claim-1"].text == "missing"
    assert numbers["inc-tab1-claim-1-verb"].text == "was not tested in this run"
    assert numbers["inc-tab1-claim-1-here"] == NOT_MEASURED


def test_printed_numbers_are_no_claims():
    numbers = [one for one in verdicts() if one.status == "number"]
    assert claim_numbers("inc-tab1", numbers) == {}
