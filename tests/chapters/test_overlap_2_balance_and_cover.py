"""Tables of the balance chapter: the paper's and a run's, part by part."""

import pytest

from robust_lib.chapters.tables import overlap as tables
from robust_lib.results.row import row_of
from robust_lib.results.table import Results


def rows():
    shared = {"item": "overlap-tab1", "dataset": "toys_c", "n": 10, "n_full": 10}
    return Results.of(
        row_of(columns) for columns in [
            shared | {"model": "plain", "metric": "error", "value": 0.1},
            shared | {"model": "plain", "metric": "mean_ce", "corruption": "set1", "value": 0.8,
                      "low": 0.7, "high": 0.9},
            shared | {"model": "plain", "metric": "mean_ce_gain", "corruption": "set1",
                      "value": 0.0},
            shared | {"model": "plain", "metric": "ce", "corruption": "border", "value": 0.5},
            shared | {"model": "plain", "metric": "mean_error", "corruption": "border",
                      "value": 0.25},
        ]
    )  # fmt: skip


def test_a_run_in_the_papers_columns():
    (row,) = tables.halves(rows()).to_dict("records")
    assert row["Clean error"] == pytest.approx(10)
    assert (row["set1"], row["gain on set1"], row["Border"]) == pytest.approx((80, 0, 50))
    assert row["set2"] is None


def test_the_papers_own_table():
    frame = tables.printed_halves().set_index("Network")
    assert frame.loc["ANT3x3", "gain on set1"] == pytest.approx(-21)
    assert frame.loc["ResNet-50", "Obstruction"] == pytest.approx(63)
    assert "Clean error" not in frame


def test_parts_by_network_with_intervals():
    found = tables.by_part(rows())
    assert found == {"set1": {"plain": (0.8, 0.7, 0.9)}, "border": {"plain": (0.5, 0.5, 0.5)}}
    assert tables.printed_by_part()["set2"]["resnet50_augmix"] == pytest.approx(0.65)


def test_errors_on_occlusions():
    (row,) = tables.occlusion_errors(rows()).to_dict("records")
    assert row == {"Network": "plain", "Border": 25.0}


def test_the_recomputed_halves_stand_beside_the_printed():
    frame = tables.recomputed().set_index("Half").round(1)
    assert frame.loc["set1"].tolist() == [81, 80.5, 80.3]
    assert frame.loc["set2"].tolist() == [73, 72.7, 72.6]
