"""Every printed and public number of a column stands on the board, once, as it is printed."""

import csv
from collections import Counter

import pytest

from robust_lib import paths
from robust_lib.config.manifests import model_title, paper_titles
from robust_lib.config.papers import paper_keys
from robust_lib.results.leaderboard.columns import COLUMNS
from robust_lib.results.leaderboard.sources import (
    ALL_OUTPUTS,
    named,
    of_papers,
    of_references,
    of_run,
)
from robust_lib.results.row import Row

PAPERS, REFERENCES = of_papers(), of_references()
SHOWN = {
    ("error", "imagenet_val", ""): "clean",
    ("accuracy", "imagenet_val", ""): "clean",
    ("mce", "imagenet_c", ""): "mce",
    ("relative_mce", "imagenet_c", ""): "relative_mce",
    ("accuracy", "imagenet_val_a", ""): "ordinary",
    ("accuracy", "imagenet_a", ""): "hard",
    ("aupr", "imagenet_o", ""): "aupr",
    ("map", "coco_val", ""): "coco",
    ("map", "coco_test_dev", ""): "test_dev",
    ("map", "nao", ""): "nao",
    ("map_without_ood", "nao", ""): "nao_known",
} | {
    (metric, dataset, k): key
    for dataset in ("imagenet_vid_robust", "imagenet_vid_robust_1145", "imagenet_vid_robust_2015")
    for metric, k, key in (
        ("pm_accuracy", "0", "pm0"),
        ("pm_accuracy", "10", "pm10"),
        ("drop", "10", "pm_drop"),
        ("pm_map", "0", "pm0_map"),
        ("pm_map", "10", "pm10_map"),
        ("map_drop", "10", "pm_map_drop"),
    )
}


def lines(name):
    path = paths.manifests() / "reported" / f"{name}.csv"
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def texts(entries, model, key):
    """Return how a network's numbers of a column are written, other values included."""
    found = [entry.cells[key] for entry in entries if entry.model == model and key in entry.cells]
    return [(one.dataset, text.split()[0]) for one in found for text in (one.text, *one.also)]


@pytest.mark.parametrize("paper", paper_keys())
def test_every_number_that_a_paper_prints_of_a_network_is_there(paper):
    mine = [entry for entry in PAPERS if entry.paper == paper]
    seen = 0
    for line in lines(paper):
        key = SHOWN.get((line["metric"], line["dataset"], line["k"]))
        if key is None or line["model"] in ("", "chance") or line["corruption"]:
            continue
        if line["status"] in ("direction", "range"):
            continue
        shown = float(line["value"])
        if line["metric"] == "error":
            shown = 100 - shown
        there = texts(mine, line["model"], key)
        near = 0.5001 * 10.0 ** -int(line["decimals"])
        assert any(
            data == line["dataset"] and abs(float(text) - shown) < near for data, text in there
        ), (line, there)
        seen += 1
    assert seen or paper not in ("inc", "nae", "vid", "nao")


OTHERS = ("clean", "testbed", "timm", "robust", "detector")


@pytest.mark.parametrize("name", [f"{name}_reference" for name in OTHERS])
def test_every_number_of_others_is_there_as_they_print_it(name):
    seen = 0
    for line in lines(name):
        key = SHOWN.get((line["metric"], line["dataset"], line.get("k") or ""))
        if line["metric"] in ("parameters", "mean_accuracy"):
            continue
        there = texts(REFERENCES, line["model"], key)
        same = [text for data, text in there if data == line["dataset"]]
        assert float(line["value"]) in map(float, same), line  # 1.84 and 1.840 are one
        seen += 1
    assert seen > 5


def test_resnet_50s_mce_is_the_mean_of_the_fifteen_that_others_found():
    found = [float(line["ce"]) for line in lines("resnet50_reference") if line["ce"]]
    (entry,) = (one for one in REFERENCES if one.model == "resnet50")
    assert len(found) == 15
    assert entry.cells["mce"].text == f"{sum(found) / 15:.1f}" == "76.7"
    assert entry.cells["clean"].text == "76.130"
    assert entry.cells["clean"].also[0].startswith("76.1 (game-of-noise")


def test_no_number_is_there_that_nobody_printed():
    derived = [
        cell
        for entry in (*PAPERS, *REFERENCES)
        for cell in entry.cells.values()
        if cell.where == "the difference of the two"
    ]
    every = sum(len(entry.cells) for entry in (*PAPERS, *REFERENCES))
    tables = {name: name for name in paper_keys()}
    tables |= {f"{name}_reference": "others" for name in OTHERS}  # two witnesses share a cell
    printed = Counter(
        (whose, line["model"], line["dataset"], SHOWN[condition])
        for name, whose in tables.items()
        for line in lines(name)
        for condition in [(line["metric"], line["dataset"], line.get("k") or "")]
        if condition in SHOWN and line["model"] not in ("", "chance")
        if not line.get("corruption") and line.get("status") not in ("direction", "range")
    )
    assert every == len(printed) + len(derived) + 1  # the mean of ResNet-50's fifteen


def test_a_drop_that_nobody_prints_is_the_difference_and_says_so():
    (entry,) = (one for one in PAPERS if one.model == "retinanet_r50")
    assert entry.cells["nao_drop"].text == "25.5"
    assert entry.cells["nao_drop"].where == "the difference of the two"
    (yolo,) = (one for one in PAPERS if one.model == "yolov3")
    assert "nao_drop" not in yolo.cells  # the paper has it on test-dev alone
    (wrong,) = (one for one in PAPERS if one.model == "faster_rcnn")
    assert "belongs to another detector" in wrong.cells["nao_drop"].note


def test_versions_of_a_data_set_never_share_a_row():
    rows = [one for one in PAPERS if (one.paper, one.model) == ("vid", "resnet50")]
    beds = [{cell.dataset for cell in one.cells.values()} for one in rows]
    assert beds == [{"imagenet_vid_robust"}, {"imagenet_vid_robust_1145"}]
    assert rows[0].cells["pm0"].low == pytest.approx(0.647)


def test_other_conventions_have_other_words():
    hard = {one.model: one.cells["hard"].way for one in PAPERS if "hard" in one.cells}
    assert hard["resnext50_32x4d_200_noise"] == ALL_OUTPUTS != hard["resnet34"]
    others = {one.model: one.cells["hard"].way for one in REFERENCES if "hard" in one.cells}
    assert others["dpn98"] != hard["dpn98"] == others["resnet34"]


def test_every_number_of_a_column_that_others_find_is_computed_as_the_papers_are():
    for entry in REFERENCES:
        for key, cell in entry.cells.items():
            (one,) = (column for column in COLUMNS if column.key == key)
            assert cell.way.startswith(one.way)


SHARED = {"item": "inc-tab1", "model": "mine", "n": 8, "n_full": 10}
RUN = [
    Row(**SHARED, dataset="toys", metric="error", value=0.25, low=0.125, high=0.5),
    Row(**SHARED, dataset="toys_c", metric="mce", value=0.75, convention="jpeg85, divided by a"),
    Row(**SHARED, dataset="toys_c", metric="ce", value=0.5, corruption="fog"),
    Row(item="inc-fig3", dataset="few", model="mine", metric="error", value=0.5, n=4, n_full=4),
    Row(item="nae-fig2", dataset="toys_a", model="mine", metric="accuracy", value=0.25, n=4,
        n_full=4, convention="2 of 4 outputs, the others masked before the softmax"),
    Row(item="nae-fig3", dataset="toys_o", model="chance", metric="aupr", value=0.5, n=4, n_full=4),
]  # fmt: skip
NAMES = {"imagenet_val": ["toys"], "enhancements": ["few"], "imagenet_a": ["toys_a"]}


def test_numbers_of_a_run_of_other_pictures_have_a_row_of_their_own():
    first, second = of_run(RUN, NAMES, ["mine", "chance"])
    assert list(first.cells) == ["clean", "mce", "hard"]
    assert list(second.cells) == ["clean"]
    clean = first.cells["clean"]
    assert (clean.value, clean.low, clean.high) == (0.75, 0.5, 0.875)
    assert (clean.part, second.cells["clean"].part) == ("8 of 10", "")
    assert first.cells["mce"].way == "jpeg85, divided by a"
    assert first.asks == "classifiers"


def test_networks_that_were_not_asked_for_and_chance_are_left_out():
    assert of_run(RUN, NAMES, ["others"]) == ()
    rows = [row for row in RUN if row.model == "chance"]
    assert of_run(rows, {"imagenet_o": ["toys_o"]}, ["chance"]) == ()


def test_a_data_set_goes_by_its_own_name_and_those_that_play_it():
    (hard,) = (one for one in COLUMNS if one.key == "hard")
    assert named(hard, NAMES) == {"imagenet_a", "toys_a"}


def test_every_network_of_the_papers_has_a_name_for_readers_and_shares_it_with_none():
    names = {entry.model for entry in (*PAPERS, *REFERENCES)}
    assert set(paper_titles()) <= names
    told = {name: paper_titles().get(name, model_title(name)) for name in names}
    assert [name for name, title in told.items() if name == title] == []
    assert [title for title, count in Counter(told.values()).items() if count > 1] == []
