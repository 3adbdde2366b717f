"""The glossary: a page of terms, and tooltips for each term's first occurrence on a page."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

from robust_book.html.markup import Html, lines, text
from robust_book.sphinx_ext.nodes import Term, drawn
from robust_book.sphinx_ext.page import Page
from robust_lib.config.strict_yaml import Record, read_yaml

# No term in what is code, a heading, a link or maths.
_CLOSED = (
    nodes.literal,
    nodes.title,
    nodes.reference,
    nodes.math,
    nodes.caption,
    nodes.term,
    addnodes.pending_xref,
    addnodes.download_reference,
)
_OPEN = (nodes.paragraph, nodes.definition)


class Entry(Record):
    """One term.

    Attributes:
        source: origin of the definition: a paper's section, or a page of this book.
        link: whether prose is linked to it; not for everyday words.
    """

    term: str
    sentence: str
    source: str
    also: tuple[str, ...] = ()
    link: bool = True

    @property
    def slug(self) -> str:
        """Return the anchor of the term."""
        return "term-" + re.sub(r"\W+", "-", self.term.lower()).strip("-")


@lru_cache(maxsize=4)
def entries(folder: Path) -> tuple[Entry, ...]:
    """Return the terms of a book, in alphabetical order."""
    found = [Entry.model_validate(one) for one in read_yaml(folder / "glossary.yaml")]
    return tuple(sorted(found, key=lambda one: one.term.lower()))


def draw(page: Page) -> Html:
    """Return all terms with their sentences and sources."""
    return lines(
        '<dl class="rb-glossary">',
        *(
            f'<dt id="{one.slug}">{text(one.term)}{_also(one)}</dt>'
            f'<dd>{text(one.sentence)} <span class="rb-small">{text(one.source)}</span></dd>'
            for one in entries(page.folder)
        ),
        "</dl>",
    )


def _also(entry: Entry) -> str:
    return f' <span class="rb-small">also {text(", ".join(entry.also))}</span>' * bool(entry.also)


def tip(entry: Entry, address: str) -> Html:
    """Return the tooltip of a term."""
    return Html(
        f'<span class="rb-tip" role="tooltip" id="tip-{entry.slug}">{text(entry.sentence)} '
        f'<a href="{text(address)}#{entry.slug}">Glossary</a></span>'
    )


def link(app: Sphinx, doctree: nodes.document) -> None:
    """Add a tooltip to the first occurrence of each term in the prose of a page."""
    page = app.env.docname
    if page == "glossary" or page.startswith(("api", "decisions")):
        return
    known = {
        spelling: entry
        for entry in entries(Path(app.srcdir))
        if entry.link
        for spelling in (entry.term, *entry.also)
    }
    address = "../" * page.count("/") + "glossary.html"
    for words in list(doctree.findall(nodes.Text)):
        if known and _is_prose(words):
            _linked(words, known, address)


def _is_prose(words: nodes.Text) -> bool:
    node, inside = words.parent, False
    while node is not None:
        if isinstance(node, _CLOSED):
            return False
        inside = inside or isinstance(node, _OPEN)
        node = node.parent
    return inside


def _linked(words: nodes.Text, known: dict[str, Entry], address: str) -> None:
    """Replace a text by its parts, with terms marked; marked terms leave the list of known ones."""
    parts = split(str(words), known)
    if all(entry is None for _, entry in parts):
        return
    made: list[nodes.Node] = []
    for part, entry in parts:
        if entry is None:
            made.append(nodes.Text(part))
            continue
        node = Term("", part, tip=f"tip-{entry.slug}")
        node += drawn(tip(entry, address))
        made.append(node)
        for spelling in [name for name, one in known.items() if one is entry]:
            del known[spelling]
    words.parent.replace(words, made)


def split(words: str, known: Mapping[str, Entry]) -> Sequence[tuple[str, Entry | None]]:
    """Return a text in parts, each with its entry or none; only first occurrences count."""
    spellings = sorted(known, key=len, reverse=True)
    pattern = re.compile(r"(?<![\w-])(" + "|".join(map(re.escape, spellings)) + r")(?![\w-])")
    parts: list[tuple[str, Entry | None]] = []
    seen: set[str] = set()
    last = 0
    for found in pattern.finditer(words):
        entry = known[found[1]]
        if entry.term in seen:
            continue
        seen.add(entry.term)
        parts += [(words[last : found.start()], None), (found[1], entry)]
        last = found.end()
    return [(part, entry) for part, entry in [*parts, (words[last:], None)] if part]
