"""The numbers of the prose are those of the rows, and what fails is named."""

from dataclasses import replace

import numpy as np

from robust_book.chapters.overlap_1_matrix.key_numbers import (
    NO_AGREEMENT,
    key_numbers,
    no_gain,
    premise,
)
from robust_lib.results.table import Results
from tests.protocols.overlap import toys


def test_the_numbers_of_the_prose_are_those_of_the_rows():
    tables = {"resnet18": toys.table(), "densenet121": toys.table(clean=0.8)}
    rows, found = toys.numbers(tables), toys.overlaps(tables)
    bound = Results.of([toys.ceiling([(0.7, 0.6, 0.8)], dataset="toys")])
    numbers = key_numbers(rows + bound, found, Results())
    assert numbers["clean"].text == "80.0 to 90.0 %"
    agreement = rows.row(metric="rank_correlation", model=None)
    assert numbers["agreement"].value == agreement.value
    assert numbers["agreement"].text == f"{agreement.value:.2f}"
    assert numbers["ceiling"].text == "0.70 [0.60, 0.80]"
    assert numbers["raw_agreement"].text == NO_AGREEMENT
    assert numbers["noise_overlap"].text == "0.90 (ResNet-18) and 0.90 (DenseNet-121)"
    assert numbers["noise_with_blur_overlap"].text.startswith("0.35")
    assert numbers["judged"].text.count("17 of 17 corruptions can be judged, 105 of 105") == 2
    alone = key_numbers(Results(), found, Results())
    assert alone["agreement"].text == NO_AGREEMENT
    assert alone["all_overlap"].text == "not judged"
    assert alone["ceiling"].text == "not known for these networks"


def test_what_fails_is_named_by_network():
    found = toys.overlaps({"resnet18": toys.collapsed("fog"), "densenet121": toys.weak("snow")})
    assert premise(found) == (
        "fails in clean accuracy for fog (ResNet-18), and in what is gained for snow (DenseNet-121)"
    )
    assert no_gain(found) == "snow (DenseNet-121)"
    fine = toys.overlaps({"resnet18": toys.table()})
    assert premise(fine) == "holds for all networks"
    assert no_gain(fine) == "none"


def test_a_standard_network_that_is_weaker_fails_the_premise_as_much_as_one_that_is_better():
    """Smoke's robust networks, which train on from the standard one, are 12 points better."""
    for lost in (0.06, -0.06):
        found = toys.overlaps({"resnet18": toys.collapsed("fog", lost)})
        assert premise(found) == "fails in clean accuracy for fog (ResNet-18)"
    assert premise(toys.overlaps({"resnet18": toys.collapsed("fog", -0.04)})).startswith("holds")


def test_a_gain_of_less_than_three_standard_errors_fails_the_premise():
    clear, faint = (0.5, 0.52), (0.5, 0.1)  # 51 and 1.5 standard errors
    for gains, words in ((clear, "holds for all networks"), (faint, "in what is gained for fog")):
        table = toys.table(names=("fog", "snow"), seeds_of=(0.0, 0.0))
        accuracy = table.accuracy.copy()
        accuracy[:, 1, 0] = accuracy[:, 0, 0] + 0.9 * np.array(gains)
        found = toys.overlaps({"resnet18": replace(table, accuracy=accuracy)})
        assert words in premise(found)
        assert no_gain(found) == "none"
