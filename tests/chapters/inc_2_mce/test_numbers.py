"""Corruption errors: what is computed beside what is printed, in percent, in the paper's order."""

import numpy as np
import pytest

from robust_book.chapters.inc_2_mce import numbers
from robust_book.figures import heatmaps
from robust_lib.protocols.corruption_error.normaliser import Normaliser
from robust_lib.vocabulary import COMMON, EXTRA, corruption_label
from tests.chapters.inc_2_mce.grids import MODELS, results


@pytest.fixture(scope="module")
def rows():
    return results()


def test_corruption_errors_are_models_by_corruptions_in_percent(rows):
    table = numbers.models_by_corruption(rows, "ce")
    assert list(table.columns) == list(COMMON)
    assert list(table.index) == list(MODELS)
    assert (table.loc["alexnet_mini"] == 100).all()
    # errors of (2 + 2) and (2 + 6) twentieths, over (2 + 4) and (2 + 12)
    assert table.loc["resnet18_mini", "snow"] == pytest.approx(100 * 12 / 20)


def test_what_is_not_defined_is_missing_and_keeps_its_place(rows):
    """Fog costs the baseline nothing, so nothing can be divided by what it costs."""
    table = numbers.models_by_corruption(rows, "relative_ce")
    assert list(table.columns) == list(COMMON)
    assert table["fog"].isna().all()
    assert table.drop(columns="fog").notna().all(axis=None)
    assert table.loc["resnet18_mini", "snow"] == pytest.approx(50)


@pytest.mark.parametrize("corruptions", [("snow",), ("speckle_noise",), ("snow", "saturate")])
def test_a_part_of_the_corruptions_stands_beside_the_papers_table(corruptions):
    some = results(corruptions=corruptions)
    table = numbers.models_by_corruption(some, "ce")
    printed = numbers.printed_by_corruption("inc-tab1", "ce")
    assert list(table.columns) == list(printed.columns)
    assert list(table.index) == list(MODELS)
    assert table.notna().any(axis=None) == ("snow" in corruptions)
    words = {"unit": "%"}
    assert len(heatmaps.models_by_corruption([printed, table], ["a", "b"], **words).axes) == 3


def test_the_papers_table_is_in_its_order(rows):
    printed = numbers.printed_error_frame("inc-tab1")
    assert printed["Network"].tolist() == [
        "AlexNet", "SqueezeNet", "VGG-11", "VGG-19", "VGG-19+BN", "ResNet-18", "ResNet-50",
    ]  # fmt: skip
    last = printed.iloc[-1]
    assert (last["Error"], last["mCE"]) == (pytest.approx(23.9), pytest.approx(76.7))
    assert last["Gaussian noise"] == pytest.approx(80)
    relative = numbers.printed_error_frame("inc-tab2").iloc[-1]
    assert relative["Rel. mCE"] == pytest.approx(105.0)
    ours = numbers.error_frame(rows)
    assert list(ours.columns) == list(printed.columns)


def test_our_table_has_the_same_columns_where_means_are_missing(rows):
    table = numbers.error_frame(rows)
    assert table["Error"].tolist() == pytest.approx([10, 10])
    assert table["mCE"].tolist()[0] == pytest.approx(100)
    relative = numbers.error_frame(rows, prefix="relative_")
    assert list(relative.columns)[:3] == ["Network", "Error", "Rel. mCE"]
    assert relative["Rel. mCE"].isna().all()  # one of fifteen is not defined


def test_every_cell_is_in_the_table_of_severities(rows):
    table = numbers.cells_frame(rows)
    assert len(table) == 2 * 15
    assert list(table)[2:] == ["Severity 1", "Severity 3", "n"]
    assert (table["n"] == 20).all()
    assert table["Severity 3"].max() == pytest.approx(100 * 14 / 20)
    cells = rows.select(metric="error", model="alexnet_mini", corruption="snow").rows
    chosen = table["Network"].eq("AlexNet-like") & table["Corruption"].eq("Snow")
    (shown,) = table[chosen].to_dict("records")
    assert [shown["Severity 1"], shown["Severity 3"]] == [100 * row.value for row in cells]
    every = [50 * (row.high - row.low) for row in rows.select(metric="error").rows]
    assert numbers.widest(rows, "error") == f"no interval is wider than ± {max(every):.1f} points"


def test_the_baselines_errors_stand_beside_alexnets_with_their_intervals(rows):
    ours, paper = numbers.normaliser_dots(rows, "alexnet_mini").values()
    assert set(ours) == set(paper) == {corruption_label(name) for name in COMMON}
    value, low, high = ours["Snow"]
    assert value == pytest.approx(50)
    assert low < value < high
    assert paper["Gaussian noise"] == pytest.approx((88.6, 88.6, 88.6))
    some, printed = numbers.normaliser_dots(results(corruptions=("snow",)), "alexnet_mini").values()
    assert list(some) == list(printed) == ["Snow"]


def test_a_baseline_that_was_not_evaluated_leaves_the_papers_dots(rows):
    dots = numbers.normaliser_dots(rows, "alexnet")
    ours, paper = dots.values()
    assert not ours
    assert len(paper) == len({*COMMON, *EXTRA})  # the paper prints all nineteen
    order = numbers.corruptions_of(dots)
    assert [paper[name][0] for name in order] == sorted(value for value, _, _ in paper.values())


def test_small_rises_are_those_below_five_points():
    errors = {"fog": np.array([0.34, 0.36]), "snow": np.array([0.3, 0.39]), "jpeg": np.zeros(2)}
    small = numbers.small_rises(Normaliser(errors, 0.3, "a baseline"))
    assert small == ("snow", "jpeg")
    assert "grey: snow, jpeg" in numbers.small_rise_words(small)
    assert numbers.small_rise_words(()) == ""
