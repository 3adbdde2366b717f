"""Rows of shares: by class, over the classes, and how many lie mostly inside."""

import numpy as np
import pytest

from robust_lib.protocols.attribution.share_rows import rows
from robust_lib.results.table import Results
from tests.protocols.attribution.toys import shares


def table(*given, **named):
    return Results.of(rows("mine", shares(*given, **named)))


def test_classes_count_alike_however_many_objects_they_have():
    made = table([0.9, 0.7, 0.2], classes=[0, 0, 1])
    assert made.row(metric="attribution_inside", dataset="toys/cat").value == pytest.approx(0.8)
    assert made.row(metric="attribution_inside", dataset="toys").value == pytest.approx(0.5)
    assert made.row(metric="attribution_inside", dataset="toys/cat").n == 2
    assert made.row(metric="classes_mostly_inside", dataset="toys").value == 0.5
    assert made.row(metric="classes_mostly_inside_signed", dataset="toys").value == 0.5
    assert made.row(metric="random_inside", dataset="toys").value == pytest.approx(0.25)
    assert made.row(metric="gain", dataset="toys").value == pytest.approx(0.25)
    assert made.row(metric="signed_inside", dataset="toys/dog").value == pytest.approx(0.4)
    assert made.row(metric="area_inside", dataset="toys").value == pytest.approx(0.2)


def test_intervals_are_over_pictures():
    rng = np.random.default_rng(0)
    made = table(rng.uniform(0.3, 0.9, 40), classes=[at % 2 for at in range(40)])
    row = made.row(metric="attribution_inside", dataset="toys")
    assert row.low < row.value < row.high
    apart = made.row(metric="gain", dataset="toys")  # paired: the random share is the same for all
    assert apart.high - apart.low == pytest.approx(row.high - row.low, rel=1e-6)


def test_a_class_in_the_balance_makes_the_count_uncertain():
    made = table([0.9] * 10 + [0.2, 0.8, 0.55, 0.49] * 3, classes=[0] * 10 + [1] * 12)
    row = made.row(metric="classes_mostly_inside", dataset="toys")
    assert row.value == 1.0
    assert row.low == 0.5


def test_nothing_that_counts_has_no_rows():
    assert rows("mine", shares([0.9], error=[0.9])) == []
