"""Claims in a block: a sentence, both numbers, a word, and a place of its own."""

from dataclasses import replace

from robust_lib.html.claims import claims, sides
from robust_lib.results.verdicts import Verdict

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


def test_what_is_not_there_is_not_said():
    assert claims([]).markup == ""
    assert sides(replace(CLAIM, paper="")) == "Here: 100 % against 81.2 % [79.0, 83.0]."
