"""What the blocks share: a convention, the standard network, a line in place of a table."""

import pandas as pd

from robust_book.chapters.inc_3_enhancements import shared
from tests.chapters.toys import texts


def test_the_convention_names_normaliser_images_severities_and_pairs(page, known):
    _, grid, normaliser = known
    said = shared.convention(page, grid, normaliser)
    assert said.startswith("Normaliser: alexnet_mini, measured on the same images; ")
    assert "storage: jpeg85; 20 images a cell, severities 1, 2, 3, 4, 5" in said
    assert said.endswith("differences are paired, image by image.")


def test_the_standard_network_of_an_item(page, known):
    assert shared.base(page, known[1], "inc-claim-clahe") == "resnet18_mini"
    assert shared.base(page, known[1], "inc-fig4") == "resnet34_mini"
    assert shared.base(page, known[1], "inc-claim-small") is None


def test_a_table_needs_as_many_rows_as_are_worth_one():
    frame = pd.DataFrame({"Network": ["VGG-11"], "mCE": [90.0]})
    assert texts(shared.some(frame, "mCE"), "td") == ["90.0"]
    line = "No network of this item is asked in this run."
    assert texts(shared.some(frame, "mCE", least=2), "p") == [line]
