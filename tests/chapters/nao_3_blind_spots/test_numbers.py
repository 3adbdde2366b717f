"""The chapter's numbers: those of its rows, with intervals, and words where there are none."""

import pytest

from robust_book.chapters.nao_3_blind_spots.numbers import density_frame, key_numbers
from robust_lib.protocols.blind_spots.results import results
from tests.chapters.nao_3_blind_spots import toys as own
from tests.protocols.blind_spots import toys


def test_densities_stand_with_the_shares_in_blind_spots():
    rows = results(toys.blind_spots(), 1)
    frame = density_frame(rows)
    assert frame["Pictures"].tolist() == ["chosen", "pool"]
    density = rows.row(metric="training_density", dataset="pool")
    assert frame["Training density"][1] == (density.value, density.low, density.high)
    assert frame["In blind spots"][0].value == pytest.approx(75)


def test_key_numbers_are_those_of_the_rows():
    found = toys.blind_spots()
    rows = results(found, 1)
    numbers = key_numbers(rows, found, own.maps())
    density = rows.row(metric="training_density", dataset="chosen")
    assert numbers["chosen_density"].value == density.value
    assert numbers["chosen_density"].text.startswith(f"−{-density.value:.2f} [−")
    assert numbers["training"].text == "100"
    assert numbers["method"].text == "first two principal components"
    assert numbers["kept_by_seed"].text == "not measured"
    assert numbers["kept_by_chance"].value == pytest.approx(15 / 239)
