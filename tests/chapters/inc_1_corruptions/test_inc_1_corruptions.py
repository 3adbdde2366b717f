"""The chapter of the corruptions themselves: its figures, cards and counts."""

import re

import numpy as np
import pytest

from robust_book.chapters import inc_1_corruptions as chapter
from robust_book.chapters.inc_1_corruptions import cards, maths, overview
from robust_book.chapters.inc_1_corruptions.showcase import Sample, photograph
from robust_book.page import Page
from robust_lib.config.corruption_cards import Cost, catalogue
from robust_lib.results.reported import alexnet_errors
from robust_lib.run.start import start
from robust_lib.vocabulary import CATEGORIES, NAMES, SEVERITIES
from tests.chapters import toys


@pytest.fixture(scope="module")
def samples():
    return {"china": Sample("China", photograph("china", side=32))}


@pytest.fixture
def page(build):
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
    assert "lengths scale with the side of smaller images" in markup


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


MEASURED = (
    Cost(corruption="fog", severity=3, ours_ms=1.25, peer_ms=10.0),
    Cost(corruption="border", severity=3, ours_ms=0.04, peer_ms=None),
)


def card(name, measured=(), errors=None, severity=3):
    errors = alexnet_errors() if errors is None else errors
    known = catalogue()
    return str(cards([name], known, measured, errors, picture="china", severity=severity))


def row(markup, head):
    """The cells of the row whose heading holds some words."""
    (found,) = [r for r in re.findall(r"<tr.*?</tr>", markup, re.DOTALL) if head in r]
    return re.findall(r'<td class="rb-num">([^<]*)</td>', found)


def test_a_card_has_an_anchor_a_formula_and_a_row_a_constant():
    for name, entry in catalogue().items():
        markup = card(name)
        assert f'id="{name}" aria-labelledby="{name}-name"' in markup
        assert f'href="#explorer" data-corruption="{name}"' in markup
        assert markup.count("\\[") == markup.count("\\]") == 1, name
        for one in entry.constants:
            cells = row(markup, f"</span> {one.words}")
            assert cells == [f"{value:g}" for value in one.values], name
        assert ("Quirk" in markup) == (entry.quirk is not None), name
        assert ("Deterministic" in markup) == (entry.draws is None), name
        assert "$" not in markup, name


def test_the_five_pictures_stand_above_the_five_constants():
    markup = card("fog")
    shown = re.findall(r'src="([^"]+)" alt="([^"]+)"', markup)
    assert shown == [
        (f"_static/results/showcase-china-fog-{severity}.webp", f"Fog, severity {severity}")
        for severity in SEVERITIES
    ]
    assert markup.count('loading="lazy"') == 5


def test_the_harm_is_that_of_the_published_archive():
    assert row(card("snow"), "AlexNet errs (%)") == ["72", "88", "86", "92", "95"]
    assert "AlexNet" not in card("border", errors={"fog": np.zeros(5)})


def test_a_cost_is_told_beside_the_peers():
    told = "1.2 ms per image at severity 3; imagecorruptions needs 10 ms, 8 times as long."
    assert told in card("fog", MEASURED)
    assert "0.04 ms per image at severity 3; imagecorruptions lacks this corruption." in card(
        "border", MEASURED
    )
    assert "Not measured yet." in card("snow", MEASURED)


def test_prose_is_escaped_and_maths_is_marked():
    assert str(maths("1 < $a<b$ & c")) == (
        '1 &lt; <span class="math notranslate nohighlight">\\(a&lt;b\\)</span> &amp; c'
    )


def test_the_overview_has_every_corruption_and_alexnets_errors():
    markup = str(overview(CATEGORIES, catalogue(), alexnet_errors()))
    assert re.findall(r'<a href="#(\w+)">', markup) == list(NAMES)
    fog = next(r for r in markup.splitlines() if 'href="#fog"' in r)
    found = re.findall(r">([^<>]+)</td>", fog)
    assert found[:2] == ["weather", "yes"]
    assert [int(cell) for cell in found[2:]] == [
        round(100 * error) for error in alexnet_errors()["fog"]
    ]
    border = next(r for r in markup.splitlines() if 'href="#border"' in r)
    assert re.findall(r">([^<>]+)</td>", border) == ["occlusion", "yes"] + ["–"] * 5
