"""The block of an item: everything a reader needs, escaped, with one anchor."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pandas as pd
import pytest

from robust_book.html.item import block, spelled
from robust_book.html.table import table
from robust_lib.results.reported import LedgerItem
from robust_lib.results.verdicts import Verdict

ITEM = LedgerItem(
    id="inc-Tab1",
    paper="inc",
    kind="table",
    title="Errors <all>",
    notebook="inc_2_mce",
    shows="mCE & more",
    numbers=True,
)
SVG = '<svg width="10pt" viewBox="0 0 1 1"><g id="axes"><path d="M0 0"/></g></svg>'
NUMBER = Verdict(
    item="inc-tab1",
    model="resnet50",
    corruption=None,
    severity=None,
    k=None,
    dataset=None,
    metric="mce",
    status="printed",
    reported="76.7",
    unit="percent",
    decimals=1,
    ours=0.812,
    low=0.79,
    high=0.83,
    n=1500,
    verdict="not comparable",
    arithmetic="81.2 % here < 100 %",
    locator="Table 1",
)
CLAIM = replace(
    NUMBER,
    metric="mce[a] > mce[b]",
    status="direction",
    reported="+",
    ours=None,
    low=None,
    high=None,
    verdict="holds",
)


def made(**changes) -> str:
    settings = {
        "words": "miniature on icon art, 60 classes, 1 seed",
        "alt": "Error rises with severity.",
        "convention": "AlexNet's errors as normaliser",
        "verdicts": [NUMBER, CLAIM],
        "command": "papermill notebooks/inc_2_mce.ipynb out.ipynb",
        "drawn": (SVG, None),
    }
    return block(ITEM, **settings | changes).markup


class Balance(HTMLParser):
    """Checks that every element that is opened is closed, in order."""

    VOID = frozenset({"img", "input", "br", "path"})

    def __init__(self, markup: str):
        super().__init__()
        self.open: list[str] = []
        self.feed(markup)

    def handle_starttag(self, tag, attributes):
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag


def test_the_id_of_an_item_leads_to_its_place_in_the_ledger():
    assert (
        'In the ledger: <a href="ledger.html#ledger-inc-Tab1"><code>inc-Tab1</code></a>' in made()
    )


def test_the_anchor_is_the_ledger_id_in_lower_case():
    assert made().startswith('<section class="rb-item" id="inc-tab1" data-verdict="holds"')


def test_the_run_is_said_in_words_beside_what_the_paper_shows():
    assert "miniature on icon art, 60 classes, 1 seed" in made()
    assert "mCE &amp; more" in made()
    assert "Errors &lt;all&gt;" in made()


def test_the_markup_is_balanced_with_and_without_each_part():
    rows = table(pd.DataFrame({"a": ["x"]}), caption="t")
    for parts in (
        {},
        {"drawn": None},
        {"verdicts": []},
        {"table_html": rows, "reported_html": rows, "downloads": [("png", "a.png")]},
    ):
        assert Balance(made(**parts)).open == []


def test_ids_are_unique_in_the_block():
    ids = re.findall(r'\bid="([^"]+)"', made())
    assert len(ids) == len(set(ids)) == 5
    assert all(name.startswith("inc-tab1") for name in ids)


def test_the_arithmetic_of_every_verdict_is_there():
    markup = made()
    assert "The numbers: 1 not comparable" in markup
    assert "81.2 % [79.0, 83.0]" in markup
    assert "81.2 % here &lt; 100 %" in markup
    assert "mce[a] &gt; mce[b]" in markup


def test_a_number_says_under_which_conditions_it_stands():
    at = replace(NUMBER, corruption="fog", severity=3, k=10, dataset="imagenet_c")
    assert "mce · ResNet-50 · fog · imagenet_c · severity 3 · k 10" in made(verdicts=[at])


def test_an_item_without_printed_numbers_is_shown_and_not_judged():
    markup = made(verdicts=[])
    assert 'data-verdict="shown"' in markup
    assert "The paper prints no number here." in markup


def test_downloads_and_the_command_end_the_block():
    markup = made(downloads=[("png", "_static/results/inc-tab1.png")])
    assert '<a href="_static/results/inc-tab1.png" download>png</a>' in markup
    assert "papermill notebooks/inc_2_mce.ipynb out.ipynb" in markup


@pytest.mark.parametrize(
    ("value", "unit", "decimals", "shown"),
    [
        (0.7669, "percent", 1, "76.7 %"),
        (-0.052, "points", 1, "−5.2 points"),
        (7500.0, "count", 0, "7,500"),
        ("7,500", "count", None, "7,500"),
        (0.51, "fraction", 2, "0.51"),
        (None, "percent", 1, "–"),
    ],
)
def test_numbers_are_spelled_as_papers_print_them(value, unit, decimals, shown):
    assert spelled(value, unit, decimals) == shown
