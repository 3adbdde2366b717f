"""The one long table: no condition twice, how it is read, and that it survives being saved."""

import pandas as pd
import pytest

from robust_lib.errors import DataError, ResultError
from robust_lib.results.table import Results
from tests.results.rows import table


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


# How it is read


def test_adding_leaves_the_table_as_it_was():
    first = table({})
    second = first + table({"severity": 1})
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
    with pytest.raises(ResultError, match=r"corruption=fog.*found 2\. Add"):
        found.row(corruption="fog")
    with pytest.raises(ResultError, match=r"severity=5.*found 0\. Check"):
        found.row(severity=5)


def test_the_first_row_is_found_and_none_is_none():
    found = table({"severity": 1, "value": 0.25}, {"severity": 2, "value": 0.5})
    assert found.first(corruption="fog").severity == 1
    assert found.first(severity=2).value == 0.5
    assert found.first(severity=5) is None


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
    with pytest.raises(DataError, match=r"not a readable table|Expected the columns"):
        Results.load(path)


def test_a_table_with_other_columns_is_told(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("model,value\nalexnet,1\n")
    with pytest.raises(DataError, match=r"Expected the columns item, .*found model, value"):
        Results.load(path)


def test_a_file_altered_by_hand_obeys_the_same_rules(tmp_path):
    _, path = table({"metric": "accuracy", "value": 0.5}).save(tmp_path, "a")
    path.write_text(path.read_text().replace("0.5", "50"))
    with pytest.raises(ResultError, match=r"fraction.*\[0, 1\].*50"):
        Results.load(path)
