"""Style transfer in tables: whose CE stands beside the paper's, and what the prose says."""

import pytest

from robust_book.chapters.inc_5_auxiliary import style_tables
from robust_lib.protocols.corruption_error import style_transfer as protocol
from robust_lib.results.table import Results
from tests.chapters import toys

NAMES = ("alexnet_mini", "vgg11_mini", "resnet50_mini")


def rows(wrong):
    grid = toys.restyled(*NAMES, wrong=wrong)
    return protocol.results(grid, toys.normaliser(grid), samples=50)


def test_sixteen_corruptions_beside_the_papers():
    found = style_tables.dots(rows(9), "resnet50_mini")
    ours, printed = found["This run (ResNet-50-like)"], found[style_tables.PRINTED]
    assert set(ours) == set(printed)
    assert len(ours) == 16
    assert (ours["Style transfer"][0], ours["Fog"][0]) == (90.0, 40.0)
    assert max(printed, key=lambda name: printed[name]) == "Style transfer"
    assert style_tables.ranked(found)[0] == "Style transfer"


def test_a_row_a_network():
    frame = style_tables.frame(rows(9), NAMES)
    assert frame["Network"].tolist() == ["AlexNet-like", "VGG-11-like", "ResNet-50-like"]
    assert frame["Mean error"].tolist() == pytest.approx([50, 45, 45])
    assert [cell.value for cell in frame["Largest CE"]] == pytest.approx([100, 40, 40])


def test_key_numbers_count_the_networks_that_are_not_the_normaliser():
    for wrong, words in ((9, "2 of 2 networks"), (3, "0 of 2 networks")):
        found = style_tables.key_numbers(rows(wrong), {"resnet50": "vgg11_mini"})
        assert found["style_harder"].text == words
        assert found["style_network"].text == "VGG-11-like"
    nothing = style_tables.key_numbers(Results(), {})
    assert {one.text for one in nothing.values()} == {"not measured"}
