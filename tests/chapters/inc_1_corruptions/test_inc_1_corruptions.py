"""The chapter of the corruptions themselves: its figures, cards and counts."""

import pytest

from robust_book.chapters import inc_1_corruptions as chapter
from robust_book.chapters.inc_1_corruptions.showcase import Sample, photograph
from robust_book.page import Page
from robust_lib.run.start import start
from robust_lib.vocabulary import CATEGORIES, NAMES
from tests.chapters import toys


@pytest.fixture(scope="module")
def samples():
    return {"china": Sample("China", photograph("china", side=32))}


@pytest.fixture
def page(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    return Page(start(chapter.CHAPTER, "smoke"))


def test_each_figure_says_what_it_shows_and_how_it_is_stored(page, samples):
    blocks = {
        "inc-fig1": chapter.fifteen(page, samples, "china", 2),
        "inc-fig6": chapter.five_severities(page, samples, "china", "jpeg_compression"),
        "inc-fig7": chapter.four_more(page, samples, "china", 2),
    }
    for name, block in blocks.items():
        assert f'id="{name}"' in str(block)
        assert "Stored as 8-bit JPEG of quality 85, as the archive is" in str(block)
    shown = {name: toys.texts(block, "text")[:2] for name, block in blocks.items()}
    assert shown == {
        "inc-fig1": ["Gaussian noise", "Shot noise"],
        "inc-fig6": ["clean", "severity 1"],
        "inc-fig7": ["Speckle noise", "Gaussian blur"],
    }
    assert "fifteen corruptions at severity 2." in str(blocks["inc-fig1"])
    assert "five severities of jpeg." in str(blocks["inc-fig6"])
    assert "four extra corruptions at severity 2." in str(blocks["inc-fig7"])


def test_the_explorer_begins_where_the_reader_wants(samples):
    markup = str(chapter.explore(samples, "china", "snow", 4))
    assert "China (32 px), severity 4 of 5." in markup
    assert 'value="snow" autocomplete="off" checked' in markup
    assert "lengths scale with the side of smaller pictures" in markup


def test_every_corruption_has_a_card_in_its_family_and_a_row_in_the_table():
    cards = "".join(str(chapter.family(name, "china", 3)) for name in CATEGORIES)
    overview = str(chapter.at_a_glance())
    for name in NAMES:
        assert f'id="{name}"' in cards
        assert f'href="#{name}"' in overview


def test_the_rows_are_those_of_the_three_figures():
    rows = chapter.results("fog")
    kinds = {row.item: row.value for row in rows.select(metric="corruption_types").rows}
    assert kinds == {"inc-fig1": 15, "inc-fig6": 1, "inc-fig7": 4}
    assert rows.row(item="inc-fig6", metric="severities").corruption == "fog"


def test_the_prose_names_what_does_less_harm_when_it_is_stronger():
    numbers = chapter.key_numbers()
    named = numbers["not_monotone"].text.split(", ")
    assert numbers["not_monotone"].value == len(named)
    assert numbers["largest_fall"].text.split(":")[0] in named
    assert numbers["largest_fall"].value < 0
