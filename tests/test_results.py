"""The one long table: what may stand in it, how it is read, and that it survives being saved."""

import numpy as np
import pandas as pd
import pytest

from robust_lib.errors import DataError, ResultError
from robust_lib.results.row import COLUMNS, CONDITIONS, METRICS, Row
from robust_lib.results.table import Results


def row(**changes) -> dict:
    return {
        "item": "inc-tab1",
        "dataset": "toy",
        "model": "alexnet",
        "corruption": "fog",
        "metric": "ce",
        "convention": "jpeg85",
        "value": 1.0,
        "n": 250,
        "n_full": 250,
    } | changes


def table(*changes: dict) -> Results:
    return Results.of(row(**change) for change in changes)


def refused(message: str, **changes):
    with pytest.raises(ResultError, match=message):
        table(changes)


# What may stand in it


def test_the_columns_are_the_agreed_ones_in_order():
    agreed = (
        "item dataset model corruption severity k metric convention value low high n n_full run"
    )
    assert list(COLUMNS) == agreed.split()
    assert COLUMNS[:8] == CONDITIONS
    assert tuple(table({}).frame.columns) == COLUMNS


def test_two_rows_with_the_same_conditions_are_refused_and_named():
    with pytest.raises(ResultError, match=r"model=alexnet, corruption=fog.*values 1 and 0\.5"):
        table({}, {"value": 0.5})


@pytest.mark.parametrize(
    "change",
    [
        {"item": "inc-fig2"},
        {"dataset": "other"},
        {"model": "vgg11"},
        {"corruption": "snow"},
        {"severity": 3},
        {"k": 10},
        {"metric": "relative_ce"},
        {"convention": "memory"},
    ],
)
def test_rows_that_differ_in_one_condition_stand_together(change):
    assert len(table({}, change)) == 2


def test_another_run_is_no_other_condition():
    with pytest.raises(ResultError, match="Keep one"):
        table({"run": "a"}, {"run": "b"})


def test_duplicates_are_refused_when_tables_are_joined():
    with pytest.raises(ResultError, match="one row for each set of conditions"):
        table({}) + table({})
    with pytest.raises(ResultError, match="one row for each set of conditions"):
        Results.joined([table({}), table({"severity": 1}), table({})])


def test_an_unknown_metric_is_refused():
    refused(r"Expected metric to be one of accuracy, .*but got goodness\.", metric="goodness")


def test_an_unknown_column_is_refused():
    refused(r"Expected a column to be one of item, .*but got layer\.", layer=3)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("metric", ["accuracy", "ce", "relative_ce", "overlap"])
def test_numbers_that_are_not_finite_are_refused(value, metric):
    refused(r"Expected the value of \w+ to be", metric=metric, value=value)


@pytest.mark.parametrize(
    ("metric", "value", "limits"),
    [
        ("accuracy", 76.1, r"a fraction in \[0, 1\]"),
        ("error", -0.1, r"a fraction in \[0, 1\]"),
        ("ce", -0.1, "a finite number, 0 or more"),
        ("drop", 14.9, r"in \[-1, 1\]"),
        ("images", 2.5, "a whole number"),
        ("images", -1, "a whole number"),
    ],
)
def test_numbers_outside_the_range_of_their_kind_are_refused(metric, value, limits):
    refused(f"value of {metric} to be {limits}.*but got", metric=metric, value=value)


@pytest.mark.parametrize(
    ("metric", "value"),
    [("ce", 2.29), ("relative_ce", -0.3), ("drop", -0.1), ("overlap", 1.2), ("accuracy", 0.0)],
)
def test_numbers_within_the_range_of_their_kind_are_kept(metric, value):
    assert table({"metric": metric, "value": value}).rows[0].value == value


def test_a_rate_may_miss_its_end_by_a_rounding_error():
    assert len(table({"metric": "aupr", "value": 1.0000000000000002})) == 1


def test_a_value_outside_its_interval_is_refused():
    refused(r"low <= value <= high, but got 0\.6 <= 0\.5", value=0.5, low=0.6, high=0.7)
    refused(r"low <= value <= high", value=0.5, low=0.3, high=0.4)


def test_an_interval_with_one_end_is_refused():
    refused("both ends of the interval or none", low=0.9)


def test_the_ends_of_an_interval_obey_the_limits_of_their_kind():
    refused(
        r"the high of accuracy to be a fraction", metric="accuracy", value=0.9, low=0.8, high=1.1
    )


@pytest.mark.parametrize(("n", "n_full"), [(0, 10), (-1, 10), (11, 10)])
def test_an_impossible_n_is_refused(n, n_full):
    refused(f"Expected 0 < n <= n_full, but got n={n}", n=n, n_full=n_full)


@pytest.mark.parametrize(("n", "n_full"), [(None, None), (10, None), (None, 10)])
def test_a_number_without_its_n_is_refused(n, n_full):
    refused("A number never stands without its n", n=n, n_full=n_full)


def test_a_count_and_a_setting_need_no_n():
    assert (
        len(table(*({"metric": m, "n": None, "n_full": None} for m in ("images", "epochs")))) == 2
    )


@pytest.mark.parametrize("severity", [0, 6])
def test_an_impossible_severity_is_refused(severity):
    refused(
        rf"Expected severity to be one of 1, 2, 3, 4, 5, None, but got {severity}\.",
        severity=severity,
    )


def test_a_negative_distance_is_refused():
    refused("Expected k to be 0 or more, but got -1", k=-1)


@pytest.mark.parametrize("column", ["item", "dataset", "metric", "value"])
def test_a_row_without_what_every_row_has_is_refused(column):
    refused("Expected every row to have", **{column: None})


def test_words_for_numbers_are_refused():
    refused("Expected a number in column value, but got 'high'", value="high")
    refused("Expected a whole number in column n, but got 2.5", n=2.5)


def test_a_row_made_by_hand_obeys_the_same_rules():
    with pytest.raises(ResultError, match="a fraction"):
        Row(item="a", dataset="d", metric="accuracy", value=2.0, n=1, n_full=1)


def test_numpy_scalars_become_plain_numbers():
    found = table({"value": np.float32(0.5), "n": np.int64(3), "severity": 2.0}).rows[0]
    assert (type(found.value), type(found.n), type(found.severity)) == (float, int, int)


def test_every_kind_has_metrics_and_every_metric_a_kind():
    assert set(METRICS.values()) == {
        "rate",
        "ratio",
        "relative",
        "difference",
        "score",
        "count",
        "setting",
    }
    with pytest.raises(TypeError):
        METRICS["goodness"] = "rate"


# How it is read


def test_adding_leaves_the_table_as_it_was():
    first = table({})
    second = first.add(**row(severity=1))
    assert (len(first), len(second)) == (1, 2)
    assert second.rows[0] is first.rows[0]


def test_selecting_by_value_by_several_and_by_absence():
    found = table({"severity": 1}, {"severity": 2}, {"severity": None}, {"corruption": "snow"})
    assert len(found.select(corruption="fog")) == 3
    assert len(found.select(severity=[1, 2])) == 2
    assert len(found.select(severity=None)) == 2
    assert len(found.select(severity=None, corruption="snow")) == 1
    assert len(found.select()) == 4


def test_selecting_by_an_unknown_column_is_refused():
    with pytest.raises(ResultError, match=r"but got layer\."):
        table({}).select(layer=1)


def test_the_only_row_is_found_and_none_or_several_are_refused():
    found = table({"severity": 1}, {"severity": 2})
    assert found.row(severity=2).severity == 2
    with pytest.raises(ResultError, match=r"corruption=fog, but found 2\. Name more"):
        found.row(corruption="fog")
    with pytest.raises(ResultError, match=r"severity=5, but found 0\. Check the names"):
        found.row(severity=5)


def test_stamping_names_the_run_in_every_row():
    stamped = table({}, {"severity": 1}).stamped("run-1")
    assert [r.run for r in stamped.rows] == ["run-1", "run-1"]
    assert [r.key for r in stamped.rows] == [r.key for r in table({}, {"severity": 1}).rows]


def test_the_frame_has_the_same_types_whatever_it_holds():
    empty, full = Results().frame, table({}, {"severity": 1, "low": 0.9, "high": 1.1}).frame
    assert list(empty.dtypes) == list(full.dtypes)
    assert full["severity"].dtype == "Int64"
    assert full["severity"].isna().tolist() == [True, False]
    assert full["value"].dtype == "float64"


# Saving


@pytest.fixture
def saved() -> Results:
    return table(
        {"value": 0.1 + 0.2, "low": 0.1, "high": 1 / 3, "run": "r"},
        {"severity": 5, "model": None, "convention": None},
        {"model": "NA", "corruption": "with, comma"},
        {"metric": "images", "value": 50_000, "n": None, "n_full": None},
    )


@pytest.mark.parametrize("which", [0, 1], ids=["parquet", "csv"])
def test_a_saved_table_is_read_back_exactly(saved, tmp_path, which):
    path = saved.save(tmp_path / "new" / "folder", "inc_2_mce")[which]
    assert path.name == ("inc_2_mce.parquet", "inc_2_mce.csv")[which]
    assert Results.load(path) == saved


@pytest.mark.parametrize("which", [0, 1], ids=["parquet", "csv"])
def test_an_empty_table_is_read_back(tmp_path, which):
    assert Results.load(Results().save(tmp_path, "empty")[which]) == Results()


def test_saving_leaves_nothing_beside_the_two_files(saved, tmp_path):
    saved.save(tmp_path, "a")
    saved.save(tmp_path, "a")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "a.parquet"]


def test_a_failed_save_keeps_the_old_file_and_leaves_no_part(saved, tmp_path, monkeypatch):
    path, _ = saved.save(tmp_path, "a")
    before = path.read_bytes()

    def fail(self, aside, **_):
        aside.write_bytes(b"half")
        raise OSError("disk full")

    monkeypatch.setattr(pd.DataFrame, "to_parquet", fail)
    with pytest.raises(OSError, match="disk full"):
        table({}).save(tmp_path, "a")
    assert path.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "a.parquet"]


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(DataError, match="there is no such file"):
        Results.load(tmp_path / "none.parquet")


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_a_truncated_file_is_told(saved, tmp_path, suffix):
    path = next(p for p in saved.save(tmp_path, "a") if p.suffix == suffix)
    path.write_bytes(path.read_bytes()[:30])
    with pytest.raises(DataError, match=r"no readable table|Expected the columns"):
        Results.load(path)


def test_a_table_with_other_columns_is_told(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("model,value\nalexnet,1\n")
    with pytest.raises(DataError, match=r"Expected the columns item, .*found model, value"):
        Results.load(path)


def test_a_file_altered_by_hand_obeys_the_same_rules(tmp_path):
    _, path = table({"metric": "accuracy", "value": 0.5}).save(tmp_path, "a")
    path.write_text(path.read_text().replace("0.5", "50"))
    with pytest.raises(ResultError, match=r"a fraction in \[0, 1\], but got 50"):
        Results.load(path)
