"""What the chapters on corruption errors share: the numbers in their prose, errors for curves."""

from dataclasses import replace

import pytest

from robust_book.chapters import inc
from robust_book.figures import curves
from robust_lib.metrics import corruption_error as ce
from robust_lib.metrics.intervals import clopper_pearson
from robust_lib.protocols.corruption_error import results
from robust_lib.protocols.corruption_error.normaliser import measured
from robust_lib.results.table import Results
from robust_lib.vocabulary import COMMON
from tests.protocols.corruption_error.toys import (
    STRONG,
    WEAK,
    error,
    errors,
    grid_of,
    models,
    seeded_grid,
)


@pytest.fixture(scope="module")
def grid():
    return grid_of(models())


@pytest.fixture(scope="module")
def table(grid):
    return results(grid, measured(grid, "weak"), samples=200)


@pytest.fixture(scope="module")
def seeded():
    return seeded_grid()


def test_the_key_numbers_are_of_the_best_and_the_first(grid, table):
    numbers = inc.key_numbers(table, grid, "weak")
    assert numbers["best_model"].text == "strong"
    relative = [r.value for r in table.select(metric="relative_mce").rows if r.model != "weak"]
    below = numbers["relative_below_baseline"]
    assert (below.value, below.n) == (sum(value < 1 for value in relative), len(relative))
    assert numbers["below_baseline"].text == "2 of 2 networks (2 with the whole interval)"
    accuracy = 1 - error(STRONG, COMMON[0], 0)
    best = numbers["best_accuracy"]
    assert best.value == pytest.approx(accuracy)
    assert best.text == f"{100 * accuracy:.1f} %"
    low, high = clopper_pearson(round(30 * accuracy), 30)
    assert f"accuracy of strong on swatches; 95 % interval [{100 * low:.1f}, " in best.convention
    assert f"{100 * high:.1f}] %" in best.convention
    assert best.n == 30
    assert numbers["baseline_accuracy"].value == pytest.approx(1 - error(WEAK, COMMON[0], 0))
    for key, metric in (("best_mce", "mce"), ("best_relative_mce", "relative_mce")):
        assert numbers[key].value == table.row(metric=metric, model="strong").value
        assert "memory, divided by weak" in numbers[key].convention


def test_where_the_baseline_is_no_network_of_the_run_all_are_counted(grid, table):
    numbers = inc.key_numbers(table, grid, "alexnet")
    assert numbers["relative_below_baseline"].n == len(grid.models) == 3
    assert numbers["baseline_accuracy"].text == "not measured"


def test_key_numbers_of_several_seeds_say_so(seeded):
    table = results(seeded, measured(seeded, "weak"), samples=100)
    numbers = inc.key_numbers(table, seeded, "weak")
    assert "lowest and highest of the seeds" in numbers["best_mce"].convention
    assert "95 %" in numbers["baseline_accuracy"].convention


def test_key_numbers_say_what_is_not_defined():
    few = grid_of(models("weak", "strong"), corruptions=("fog",))
    numbers = inc.key_numbers(results(few, measured(few, "weak"), samples=100), few, "weak")
    assert numbers["best_mce"].text == numbers["best_relative_mce"].text == "not defined"
    value = ce.corruption_error(errors(STRONG, "fog"), errors(WEAK, "fog"))
    assert numbers["corruption_error"].value == pytest.approx(value)


def test_a_number_may_have_no_interval(grid, table):
    bare = Results.of(
        replace(row, low=None, high=None) if row.metric == "relative_mce" else row
        for row in table.rows
    )
    number = inc.key_numbers(bare, grid, "weak")["best_relative_mce"]
    assert "without an upper end" in number.convention


def test_the_baselines_own_ratio_has_no_interval(grid, table):
    key = inc.key_numbers(table.select(model="weak"), grid, "weak")["best_relative_mce"]
    assert "the baseline's own is 100 % by definition" in key.convention


def test_curves_begin_at_the_clean_error(table):
    frame = inc.severity_frame(table, ["snow", "fog"])
    assert set(frame["corruption"]) == {"snow", "fog"}
    line = frame[(frame["model"] == "weak") & (frame["corruption"] == "snow")]
    assert line["severity"].tolist() == [0, 1, 2, 3, 4, 5]
    expected = [error(WEAK, "snow", severity) for severity in range(6)]
    assert line["error"].tolist() == pytest.approx([100 * value for value in expected])
    assert len(curves.by_severity(frame, columns=2).axes) == 2


def test_a_line_of_the_committed_table_has_each_mean_with_its_ends(table):
    frame = inc.networks_frame(table).set_index("Network")
    row = table.row(metric="mce", model="strong")
    line = frame.loc["strong"]
    assert [line["mCE"], line["mCE low"], line["mCE high"]] == pytest.approx(row.percent)
    assert line["clean error"] == pytest.approx(100 * error(STRONG, COMMON[0], 0))
    assert "relative mCE" in frame


def test_the_baselines_errors_stand_by_corruption_and_severity(table):
    frame = inc.baseline_frame(table).set_index("Corruption")
    assert len(frame) == len(COMMON)
    assert frame.loc["Fog", "severity 3"] == pytest.approx(100 * error(WEAK, "fog", 3))
    assert frame.loc["JPEG", "clean"] == pytest.approx(100 * error(WEAK, "fog", 0))
