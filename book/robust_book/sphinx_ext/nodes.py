"""Parts of a page that Sphinx lacks: markup that no search reads, places, kickers, terms."""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator


class Drawn(nodes.General, nodes.Element):
    """Markup that is shown as it is and stays out of the search index."""


class Place(nodes.section):
    """A place within a page: in the contents and in search, drawn by the markup beside it."""


class Mark(nodes.title):
    """The title of a place."""


class Words(nodes.paragraph):
    """What search finds of a piece of markup."""


class Kicker(nodes.inline):
    """The standard name of what a page is about, before its title."""


class Term(nodes.inline):
    """A term of the glossary, with its sentence on hover, focus and tap."""


def add(app: Sphinx) -> None:
    """Say how each is written."""
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
