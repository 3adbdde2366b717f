"""Numbers of rows and of the papers, by model."""

from dataclasses import replace

import pytest

from robust_book.chapters import tables
from robust_lib.results.row import Row
from robust_lib.results.table import Results

ROW = Row(item="inc-tab1", dataset="toy_c", model="a", metric="mce", value=0.5, n=1, n_full=1)


def test_an_interval_stands_with_its_value():
    rows = Results.of([replace(ROW, low=0.4, high=0.7)])
    assert tables.intervals(rows, "mce") == {"a": (0.5, 0.4, 0.7)}
    assert tables.intervals(rows, "relative_mce") == {}


def test_a_value_without_an_interval_stands_for_its_ends():
    rows = Results.of([ROW])
    assert tables.intervals(rows, "mce") == {"a": (0.5, 0.5, 0.5)}


def test_numbers_of_single_corruptions_are_left_aside():
    rows = Results.of([replace(ROW, corruption="fog")])
    assert tables.intervals(rows, "mce") == {}
    assert len(tables.printed_values("inc-tab1", "error")) == 7


def test_printed_values_are_fractions():
    printed = tables.printed_values("inc-tab1", "mce")
    assert printed["resnet50"] == pytest.approx(0.767)
    assert len(printed) == 7
