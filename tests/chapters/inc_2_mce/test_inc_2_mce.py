"""The chapter on corruption errors: its blocks, of known predictions."""

from dataclasses import replace

import pytest

from robust_book.chapters import inc_2_mce as chapter
from robust_book.page import Page
from robust_lib.protocols.corruption_error import normaliser
from robust_lib.run.start import start
from tests.chapters.inc_2_mce.grids import MODELS, grid, results


@pytest.fixture(scope="module")
def rows():
    return results()


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
    assert f"{by_alexnet}; means over the 15 common corruptions" in str(blocks["inc-fig2"])


def test_printed_tables_have_the_papers_decimals(page, rows):
    made = grid()
    block = str(chapter.corruption_errors(page, rows, made, normaliser.measured(made, MODELS[0])))
    last = block[block.index("CE (%), Table 1") :]
    last = last[last.index("ResNet-50") :]
    assert [cell in last for cell in (">23.9<", ">76.7<", ">80<", ">80.0<")] == [
        True, True, True, False,
    ]  # fmt: skip
