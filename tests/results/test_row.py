"""What may stand in a row, and how a line of a file becomes one."""

import numpy as np
import pytest

from robust_lib.errors import ResultError
from robust_lib.results.estimate import Estimate
from robust_lib.results.row import COLUMNS, CONDITIONS, METRICS, Row, row_of
from robust_lib.results.table import Results
from tests.results.rows import columns


def refused(message: str, **changes):
    with pytest.raises(ResultError, match=message):
        row_of(columns(**changes))


def test_the_columns_are_the_agreed_ones_in_order():
    agreed = (
        "item dataset model corruption severity k metric convention value low high n n_full run"
    )
    assert list(COLUMNS) == agreed.split()
    assert COLUMNS[:8] == CONDITIONS
    assert tuple(Results().frame.columns) == COLUMNS


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
    assert row_of(columns(metric=metric, value=value)).value == value


def test_a_rate_may_miss_its_end_by_a_rounding_error():
    assert row_of(columns(metric="aupr", value=1.0000000000000002)).value > 1


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
    refused("Every number needs its n", n=n, n_full=n_full)


def test_a_count_and_a_setting_need_no_n():
    for metric in ("images", "epochs"):
        assert row_of(columns(metric=metric, n=None, n_full=None)).n is None


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
    found = row_of(columns(value=np.float32(0.5), n=np.int64(3), severity=2.0))
    assert (type(found.value), type(found.n), type(found.severity)) == (float, int, int)


def test_every_kind_has_metrics_and_every_metric_a_kind():
    assert set(METRICS.values()) == {
        "rate",
        "ratio",
        "relative",
        "difference",
        "score",
        "tally",
        "count",
        "setting",
    }
    with pytest.raises(TypeError):
        METRICS["goodness"] = "rate"


def test_an_estimate_becomes_a_row_under_its_conditions():
    half = Estimate(value=0.5, low=0.4, high=0.6, n=10, n_full=20)
    conditions = {
        "item": "inc-tab1",
        "dataset": "toy",
        "model": "net",
        "corruption": "fog",
        "severity": 3,
        "k": 10,
        "metric": "error",
        "convention": "memory",
    }
    found = Row.of(half, **conditions)
    assert found == Row(**conditions, value=0.5, low=0.4, high=0.6, n=10, n_full=20)
    assert found.key == tuple(conditions.values())


def test_a_row_gives_its_interval_as_it_is_and_in_percent():
    columns = {"item": "inc-tab1", "dataset": "toy", "metric": "error", "value": 0.5}
    row = Row(**columns, low=0.25, high=0.75, n=8, n_full=8)
    assert row.interval == (0.5, 0.25, 0.75)
    assert row.percent == (50, 25, 75)
    alone = Row(**columns, n=8, n_full=8)
    assert (alone.interval, alone.percent) == ((0.5, 0.5, 0.5), (50, 50, 50))
