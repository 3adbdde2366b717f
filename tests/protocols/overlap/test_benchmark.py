"""Whether a benchmark is balanced, and what it covers, on overlaps that are known."""

import numpy as np
import pandas as pd
import pytest

from robust_lib.errors import InputError
from robust_lib.protocols.overlap.accuracies import Accuracies
from robust_lib.protocols.overlap.benchmark import average, balance, chosen, common, coverage
from robust_lib.protocols.overlap.scores import PAPER, matrix

NAMES = ["fog", "snow", "frost", "border"]
OVERLAPS = pd.DataFrame(
    [[1.0, 0.5, 0.3, 0.0], [0.5, 1.0, 0.7, 0.1], [0.3, 0.7, 1.0, np.nan], [0.0, 0.1, np.nan, 1.0]],
    NAMES,
    NAMES,
)


def test_balance_is_the_mean_overlap_with_the_others_of_the_benchmark():
    table = balance(OVERLAPS, ["fog", "snow", "frost"])
    assert table["Corruption"].tolist() == ["fog", "snow", "frost"]
    assert table["Mean overlap"].tolist() == pytest.approx([0.4, 0.6, 0.5])
    assert table["Nearest"].tolist() == ["snow", "frost", "snow"]
    assert table["Overlap with it"].tolist() == pytest.approx([0.5, 0.7, 0.7])


def test_coverage_names_the_nearest_that_is_defined():
    table = coverage(OVERLAPS, ["fog", "frost"])
    rows = table.set_index("Corruption")
    assert rows.loc["snow", "Nearest"] == "frost"
    assert rows.loc["border", "Nearest"] == "fog"  # with frost it has none
    assert coverage(OVERLAPS, NAMES).empty


def test_what_has_no_overlap_at_all_is_said_so():
    table = coverage(
        OVERLAPS.loc[["frost", "border"], ["frost", "border"]]
        .rename(index={"border": "snow"}, columns={"border": "snow"})
        .assign(fog=[0.1, 0.2])
        .reindex(["frost", "snow", "fog"]),
        ["snow", "fog"],
    )
    assert table.set_index("Corruption").loc["frost", "Nearest"] == "fog"


def toys(scale):
    accuracy = np.array([[[0.2, 0.2], [0.8, 0.2 + scale], [0.2 + scale, 0.8]]])
    return Accuracies(
        dataset="toys", corruptions=("fog", "border"), accuracy=accuracy,
        clean=np.full((1, 3), 0.9), n=10, n_full=10, words="memory",
    )  # fmt: skip


def test_architectures_are_averaged():
    tables = {"one": toys(0.2), "two": toys(0.4)}
    expected = (matrix(tables["one"], PAPER) + matrix(tables["two"], PAPER)) / 2
    pd.testing.assert_frame_equal(average(tables), expected)
    assert common(tables) == ("fog",)


@pytest.mark.parametrize("asked", [["fog", "snow"], '["fog", "snow"]', ("fog", "snow")])
def test_a_benchmark_comes_as_a_list_or_as_its_text(asked):
    assert chosen(asked, NAMES) == ("fog", "snow")


def test_imagenet_cs_corruptions_are_the_default():
    assert chosen(None, NAMES) == ("fog", "snow", "frost")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (["fog", "rain"], "a corruption of the benchmark to be one of fog, snow, frost, border"),
        (["fog"], "at least two corruptions, each once, but got fog"),
        (["fog", "fog"], "each once, but got fog, fog"),
        ([], "but got none"),
        ("fog", "a benchmark as a list of corruptions, but got 'fog'"),
    ],
)
def test_a_benchmark_that_is_none_is_refused(asked, words):
    with pytest.raises(InputError, match=words):
        chosen(asked, NAMES)
