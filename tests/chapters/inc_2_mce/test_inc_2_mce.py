"""The chapter on corruption errors: its blocks, of known predictions."""

from dataclasses import replace

import pytest

from robust_book.chapters import inc_2_mce as chapter
from robust_book.chapters.inc_2_mce import normalisers_and_corruptions, numbers
from robust_book.page import Page
from robust_lib.protocols.corruption_error import normaliser
from robust_lib.run.start import start
from robust_lib.vocabulary import COMMON, EXTRA
from tests.chapters.inc_2_mce.grids import MODELS, grid, results
from tests.chapters.toys import texts


@pytest.fixture(scope="module")
def rows():
    return results()


@pytest.fixture
def page(build):
    """A page that looks at no data."""
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
    storage = "storage: jpeg85; 20 images per condition"
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


ROW = 4  # numbers of a network


def of(made, model=MODELS[0]):
    return normalisers_and_corruptions(made, normaliser.measured(made, model))


def test_it_begins_with_the_numbers_of_table_1():
    rows = numbers.error_frame(results())
    shown = texts(of(grid()), "td")
    assert [shown[place] for place in (1, 1 + ROW)] == [f"{one:.1f}" for one in rows["mCE"]]
    assert [shown[place] for place in (0, ROW)] == [f"{one:.1f}" for one in rows["Error"]]


def test_a_mean_is_missing_where_the_normaliser_does_not_get_worse():
    """Fog costs the first network nothing, so its rise divides nothing."""
    shown = texts(of(grid()), "td")
    assert [shown[place] for place in (2, 2 + ROW)] == ["–", "–"]
    assert "–" not in texts(of(grid(), MODELS[1]), "td")


def test_it_begins_with_the_networks_that_divides_in_the_page():
    block = str(of(grid(), MODELS[1]))
    assert '<option value="1" selected>ResNet-18-like of this run' in block


def test_a_published_normaliser_is_one_choice_more():
    made = grid(severities=(1, 2, 3, 4, 5), clean=20)
    block = normalisers_and_corruptions(made, normaliser.published((1, 2, 3, 4, 5)))
    assert texts(block, "option")[0] == "AlexNet's published errors on ImageNet-C"
    assert len(texts(block, "option")) == 1 + len(MODELS)


def test_what_is_not_in_the_mean_can_be_ticked_and_is_not_at_first():
    block = str(of(grid(corruptions=(*COMMON, *EXTRA))))
    assert block.count(" checked") == len(COMMON)
    assert block.count('type="checkbox"') == len(COMMON) + len(EXTRA)
