"""The normaliser that a reader moves: where it begins, and what cannot be divided."""

from robust_book.chapters.inc_2_mce import numbers
from robust_book.chapters.inc_2_mce.what_if import normalisers_and_corruptions
from robust_lib.protocols.corruption_error import normaliser
from robust_lib.vocabulary import COMMON, EXTRA
from tests.chapters.inc_2_mce.grids import MODELS, grid, results
from tests.chapters.toys import texts

ROW = 4  # numbers of a network


def of(made, model=MODELS[0]):
    return normalisers_and_corruptions(made, normaliser.measured(made, model))


def test_it_begins_with_the_numbers_of_table_1():
    rows = numbers.error_frame(results())
    shown = texts(of(grid()), "td")
    assert [shown[place] for place in (1, 1 + ROW)] == [f"{one:.1f}" for one in rows["mCE"]]
    assert [shown[place] for place in (0, ROW)] == [f"{one:.1f}" for one in rows["Error"]]


def test_a_mean_is_missing_where_the_normaliser_does_not_get_worse():
    """Fog costs the first network nothing, so its rise divides nothing."""
    shown = texts(of(grid()), "td")
    assert [shown[place] for place in (2, 2 + ROW)] == ["–", "–"]
    assert "–" not in texts(of(grid(), MODELS[1]), "td")


def test_it_begins_with_the_networks_that_divides_in_the_page():
    block = str(of(grid(), MODELS[1]))
    assert '<option value="1" selected>ResNet-18-like of this run' in block


def test_a_published_normaliser_is_one_choice_more():
    made = grid(severities=(1, 2, 3, 4, 5), clean=20)
    block = normalisers_and_corruptions(made, normaliser.published((1, 2, 3, 4, 5)))
    assert texts(block, "option")[0] == "AlexNet's published errors on ImageNet-C"
    assert len(texts(block, "option")) == 1 + len(MODELS)


def test_what_is_not_in_the_mean_can_be_ticked_and_is_not_at_first():
    block = str(of(grid(corruptions=(*COMMON, *EXTRA))))
    assert block.count(" checked") == len(COMMON)
    assert block.count('type="checkbox"') == len(COMMON) + len(EXTRA)
