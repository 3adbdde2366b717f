"""What the leaderboard's page holds: every row as JSON and as a plain line, no text as markup."""

import json
import re

import pandas as pd
import pytest

from robust_book.sphinx_ext import leaderboard
from robust_book.sphinx_ext.page import RESULTS, Page
from robust_lib import paths
from robust_lib.config.papers import papers
from robust_lib.passport.record import schema
from robust_lib.results.leaderboard.columns import COLUMNS as BOARD
from robust_lib.results.leaderboard.sources import of_papers, of_references
from robust_lib.results.reported import data_title
from robust_lib.results.row import COLUMNS, Row

PAPERS = papers()
SHARED = {"n": 9, "n_full": 9, "metric": "error"}
ROWS = [
    Row(**SHARED, item="inc-tab1", dataset="scenes_val", model="resnet18_mini", value=0.25,
        low=0.2, high=0.3),
    Row(**SHARED, item="inc-fig3", dataset="scenes_val_few", model="resnet18_mini", value=0.5),
    Row(**SHARED, item="inc-tab1", dataset="scenes_val", model="resnet18_small+fog", value=0.5),
    Row(**SHARED, item="inc-tab1", dataset="scenes_val", model="<b>mine</b>", value=0.5),
    Row(item="nae-fig3", dataset="scenes_o_filtered", model="chance", metric="aupr", value=0.5,
        n=9, n_full=9),
]  # fmt: skip


@pytest.fixture(scope="module")
def page(tiny, tmp_path_factory) -> Page:
    folder = tmp_path_factory.mktemp("board")
    (folder / RESULTS).mkdir(parents=True)
    frame = pd.DataFrame([{name: getattr(row, name) for name in COLUMNS} for row in ROWS])
    frame.to_csv(folder / RESULTS / "inc_2_mce.csv", index=False)
    return Page("leaderboard", folder, {"inc_2_mce": tiny.results("inc_2_mce")}, PAPERS)


@pytest.fixture(scope="module")
def made(page) -> str:
    return leaderboard.draw(page).markup


@pytest.fixture(scope="module")
def data(made) -> dict:
    (found,) = re.findall(r'<script type="application/json">(.*?)</script>', made, re.DOTALL)
    return json.loads(found)


def test_every_row_is_there_with_its_cells(data):
    printed = [*of_papers(), *of_references()]
    mine = [row for row in data["rows"] if row["source"] == "run"]
    assert len(data["rows"]) == len(printed) + len(mine)
    counts = {"paper": len(of_papers()), "reference": len(of_references()), "run": 3}
    assert {name: sum(row["source"] == name for row in data["rows"]) for name in counts} == counts
    shown = [cell["value"] for row in data["rows"] for cell in row["cells"].values()]
    values = [cell.value for entry in printed for cell in entry.cells.values()]
    assert sorted(shown) == pytest.approx(sorted([*values, 0.75, 0.5, 0.5]))


def test_a_cell_has_what_gives_it_a_meaning(data):
    (row,) = (one for one in data["rows"] if one["cells"].get("clean", {}).get("low"))
    assert row["cells"]["clean"] == {
        "value": 0.75, "text": "75.0", "low": 0.7, "high": 0.8, "n": 9, "dataset": "scenes_val",
        "way": "one crop per image", "where": "inc-tab1",
        "place": "inc_2_mce.html#inc-tab1",
    }  # fmt: skip
    assert row["title"] == "ResNet-18-like"


def test_the_miniature_and_photographs_are_told_apart(data):
    worlds = {row["source"]: row["world"] for row in data["rows"]}
    assert worlds == {"paper": "photographs", "reference": "photographs", "run": "miniature"}
    assert data["datasets"]["scenes_val"] == [
        "miniature",
        "Scenes of the miniature world, test split",
    ]
    assert data["datasets"]["imagenet_c"][0] == "photographs"
    of_cells = {cell["dataset"] for row in data["rows"] for cell in row["cells"].values()}
    assert of_cells <= set(data["datasets"])
    assert set(worlds.values()) <= set(data["worlds"])


def test_a_run_of_the_papers_data_stands_among_the_papers(page, tmp_path):
    (tmp_path / RESULTS).mkdir(parents=True)
    row = Row(**SHARED, item="inc-tab1", dataset="imagenet_val", model="resnet50", value=0.239)
    frame = pd.DataFrame([{name: getattr(row, name) for name in COLUMNS}])
    frame.to_csv(tmp_path / RESULTS / "inc_2_mce.csv", index=False)
    found = leaderboard.board(Page("leaderboard", tmp_path, page.results, PAPERS))
    (run,) = (one for one in found["rows"] if one["source"] == "run")
    assert run["world"] == "photographs"
    paper = next(one for one in found["rows"] if one["name"] == "resnet50")
    assert (run["cells"]["clean"]["dataset"], run["cells"]["clean"]["way"]) == (
        paper["cells"]["clean"]["dataset"], paper["cells"]["clean"]["way"],
    )  # fmt: skip


def test_the_script_knows_a_passport_by_the_published_schema(data):
    file = paths.book() / "_static" / "passport.schema.json"
    assert data["passport"]["schema"] == json.loads(schema()) == json.loads(file.read_text("utf-8"))
    assert data["passport"]["version"] == 1


def test_columns_are_the_librarys_and_plots_show_them(data):
    assert [one["key"] for one in data["columns"]] == [one.key for one in BOARD]
    keys = {one["key"]: one["asks"] for one in data["columns"]}
    for plot in data["plots"]:
        assert {keys[key] for key in (plot["up"], *plot["across"])} == {plot["asks"]}
    hard = next(one for one in data["columns"] if one["key"] == "hard")
    assert {"imagenet_a", "scenes_a_filtered"} <= {one.get("dataset") for one in hard["takes"]}


def test_the_plain_tables_have_a_line_a_network_and_numbers_with_one_digit(made, data):
    told = [int(one) for row in re.findall('<tr data-rows="([^"]*)"', made) for one in row.split()]
    assert sorted(told) == list(range(len(data["rows"])))
    place = next(
        number
        for number, row in enumerate(data["rows"])
        if (row["name"], row["source"]) == ("resnet50", "reference")
    )
    lines = re.findall(r'<tr data-rows="([^"]*)">(.*?)</tr>', made)
    (line,) = (line for rows, line in lines if str(place) in rows.split())
    assert 'title="76.130; ' in line  # with all its digits, of which one is shown
    assert ">76.1 <sup>" in line
    assert ">76.7</td>" in line
    cells = re.findall(r"<td.*?</td>", made)
    assert max(one.count("<a ") for one in cells) == 1  # two would be too near for a finger
    assert 'class="rb-data">photographs<' in line


def test_lines_are_sorted_by_mce_and_the_best_of_a_column_is_bold(made):
    table = made[: made.index('id="board-detectors"')]
    numbers = re.findall(
        r'<td class="rb-num([^"]*)" data-row="\d+" data-key="mce" data-sort="([^"]+)"', table
    )
    assert len(numbers) > 15
    best = min(float(value) for _, value in numbers)
    assert best in [float(value) for bold, value in numbers if bold]
    assert len([bold for bold, _ in numbers if bold]) == 2  # of the papers, and of public weights
    first = table[table.index("<tr data-rows") :]
    assert f'data-key="mce" data-sort="{best!r}"' in first[: first.index("</tr>")]


def test_what_one_source_says_twice_of_a_network_takes_a_second_line():
    def row(source, *keys):
        return {"title": "A", "world": "w", "source": source, "cells": {key: {} for key in keys}}

    rows = [row("paper", "mce"), row("run", "mce"), row("paper", "mce", "hard"), row("run", "hard")]
    found = leaderboard.network_lines(enumerate(rows))
    assert [[place for place, _ in line.rows] for line in found] == [[0, 1, 3], [2]]


def test_what_is_odd_about_a_number_is_a_note_that_leads_to_its_erratum(made):
    notes = made[made.index("<ol>") :]
    assert 'href="errata.html#nao-faster-rcnn">nao-faster-rcnn</a>' in notes
    assert "Computed differently: all 200 outputs." in notes
    marks = set(re.findall(r'href="#(board-note-\d+)"', made))
    assert marks == set(re.findall(r'<li id="(board-note-\d+)"', notes))
    there = 'version 1.1. <a href="inc_2_mce.html#inc-tab1">The number in its chapter</a></li>'
    assert there in notes


def test_no_name_becomes_markup(made):
    assert "<b>mine" not in made
    assert "&lt;b&gt;mine" in made


def test_a_site_without_a_run_has_the_papers_and_the_public_ones(tmp_path):
    found = leaderboard.board(Page("leaderboard", tmp_path, {}, PAPERS))
    assert {row["source"] for row in found["rows"]} == {"paper", "reference"}
    assert found["run"] == {"words": "", "datasets": {}}


def test_a_data_set_is_told_in_words():
    assert data_title("scenes_val_c") == "Scenes of the miniature world, test split, corrupted"
    assert data_title("folder:mine") == "folder:mine"
