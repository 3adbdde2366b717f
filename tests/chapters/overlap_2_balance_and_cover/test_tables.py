"""Tables of the balance chapter: the paper's and a run's, part by part, and any benchmark's."""

import numpy as np
import pandas as pd
import pytest

from robust_book.chapters.overlap_2_balance_and_cover import tables
from robust_lib.results.row import Row
from robust_lib.results.table import Results


def row(metric, value, corruption=None, model="plain", **ends):
    return Row(
        item="overlap-tab1", dataset="toys_c", model=model, metric=metric, corruption=corruption,
        value=value, n=10, n_full=10, **ends,
    )  # fmt: skip


ROWS = Results.of(
    [
        row("error", 0.1),
        row("mean_ce", 0.8, "set1", low=0.7, high=0.9),
        row("mean_ce_gain", 0.0, "set1"),
        row("ce", 0.5, "border"),
        row("mean_error", 0.25, "border"),
    ]
)


def test_a_run_in_the_papers_columns():
    (found,) = tables.halves_frame(ROWS).to_dict("records")
    assert found["Clean error"] == pytest.approx(10)
    assert (found["set1"], found["change on set1"], found["Border"]) == pytest.approx((80, 0, 50))
    assert found["set2"] is None


def test_the_papers_own_table():
    frame = tables.printed_halves_frame().set_index("Network")
    assert frame.loc["ANT3x3", "change on set1"] == pytest.approx(-21)
    assert frame.loc["ResNet-50", "Obstruction"] == pytest.approx(63)
    assert "Clean error" not in frame


def test_errors_on_occlusions_and_on_a_corruption_of_the_readers():
    (found,) = tables.occlusion_errors_frame(ROWS).to_dict("records")
    assert found == {"Network": "plain", "Border": 25.0}
    rain = [row("mean_error", 0.5, name) for name in ("/home/me/rain.py:rain", "fog")]
    (found,) = tables.occlusion_errors_frame(ROWS + Results.of(rain)).to_dict("records")
    assert found == {"Network": "plain", "Border": 25.0, "Rain": 50.0}


def test_the_recomputed_halves_stand_beside_the_printed():
    frame = tables.recomputed_frame().set_index("Half").round(1)
    assert frame.loc["set1"].tolist() == [81, 80.5, 80.3]
    assert frame.loc["set2"].tolist() == [73, 72.7, 72.6]


def test_a_benchmark_stands_with_labels_and_what_has_no_overlap_says_so():
    names = ["fog", "jpeg_compression", "snow", "rain.py:rain"]
    overlaps = pd.DataFrame(
        [[1, 0.5, 0.2, np.nan], [0.5, 1, 0.1, np.nan], [0.2, 0.1, 1, np.nan], [np.nan] * 4],
        names,
        names,
    )
    balance = tables.balance_frame(overlaps, names[:2])
    assert list(balance.columns) == [
        "Corruption", "Mean overlap", "Judged pairs", "Nearest", "Overlap with it",
    ]  # fmt: skip
    assert balance.iloc[0].tolist() == ["Fog", 0.5, 1, "JPEG", 0.5]
    snow, rain = tables.coverage_frame(overlaps, names[:2]).to_dict("records")
    assert snow == {"Corruption": "Snow", "Nearest": "Fog", "Overlap with it": 0.2}
    assert (rain["Corruption"], rain["Nearest"]) == ("Rain", "Not defined")
    assert np.isnan(rain["Overlap with it"])
