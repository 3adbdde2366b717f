"""The numbers in the prose: counted, or said to be unknown."""

from robust_book.chapters.nao_1_construction import funnel, mistakes
from robust_book.chapters.nao_1_construction.key_numbers import key_numbers
from tests.chapters.nao_1_construction.constructions import CONSTRUCTION, NOTHING, SHAPES

FOUND = mistakes.named(
    CONSTRUCTION.filtration.confirmed, SHAPES.annotations, SHAPES.class_names, 0.5
)


def test_the_prose_names_counts_and_agreement():
    numbers = key_numbers(funnel.results(CONSTRUCTION), FOUND, CONSTRUCTION)
    told = {key: number.text for key, number in numbers.items()}
    assert told["kept_share"] == "66.7 %"
    assert (told["mistaken"], told["foreign"], told["falls"]) == ("2", "4", "class")
    kappas = funnel.kappas(CONSTRUCTION.filtration)
    lowest = min(kappas, key=kappas.get)
    assert told["lowest_kappa"] == f"{kappas[lowest]:.2f} ({lowest})"
    assert told["surest"].startswith("ring → disc 95 %; wedge → box 94 %; ")


def test_what_others_chose_is_not_known():
    numbers = key_numbers(funnel.results(None), FOUND, None)
    assert set(numbers) == set(key_numbers(funnel.results(CONSTRUCTION), (), CONSTRUCTION))
    assert numbers["candidates"].text == "an unknown number of"
    assert numbers["kept_share"].text == "not measured"


def test_a_detector_that_is_sure_of_nothing_has_no_mistakes():
    numbers = key_numbers(funnel.results(NOTHING), (), NOTHING)
    assert (numbers["confirmed"].text, numbers["surest"].text) == ("0", "none")
    assert numbers["lowest_kappa"].text == numbers["kept_share"].text == "not measured"
