"""Tables for committing: what each kind takes from a run's rows."""

import pandas as pd
import pytest

from robust_lib import paths
from robust_lib.commands.commit_table import TABLES
from robust_lib.results.row import row_of
from robust_lib.results.table import Results


def test_icons_by_network_and_protocol():
    rows = Results.of(
        row_of({"item": "inc-icons-style", "dataset": f"icons50_open_{part}",
                "model": "resnet20_mini", "metric": "accuracy", "value": value,
                "low": value - 0.1, "high": value + 0.1, "n": 30, "n_full": 30})
        for part, value in (("style", 0.5), ("version", 0.8))
    )  # fmt: skip
    frame = TABLES["surface"](rows)
    assert frame["Held out"].tolist() == ["style", "version"]
    assert frame["accuracy"].tolist() == pytest.approx([50, 80])
    assert frame["accuracy low"].tolist() == pytest.approx([40, 70])
    assert frame["icons"].tolist() == [30, 30]


def test_overlaps_by_group():
    shared = {"item": "overlap-fig2", "dataset": "toys", "n": 10, "n_full": 10}
    rows = Results.of(
        row_of(columns) for columns in [
            shared | {"model": "resnet18_small", "metric": "group_overlap", "corruption": "noise",
                      "value": 0.9, "low": 0.8, "high": 1.0},
            shared | {"metric": "rank_correlation", "value": 0.7},
            shared | {"model": "resnet18_small", "metric": "overlap",
                      "corruption": "fog+snow", "value": 0.2},
        ]
    )  # fmt: skip
    frame = TABLES["overlaps"](rows)
    assert frame["What"].tolist() == ["group overlap", "rank correlation"]
    assert frame["score"].tolist() == pytest.approx([90, 70])
    assert frame.loc[1, "Network"] == "all"
    pairs = TABLES["pairs"](rows)
    assert pairs[["One", "Other"]].to_numpy().tolist() == [["Fog", "Snow"]]
    assert pairs["score"].tolist() == pytest.approx([20])


def test_what_the_page_of_benchmarks_says_of_overlaps():
    measured = paths.manifests() / "measured"
    table = pd.read_csv(measured / "overlaps_3_seeds.csv")
    groups = table[table["What"] == "group overlap"].pivot(
        index="Network", columns="Corruptions", values="score"
    )
    assert len(groups) == 2
    assert (groups["Noise"] > groups["Blur pixelate"]).all()
    assert (groups["Blur pixelate"] > groups["All"]).all()
    pairs = pd.read_csv(measured / "overlap_pairs_3_seeds.csv")
    bright = pairs[pairs["One"].str.endswith("noise") & (pairs["Other"] == "Brightness")]
    means = groups["All"][bright["Network"]].to_numpy()
    assert len(bright) == 6
    assert (bright["score"] < means).all()
