"""The cards: a sentence, a formula, five pictures over five constants, chance, quirk and cost."""

import re

import numpy as np

from robust_book.chapters.inc_1_corruptions.corruption_cards import cards, maths, overview
from robust_lib.config.corruption_cards import Cost, catalogue
from robust_lib.results.reported import alexnet_errors
from robust_lib.vocabulary import CATEGORIES, NAMES, SEVERITIES

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
    told = "1.2 ms a picture at severity 3; imagecorruptions takes 10 ms, 8.0 times as long."
    assert told in card("fog", MEASURED)
    assert "0.04 ms a picture at severity 3; imagecorruptions does not have it." in card(
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
