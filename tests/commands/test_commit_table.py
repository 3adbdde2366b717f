"""Tables for committing: chapters offer them, and they are written with their provenance."""

from dataclasses import replace

import pandas as pd
import pytest
import yaml

from robust_book import chapters
from robust_book.commands.commit_table import FACTS, recipes, write
from robust_lib import paths
from robust_lib.atomic import write_json
from robust_lib.errors import DataError, InputError
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.trained_as import trained_as
from robust_lib.vocabulary import SEVERITIES

METRICS = ("error", "mce", "relative_mce")
ROW = Row(
    item="overlap-fig2", dataset="toys", model="my_net", metric="overlap",
    corruption="fog+snow", value=0.25, low=0.125, high=0.5, n=9, n_full=9,
)  # fmt: skip


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A project with the committed notebooks, in which one of them has run."""
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path / "build"))
    monkeypatch.setattr(paths, "manifests", lambda: tmp_path / "data_manifests")
    folder = paths.profile("mini") / "results"
    folder.mkdir(parents=True)
    Results.of([ROW]).save(folder, "overlap_1_matrix")
    provenance = dict.fromkeys(FACTS, "known") | {"seeds": [0, 1, 2]}
    record = {"words": "miniature on toys, 3 seeds", "provenance": provenance}
    write_json(folder / "overlap_1_matrix.json", record)
    return tmp_path


def test_a_chapters_table_is_written_with_what_it_is(home):
    target = write("pairs", "mini", "overlap_1_matrix", title="Pairs", kind="pairs")
    assert target == home / "data_manifests" / "measured" / "pairs.csv"
    assert target.read_text("utf-8") == (
        "Network,One,Other,score,low,high\nmy_net,Fog,Snow,25.0,12.5,50.0\n"
    )
    about = yaml.safe_load(target.with_suffix(".yaml").read_text("utf-8"))
    assert about["title"] == "Pairs"
    assert about["convention"].startswith("percent; miniature on toys, 3 seeds; ")
    assert about["provenance"].keys() == set(FACTS)
    assert about["provenance"]["seeds"] == "[0, 1, 2]"


def test_it_says_how_the_networks_that_were_trained_here_were_trained():
    found = recipes(["resnet18_small+fog", "resnet18_small", "resnet50", "chance", "my_net"])
    assert list(found) == ["resnet18_small", "resnet18_small+fog"]
    assert found["resnet18_small"] == trained_as("resnet18_small")


@pytest.mark.parametrize(
    ("notebook", "kind", "words"),
    [
        ("overlap_1_matrix", "networks", "of overlap_1_matrix to be one of overlaps, pairs, but"),
        ("00_tour", "networks", "a committed table of 00_tour to be one of none, but got networks"),
        ("vid_9", "pairs", "chapter to be one of 00_tour, .* but got vid_9"),
    ],
)
def test_a_table_that_no_chapter_offers_is_refused(home, notebook, kind, words):
    with pytest.raises(InputError, match=words):
        write("pairs", "mini", notebook, title="Pairs", kind=kind)
    assert not (home / "data_manifests").exists()


def test_a_chapter_that_has_not_run_is_named_with_the_command(home):
    with pytest.raises(DataError, match="`robust run overlap_1_matrix --profile gpu` first"):
        write("pairs", "gpu", "overlap_1_matrix", title="Pairs", kind="pairs")


@pytest.mark.parametrize(
    ("notebook", "kind", "name"),
    [
        ("inc_2_mce", "networks", "miniature_networks_3_seeds"),
        ("inc_2_mce", "severities", "miniature_severities"),
        ("inc_3_enhancements", "enhancements", "enhancements_3_seeds"),
        ("inc_4_icons50", "surface", "icons_3_seeds"),
        ("nae_2_imagenet_a", "hard", "hard_3_seeds"),
        ("nae_3_imagenet_o", "foreign", "foreign_3_seeds"),
        ("vid_2_classification", "types", "video_types_3_seeds"),
        ("inc_5_auxiliary", "subtypes", "subtypes_3_seeds"),
        ("nao_2_map", "detectors", "detectors_3_seeds"),
        ("overlap_1_matrix", "overlaps", "overlaps_3_seeds"),
        ("overlap_1_matrix", "pairs", "overlap_pairs_3_seeds"),
    ],
)
def test_a_committed_table_has_the_columns_that_its_chapter_makes(notebook, kind, name):
    committed = pd.read_csv(paths.manifests() / "measured" / f"{name}.csv")
    rows = [
        ROW,
        replace(ROW, metric="group_overlap", corruption="noise"),
        replace(ROW, metric="accuracy", corruption=None),
        replace(ROW, item="nae-fig2", metric="accuracy", corruption=None),
        *(
            replace(ROW, item="nae-fig3", metric=metric, corruption=None)
            for metric in ("aupr", "auroc", "fpr_at_recall")
        ),
        replace(ROW, item="vid-tab1", metric="pm_accuracy", corruption=None, k=0),
        replace(ROW, item="inc-cifar100", metric="error", corruption=None),
        replace(ROW, item="nao-tab2", metric="map", corruption=None),
        *(replace(ROW, metric=metric, corruption=None) for metric in METRICS),
        *(replace(ROW, metric="error", corruption="fog", severity=level) for level in SEVERITIES),
    ]
    if notebook == "inc_3_enhancements":  # which has no relative errors
        rows = [row for row in rows if row.metric != "relative_mce"]
    made = chapters.module(notebook).COMMITTED[kind](Results.of(rows))
    assert list(made.columns) == list(committed.columns)


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
