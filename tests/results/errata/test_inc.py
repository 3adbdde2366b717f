"""Errata of Common Corruptions: each computation shows what the text says."""

from robust_lib.results.errata import inc
from tests.results.errata.lines import computed


def test_the_literal_formula_is_far_from_the_printed_value():
    assert computed(inc.relative_formula) == ["79.4 %", "105.0 %", "1.9 points"]
    assert len(inc.table_2_gaps()) == 90


def test_two_pairs_of_networks_have_a_lower_error_and_a_higher_mce():
    assert computed(inc.monotone) == ["2", "104.4 and 100.0 %", "88.9 and 84.7 %"]


def test_networks_of_similar_error_are_far_apart_on_some_corruptions():
    assert computed(inc.similar_errors) == [
        "31.0 and 30.2 %",
        "93.5 and 84.7 %",
        "107.0 and 80.0 %",
        "100.0 and 85.0 %",
    ]


def test_each_condensenet_is_more_robust_than_most_larger_networks_of_its_accuracy():
    found = [(line.what, line.computed) for line in inc.condensenet()]
    assert [what.rpartition(" ")[2] for what, _ in found] == [
        "vgg11", "vgg19", "vgg19_bn", "resnet18", "resnet50", "densenet121",
        "vgg11", "vgg19", "vgg19_bn", "resnet18", "densenet121",
    ]  # fmt: skip
    pairs = [tuple(map(float, text.removesuffix(" %").split(" and "))) for _, text in found]
    assert [small > large for small, large in pairs] == [
        *(False, False, False, False, True, True),
        *(False, False, True, False, True),
    ]


def test_densenet_121_has_the_higher_error_and_the_lower_mce():
    assert computed(inc.downtick) == ["23.9 and 25.6 %", "76.7 and 73.4 %"]


def test_relative_mces_are_not_all_alike():
    assert computed(inc.negligible) == ["+3.9 points", "+23.3 points"]
