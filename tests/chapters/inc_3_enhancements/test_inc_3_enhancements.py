"""The chapter on enhancements: its blocks, of known predictions of all of its networks."""

from dataclasses import replace

import pytest

from robust_lib.chapters import inc_3_enhancements as chapter
from robust_lib.chapters.inc_3_enhancements import architectures, key_numbers, settings
from robust_lib.protocols.corruption_error import enhancements
from robust_lib.run.page import Page
from robust_lib.run.start import start
from tests.chapters.toys import enhanced, texts

BLOCKS = {
    "inc-claim-stability": chapter.stability,
    "inc-claim-denoise": chapter.denoising,
    "inc-claim-small": architectures.small,
    "inc-claim-clahe": chapter.equalising,
    "inc-fig3": architectures.noises,
    "inc-fig4": architectures.aggregation,
    "inc-claim-tencrop": chapter.ten_crops,
}


@pytest.fixture(scope="module")
def run():
    """The chapter in the miniature, of which no picture is looked at."""
    return start(replace(chapter.CHAPTER, description="made-up numbers"), "mini")


@pytest.fixture(scope="module")
def known(run):
    """Rows, grid and normaliser: each network errs once more than the one before it."""
    return enhanced(run)


@pytest.fixture
def page(run, tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    return Page(run)


@pytest.mark.parametrize("item", BLOCKS)
def test_every_item_has_its_block_with_verdicts_and_a_convention(page, known, item):
    block = str(BLOCKS[item](page, *known))
    assert f'id="{item}"' in block
    assert "Normaliser: alexnet_mini, measured on the same images; storage: jpeg85" in block
    assert "differences are paired, image by image" in block
    assert "missing" not in block
    assert "No network of this item" not in block


def test_the_map_has_nine_cells_and_the_networks_without_beside(page, known):
    block = chapter.stability(page, *known)
    written = texts(block, "text")
    assert {"0.01", "0.05", "0.1", "ResNet-18-like", "ResNet-18-like, tuned"} <= set(written)
    assert len(texts(block, "td")) == 11 * 8
    assert "as printed" in str(block)


def test_figures_are_judged_by_the_network_that_was_trained_alike(page, known):
    for block in (architectures.noises, architectures.aggregation):
        assert "ResNet-34-like plays ResNet-50" in str(block(page, *known))


def test_the_table_counts_lower_errors_where_the_paper_does(page, known):
    heads = {item: texts(BLOCKS[item](page, *known), "th") for item in BLOCKS}
    counted = {item for item, found in heads.items() if "Lower CEs" in found}
    assert counted == set(enhancements.COUNTED)


def test_settings_are_the_papers_and_the_runs(run):
    rows = settings.results(run, "few")
    noises = rows.select(metric="uniform_noise").rows
    assert [(row.severity, row.value) for row in noises] == [(1, 0.01), (2, 0.05), (3, 0.1)]
    assert rows.row(metric="crops").value == 10
    epochs = {row.item: row.value for row in rows.select(metric="epochs").rows}
    assert epochs == {"inc-claim-stability": 5, "inc-claim-clahe": 5}


def test_key_numbers_are_differences_to_the_standard_network(run, known):
    rows, grid, _ = known
    numbers = key_numbers.key_numbers(rows, grid, run.paper_names)
    assert numbers["standard"].text == "ResNet-18-like"
    assert numbers["stability"].text.startswith("9 of 9 networks lie above it")
    places = {name: place for place, name in enumerate(grid.models)}
    names = run.paper_names
    later = places[names["resnet50_nlm"]] - places[names["resnet50"]]
    # Each network errs once more of twenty.
    assert numbers["denoise_error"].value == pytest.approx(later / 20)
    assert "not measured" not in {number.text for number in numbers.values()}


def test_a_network_of_ones_own_stands_in_figure_4(run, page):
    own = replace(run, networks=(*run.networks[:3], replace(run.networks[0], model="mine")))
    block = architectures.aggregation(Page(own), *enhanced(own))
    assert "mine" in texts(block, "text")
