"""What helps reading: the glossary's tips, names before titles, places for a search."""

from docutils import nodes
from sphinx import addnodes

from robust_book.sphinx_ext import glossary
from robust_book.sphinx_ext import nodes as parts
from robust_book.sphinx_ext.page import Page
from robust_lib import paths

ENTRIES = glossary.entries(paths.book())
KNOWN = {name: entry for entry in ENTRIES for name in (entry.term, *entry.also)}


def test_every_term_is_there_once_with_a_sentence_and_a_source():
    names = [name for entry in ENTRIES for name in (entry.term, *entry.also)]
    assert len(set(names)) == len(names)
    wanted = "item profile mask storage keyed oracle peer canonical set1 set2 MSP FPR95 AURRA SIN"
    assert {*wanted.split(), "ANT3x3", "SE", "RMS calibration error", "mCE"} <= {*names}
    assert all(entry.sentence.endswith(".") and entry.source for entry in ENTRIES)


def test_the_page_of_the_glossary_has_an_anchor_a_term():
    made = glossary.draw(Page("glossary", paths.book(), {})).markup
    assert made.count('<dt id="term-') == len(ENTRIES)
    assert 'id="term-relative-mce"' in made


def test_the_first_of_each_term_becomes_a_part_and_the_longest_spelling_wins():
    parts = glossary.split("relative mCE, then mCE and mCE of umCE", KNOWN)
    assert [(part, entry.term) for part, entry in parts if entry] == [
        ("relative mCE", "relative mCE"),
        ("mCE", "mCE"),
    ]
    assert "".join(part for part, _ in parts) == "relative mCE, then mCE and mCE of umCE"


def test_code_and_headings_get_no_tips():
    for closed in (
        nodes.literal,
        nodes.title,
        nodes.reference,
        addnodes.pending_xref,
    ):
        outer = nodes.paragraph()
        inner = closed()
        inner += nodes.Text("mCE")
        outer += inner
        (word,) = outer.findall(nodes.Text)
        assert not glossary._is_prose(word)
    assert glossary._is_prose(next(nodes.paragraph("", "mCE").findall(nodes.Text)))


ITEM = (
    '<section class="rb-item" id="inc-tab1" data-verdict="holds"><h3 class="rb-heading">Errors of '
    'seven <a class="headerlink" href="#inc-tab1">#</a></h3><p>The paper shows this.</p>'
    '<table class="rb-table"><tr><td>1234</td></tr></table><svg><text>5678</text></svg></section>'
)


def test_an_item_is_a_place_and_its_digits_are_not_searched():
    (place,) = parts.marks(ITEM)
    assert place["ids"] == ["inc-tab1"]
    title, said = place.children
    assert title.astext() == "Errors of seven"
    assert said.astext() == "The paper shows this."


def test_other_markup_is_searched_by_its_words():
    (said,) = parts.marks("<p>Some <b>words</b>.</p>")
    assert said.astext() == "Some words ."
    assert parts.marks("<svg><text>1</text></svg>") == []
    assert parts.words('<table class="rb-ledger"><th>mCE falls</th></table>') == "mCE falls"
