"""Nodes of a page that Sphinx lacks, their search index entries, and the search order."""

import html
import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.writers.html5 import HTML5Translator


class Drawn(nodes.General, nodes.Element):
    """Markup that is shown unchanged and stays out of the search index."""


class Place(nodes.section):
    """A place within a page: in the contents and in search, drawn by the markup next to it."""


class Mark(nodes.title):
    """The title of a place."""


class Words(nodes.paragraph):
    """The text of a piece of markup in the search index."""


class Kicker(nodes.inline):
    """The standard name of a page's subject, before its title."""


class Term(nodes.inline):
    """A term of the glossary, with its sentence on hover, focus and tap."""


def add(app: Sphinx) -> None:
    """Register the writers of the nodes."""
    for hidden in (Place, Mark, Words):
        app.add_node(hidden, html=(_skip, None))
    app.add_node(Drawn, html=(_drawn, None))
    app.add_node(Kicker, html=(_open_kicker, _close))
    app.add_node(Term, html=(_open_term, _close))


def drawn(markup: object) -> Drawn:
    """Return a node that shows some markup."""
    node = Drawn()
    node["markup"] = str(markup)
    return node


def _skip(translator: HTML5Translator, node: nodes.Element) -> None:
    raise nodes.SkipNode


def _drawn(translator: HTML5Translator, node: nodes.Element) -> None:
    translator.body.append(node["markup"])
    raise nodes.SkipNode


def _open_kicker(translator: HTML5Translator, node: nodes.Element) -> None:
    translator.body.append('<span class="rb-kicker">')


def _open_term(translator: HTML5Translator, node: nodes.Element) -> None:
    translator.body.append(f'<span class="rb-term" tabindex="0" aria-describedby="{node["tip"]}">')


def _close(translator: HTML5Translator, node: nodes.Element) -> None:
    translator.body.append("</span>")


# Figures, tables of numbers, code and tips are for eyes; a ledger's rows are sentences.
_UNREAD = re.compile(
    r'<(svg|pre|dialog|script|style)\b.*?</\1>|<table class="(?!rb-ledger)[^>]*>.*?</table>'
    r'|<table>.*?</table>|<span class="rb-tip".*?</span>',
    re.DOTALL,
)
_PLACES = re.compile(
    r'<(?:section|div|article|li)[^>]*class="rb-(?:item|corruption|erratum|network)\b[^"]*"[^>]*'
    r'\bid="([^"]+)".*?<h[234][^>]*>(.*?)</h[234]>',
    re.DOTALL,
)
_LINK = re.compile(r'<a class="(?:headerlink|rb-see)".*?</a>', re.DOTALL)


def order(app: Sphinx, config: Config) -> None:
    """Order search results: pages whose titles contain the words first, functions last."""
    config.html_search_scorer = str(Path(__file__).with_name("search_scorer.js"))


def renew(app: Sphinx, doctree: nodes.document) -> None:
    """Replace raw markup by nodes outside the search index, with text for the index beside."""
    for raw in list(doctree.findall(nodes.raw)):
        if raw.get("format") != "html" or "<" not in raw.astext():
            continue
        markup = raw.astext()
        shown = drawn(markup)
        if "mime_type" in raw:
            shown["mime_type"] = raw["mime_type"]
        home = _outermost(raw)
        raw.replace_self(shown)
        if home is raw:
            home = shown
        for node in marks(markup):
            home.parent.insert(home.parent.index(home), node)


def marks(markup: str) -> list[nodes.Element]:
    """Return markup as nodes: each anchor with its words; without an anchor, the words alone."""
    found = list(_PLACES.finditer(markup))
    if not found:
        said = words(markup)
        return [Words("", said)] if said else []
    ends = [one.start() for one in found[1:]] + [len(markup)]
    made: list[nodes.Element] = []
    for one, end in zip(found, ends, strict=True):
        place = Place(ids=[one[1]], names=[])
        place += Mark("", words(one[2]))
        place += Words("", words(markup[one.end() : end]))
        made.append(place)
    return made


def words(markup: str) -> str:
    """Return the readable text of some markup.

    >>> words('<h3>Fog <a class="headerlink" href="#fog">#</a></h3><table><td>1</td></table>')
    'Fog'
    """
    plain = re.sub(r"<[^>]+>", " ", _LINK.sub("", _UNREAD.sub(" ", markup)))
    return " ".join(html.unescape(plain).split())


def _outermost(node: nodes.Node) -> nodes.Node:
    """Return the ancestor that is a direct child of a section."""
    while node.parent is not None and not isinstance(node.parent, nodes.section | nodes.document):
        node = node.parent
    return node
