"""Claims in the prose: their words, our numbers, how many there are of each word."""

from robust_lib.results.claim_numbers import anchor, claim_numbers
from robust_lib.results.compare import compare
from robust_lib.results.key_number import NOT_MEASURED
from robust_lib.results.row import Row
from robust_lib.results.table import Results


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
    assert numbers["inc-tab1-claim-1-here"] == NOT_MEASURED


def test_printed_numbers_are_no_claims():
    numbers = [one for one in verdicts() if one.status == "number"]
    assert claim_numbers("inc-tab1", numbers) == {}
