"""Claims in a block: a sentence, both numbers, a word and a place; the chip of a verdict."""

import re
from dataclasses import replace

import pytest

from robust_book.html.claims import chip, claims, sides
from robust_lib.errors import InputError
from robust_lib.results.reported import reported
from robust_lib.results.verdicts import VERDICTS, Verdict


def test_a_chip_tells_its_verdict_without_colour():
    made = chip("holds", "inc-tab1", "#inc-tab1").markup
    assert made.startswith('<a class="rb-chip rb-for" href="#inc-tab1"')
    assert "✓" in made
    assert "inc-tab1 <b>holds</b>" in made
    assert chip("missing").markup.startswith("<span")


def test_each_verdict_has_its_colour_sign_and_meaning():
    for word, about in VERDICTS.items():
        made = chip(word).markup
        assert f'class="rb-chip rb-{about.stance}" title="' in made, word
        assert made.endswith(f'aria-hidden="true">{about.sign}</span> {word}</span>'), word


def test_a_chip_escapes_its_label():
    assert "<script>" not in chip("holds", "<script>").markup


def test_an_unknown_word_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match=r"verdict to be one of does not hold, .* but got good"):
        chip("good")


CLAIM = Verdict(
    item="inc-tab1",
    model=None,
    corruption=None,
    severity=None,
    k=None,
    dataset=None,
    metric="mce[a] < mce[b]",
    status="direction",
    reported="+",
    unit="none",
    decimals=None,
    sentence="mCE falls <here>.",
    paper="100 % against 76.7 %",
    here="100 % against 81.2 % [79.0, 83.0]",
    verdict="holds",
    arithmetic="81.2 % < 100 %",
    locator="Table 1",
)


def test_a_claim_is_a_sentence_with_both_numbers_and_its_word():
    made = claims([CLAIM]).markup
    assert "mCE falls &lt;here&gt;." in made
    assert "Paper: 100 % against 76.7 %. Here: 100 % against 81.2 % [79.0, 83.0]." in made
    assert 'data-verdict="holds"' in made
    assert "<code>mce[a] &lt; mce[b]</code> (Table 1)" in made


def test_each_claim_of_an_item_has_its_place():
    made = claims([CLAIM, replace(CLAIM, sentence="")]).markup
    assert 'id="inc-tab1-claim-1"' in made
    assert 'id="inc-tab1-claim-2"' in made
    assert '<span class="rb-claim-says">mce[a] &lt; mce[b]</span>' in made


def test_the_note_of_a_claim_stands_in_its_fold_and_leads_to_its_erratum():
    """It says whose a threshold is, in no tooltip: a finger opens the fold as a mouse does."""
    (low, *_) = (one for one in reported("nao-fig6") if one.is_claim)
    made = claims([replace(CLAIM, item=low.item, metric=low.metric)]).markup
    assert "<p>Note: called low; the threshold is ours.</p>" in made.partition("<details")[2]
    odd = next(one for one in reported("vid-tab2") if one.is_claim and "erratum" in one.note)
    made = claims([replace(CLAIM, item=odd.item, metric=odd.metric)]).markup
    erratum = "vid-localization-drop"
    assert f'see erratum <a href="errata.html#{erratum}">{erratum}</a>.</p>' in made
    assert "Note" not in claims([CLAIM]).markup


def test_what_is_not_there_is_not_said():
    assert claims([]).markup == ""
    assert sides(replace(CLAIM, paper="")) == "Here: 100 % against 81.2 % [79.0, 83.0]."


def test_claims_that_differ_by_their_corruption_alone_are_a_table_and_folded_one_by_one():
    rows = [
        replace(
            CLAIM,
            metric=f"ce[{net}, corruption={name}] < ce[b, corruption={name}]",
            sentence=f"{net} withstands {name} noise.",
            verdict=verdict,
        )
        for name, verdict in (("shot", "holds"), ("impulse", "not decided"))
        for net in ("a", "c")
    ]
    made = claims([*rows, CLAIM]).markup
    head, _, folded = made.partition("</table>")[0].partition("<thead>")
    assert "4 claims of the same form" in head
    assert [name in folded for name in ("Shot", "Impulse", "a withstands … noise")] == [True] * 3
    places = re.findall(r'href="#(inc-tab1-claim-\d)"', folded)
    assert places == [f"inc-tab1-claim-{number}" for number in (1, 3, 2, 4)]
    beside = made.partition("</table>")[2]
    assert [f'id="inc-tab1-claim-{number}"' in beside for number in range(1, 6)] == [True] * 5
    assert made.count('<details class="rb-more">') == 1
    assert claims([rows[0], rows[2]]).markup.count("<table") == 0  # two are a list
