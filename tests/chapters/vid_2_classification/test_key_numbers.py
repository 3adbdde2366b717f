"""The numbers in the prose."""

from robust_book.chapters.vid_2_classification.key_numbers import key_numbers
from robust_lib.protocols.pm_k import by_class, classification
from tests.protocols.pm_k import toys

NAMES = {"resnet50": "plain", "resnet50_finetune": "tuned"}
ANSWERS = toys.answers({"plain": (2, 5), "tuned": (6, 8), "third": (5, 6)})
ROWS = classification.results(ANSWERS, NAMES)


def test_all_that_the_prose_names():
    numbers = key_numbers(
        ROWS + by_class.by_class(ANSWERS, "tuned", ("lion", "monkey")), ANSWERS, NAMES
    )
    told = {key: one.text for key, one in numbers.items()}
    assert told["network"] == "plain"
    assert (told["networks"], told["sets"], told["k"]) == ("3", "10", "10")
    assert (told["anchor"], told["worst"]) == ("50.0 %", "20.0 %")
    assert told["smallest_drop"].startswith("10.0 [")
    assert told["largest_drop"].startswith("30.0 [")
    assert told["median_drop"].startswith("20.0 [")
    assert told["best"] == "tuned"
    assert told["smallest_of_stills"].startswith("10.0 [")
    assert "not measured" not in {told[key] for key in ("r_squared", "slope", "classes_with_drop")}


def test_without_the_plain_network_the_first_one_stands_for_it():
    assert key_numbers(ROWS, ANSWERS, {})["network"].text == "plain"
