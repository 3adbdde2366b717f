"""The numbers of the prose: differences to the standard network, or words."""

import pytest

from robust_book.chapters.inc_3_enhancements import key_numbers
from robust_lib.results.table import Results


def test_key_numbers_are_differences_to_the_standard_network(run, known):
    rows, grid, _ = known
    numbers = key_numbers.key_numbers(rows, grid, run.paper_names)
    assert numbers["standard"].text == "ResNet-18-like"
    assert numbers["stability"].text.startswith("9 of 9 networks lie above it")
    places = {name: place for place, name in enumerate(grid.models)}
    names = run.paper_names
    later = places[names["resnet50_nlm"]] - places[names["resnet50"]]
    # Each network errs once more of twenty.
    assert numbers["denoise_error"].value == pytest.approx(later / 20)
    assert "not measured" not in {number.text for number in numbers.values()}


def test_numbers_against_the_network_that_was_only_tuned(run, known):
    rows, grid, _ = known
    names = run.paper_names
    numbers = key_numbers.key_numbers(rows, grid, names)

    def mce(paper):
        return rows.row(item="inc-claim-clahe", metric="mce", model=names[paper]).value

    alone = mce("resnet50_clahe") - mce("resnet50_tuned")
    assert numbers["clahe_over_tuned"].value == pytest.approx(alone)
    assert alone != pytest.approx(numbers["clahe_mce"].value)
    assert "that of resnet18_mini_tuned" in numbers["stability_over_tuned"].convention
    without = {paper: ours for paper, ours in names.items() if paper != "resnet50_tuned"}
    lacking = key_numbers.key_numbers(rows, grid, without)
    assert lacking["clahe_over_tuned"].text == "not measured"
    assert lacking["stability_over_tuned"].text == "not measured"
    assert lacking["stability"].text == numbers["stability"].text


def test_what_was_not_evaluated_is_said_in_words(run, known):
    _, grid, _ = known
    numbers = key_numbers.key_numbers(Results(), grid, {})
    assert {number.text for number in numbers.values()} == {"not measured"}
    assert numbers.keys() == key_numbers.key_numbers(known[0], grid, run.paper_names).keys()
