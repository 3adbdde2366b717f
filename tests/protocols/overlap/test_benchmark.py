"""Whether a benchmark is balanced, and what it covers, on overlaps that are known."""

import numpy as np
import pandas as pd
import pytest

from robust_lib.errors import InputError
from robust_lib.protocols.overlap.benchmark import average, balance, coverage, members
from robust_lib.protocols.overlap.scores import matrix
from tests.protocols.overlap.toys import overlaps, table

NAMES = ["fog", "snow", "frost", "border"]
OVERLAPS = pd.DataFrame(
    [[1.0, 0.5, 0.3, 0.0], [0.5, 1.0, 0.7, 0.1], [0.3, 0.7, 1.0, np.nan], [0.0, 0.1, np.nan, 1.0]],
    NAMES,
    NAMES,
)


def test_balance_is_the_mean_overlap_with_the_others_of_the_benchmark():
    found = balance(OVERLAPS, ["fog", "snow", "frost"])
    assert found.index.tolist() == ["fog", "snow", "frost"]
    assert found["mean"].tolist() == pytest.approx([0.4, 0.6, 0.5])
    assert found["nearest"].tolist() == ["snow", "frost", "snow"]
    assert found["pairs"].tolist() == [2, 2, 2]
    assert found["overlap"].tolist() == pytest.approx([0.5, 0.7, 0.7])


def test_coverage_names_the_nearest_that_is_defined():
    found = coverage(OVERLAPS, ["fog", "frost"])
    assert found.loc["snow", "nearest"] == "frost"
    assert found.loc["border", "nearest"] == "fog"  # with frost it has none
    assert coverage(OVERLAPS, NAMES).empty


def test_a_corruption_without_any_overlap_has_no_nearest():
    lonely = OVERLAPS.drop(index="fog", columns="fog").copy()
    lonely.loc["border", "snow"] = np.nan
    lonely.loc["rain.py:rain", ["snow", "frost"]] = [0.2, 0.1]
    found = coverage(lonely, ["snow", "frost"])
    assert found.loc["border"].isna().tolist() == [True, True]
    assert found.loc["rain.py:rain"].tolist() == ["snow", 0.2]


def test_architectures_are_averaged():
    tables = {"one": table(names=("fog", "snow")), "two": table(names=("fog", "snow"), clean=0.5)}
    found = overlaps(tables)
    expected = (matrix(found["one"]) + matrix(found["two"])) / 2
    pd.testing.assert_frame_equal(average(found), expected)


def test_a_mean_is_over_the_pairs_that_have_an_overlap():
    found = balance(OVERLAPS, ["snow", "frost", "border"])
    assert found.loc["border", ["mean", "pairs"]].tolist() == [0.1, 1]
    assert found.loc["snow", "pairs"] == 2


@pytest.mark.parametrize("named", [["fog", "snow"], ("fog", "snow")])
def test_a_benchmark_is_some_of_the_corruptions_trained_with(named):
    assert members(named, NAMES) == ("fog", "snow")


def test_imagenet_cs_corruptions_are_the_default():
    assert members(None, NAMES) == ("fog", "snow", "frost")


@pytest.mark.parametrize(
    ("named", "words"),
    [
        (["fog", "rain"], "a corruption of the benchmark to be one of fog, snow, frost, border"),
        (["fog"], "at least two corruptions, each once, but got fog"),
        (["fog", "fog"], "each once, but got fog, fog"),
        ([], "but got none"),
        ("fog", "a list of corruptions, such as '\\[\"fog\", \"snow\"\\]', but got 'fog'"),
    ],
)
def test_a_benchmark_that_is_none_is_refused(named, words):
    for question in (balance, coverage):
        if not isinstance(named, str):
            with pytest.raises(InputError, match=words):
                question(OVERLAPS, named)
    with pytest.raises(InputError, match=words):
        members(named, NAMES)
