"""Corruption errors: what is computed beside what is printed, in percent, in the paper's order."""

import math
from dataclasses import replace

import numpy as np
import pytest

from robust_lib.chapters import inc_2_mce as chapter
from robust_lib.figures import bars, heatmaps
from robust_lib.protocols import corruption_error
from robust_lib.protocols.corruption_error import normaliser
from robust_lib.run.page import Page
from robust_lib.run.start import start
from robust_lib.vocabulary import COMMON, EXTRA
from tests import toys

MODELS = ("alexnet_mini", "resnet18_mini")
STEPS = dict(zip(MODELS, (4, 2), strict=True))


def grid(corruptions=COMMON, severities=(1, 3), clean=18):
    """AlexNet loses four of 20 answers a severity, ResNet two; fog costs AlexNet nothing."""

    def right(model, name, severity, _):
        lost = 0 if (model, name) == (MODELS[0], "fog") else STEPS[model] * severity
        return np.arange(20) < clean - lost

    settings = {"dataset": "scenes_val", "storage": "jpeg85"}
    return toys.grid(right, MODELS, corruptions, severities, **settings)


def results(**changes):
    made = grid(**changes)
    return corruption_error.results(made, normaliser.measured(made, MODELS[0]), samples=100)


@pytest.fixture(scope="module")
def rows():
    return results()


def test_corruption_errors_are_models_by_corruptions_in_percent(rows):
    table = chapter.models_by_corruption(rows, "ce")
    assert list(table.columns) == list(COMMON)
    assert list(table.index) == list(MODELS)
    assert (table.loc["alexnet_mini"] == 100).all()
    # errors of (2 + 2) and (2 + 6) twentieths, over (2 + 4) and (2 + 12)
    assert table.loc["resnet18_mini", "snow"] == pytest.approx(100 * 12 / 20)


def test_what_is_not_defined_is_missing_and_keeps_its_place(rows):
    """Fog costs the baseline nothing, so nothing can be divided by what it costs."""
    table = chapter.models_by_corruption(rows, "relative_ce")
    assert list(table.columns) == list(COMMON)
    assert table["fog"].isna().all()
    assert table.drop(columns="fog").notna().all(axis=None)
    assert table.loc["resnet18_mini", "snow"] == pytest.approx(50)


@pytest.mark.parametrize("corruptions", [("snow",), ("speckle_noise",), ("snow", "saturate")])
def test_a_part_of_the_corruptions_stands_beside_the_papers_table(corruptions):
    some = results(corruptions=corruptions)
    table = chapter.models_by_corruption(some, "ce")
    printed = chapter.printed_by_corruption("inc-tab1", "ce")
    assert list(table.columns) == list(printed.columns)
    assert list(table.index) == list(MODELS)
    assert table.notna().any(axis=None) == ("snow" in corruptions)
    words = {"unit": "%"}
    assert len(heatmaps.models_by_corruption([printed, table], ["a", "b"], **words).axes) == 3


def test_the_papers_table_is_in_its_order(rows):
    printed = chapter.printed_error_frame("inc-tab1")
    assert printed["Network"].tolist() == [
        "AlexNet", "SqueezeNet", "VGG-11", "VGG-19", "VGG-19+BN", "ResNet-18", "ResNet-50",
    ]  # fmt: skip
    last = printed.iloc[-1]
    assert (last["Error"], last["mCE"]) == (pytest.approx(23.9), pytest.approx(76.7))
    assert last["Gaussian noise"] == pytest.approx(80)
    relative = chapter.printed_error_frame("inc-tab2").iloc[-1]
    assert relative["Rel. mCE"] == pytest.approx(105.0)
    ours = chapter.error_frame(rows)
    assert list(ours.columns) == list(printed.columns)


def test_our_table_has_the_same_columns_where_means_are_missing(rows):
    table = chapter.error_frame(rows)
    assert table["Error"].tolist() == pytest.approx([10, 10])
    assert table["mCE"].tolist()[0] == pytest.approx(100)
    relative = chapter.error_frame(rows, prefix="relative_")
    assert list(relative.columns)[:3] == ["Network", "Error", "Rel. mCE"]
    assert relative["Rel. mCE"].isna().all()  # one of fifteen is not defined


def test_every_cell_is_in_the_table_of_severities(rows):
    table = chapter.cells_frame(rows)
    assert len(table) == 2 * 15
    assert list(table)[2:] == ["Severity 1", "Severity 3", "± at most", "n"]
    assert (table["n"] == 20).all()
    assert table["Severity 3"].max() == pytest.approx(100 * 14 / 20)
    cells = rows.select(metric="error", model="alexnet_mini", corruption="snow").rows
    chosen = table["Network"].eq("AlexNet-like") & table["Corruption"].eq("Snow")
    (shown,) = table[chosen].to_dict("records")
    assert [shown["Severity 1"], shown["Severity 3"]] == [100 * row.value for row in cells]
    assert shown["± at most"] == pytest.approx(max(50 * (row.high - row.low) for row in cells))


def test_the_baselines_errors_stand_beside_alexnets(rows):
    table = chapter.normaliser_frame(rows, "alexnet_mini")
    paper, ours = table.columns
    assert (paper.startswith("The paper"), ours.startswith("This run")) == (True, True)
    assert set(table.index) == set(COMMON)
    assert table.loc["snow", ours] == pytest.approx(50)
    assert table.loc["gaussian_noise", paper] == pytest.approx(88.6)
    some = chapter.normaliser_frame(results(corruptions=("snow",)), "alexnet_mini")
    assert list(some.index) == ["snow"]


def test_a_baseline_that_was_not_evaluated_leaves_the_papers_column(rows):
    table = chapter.normaliser_frame(rows, "alexnet")
    assert set(table.index) == {*COMMON, *EXTRA}  # the paper prints all nineteen
    assert all(math.isnan(value) for value in table.iloc[:, 1])
    assert table.iloc[:, 0].notna().all()
    assert len(bars.by_corruption(table, xlabel="error").axes) == 1


@pytest.fixture
def page(tmp_path, monkeypatch):
    """A page that looks at no data."""
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    made_up = replace(chapter.CHAPTER, description="made-up numbers")
    return Page(start(made_up, "smoke", models=[]))


def test_the_blocks_of_the_page_name_their_conventions(page, rows):
    made = grid()
    divisor = normaliser.measured(made, MODELS[0])
    blocks = {
        "inc-alexnet": chapter.normaliser_errors(page, rows, made),
        "inc-tab1": chapter.corruption_errors(page, rows, made, divisor),
        "inc-tab2": chapter.relative_corruption_errors(page, rows, made, divisor),
        "inc-fig2": chapter.means(page, rows, divisor),
    }
    for name, block in blocks.items():
        assert f'id="{name}"' in str(block), name
    storage = "storage: jpeg85; 20 images a cell"
    by_alexnet = "Normaliser: alexnet_mini, measured on the same images"
    assert f"severities 1, 2, 3, 4, 5; {storage}." in str(blocks["inc-alexnet"])
    assert f"{by_alexnet}; {storage}; 95 % intervals" in str(blocks["inc-tab1"])
    assert f"{by_alexnet}; clean error subtracted at every severity" in str(blocks["inc-tab2"])
    divided = "jpeg85, divided by alexnet_mini, measured on the same images"
    assert f"{divided}; means over the 15 common corruptions" in str(blocks["inc-fig2"])


def test_printed_tables_have_the_papers_decimals(page, rows):
    made = grid()
    block = str(chapter.corruption_errors(page, rows, made, normaliser.measured(made, MODELS[0])))
    last = block[block.index("CE (%), Table 1") :]
    last = last[last.index("ResNet-50") :]
    assert [cell in last for cell in (">23.9<", ">76.7<", ">80<", ">80.0<")] == [
        True, True, True, False,
    ]  # fmt: skip
