"""A figure of a chapter once more, where it is told of: by reference, so that it weighs nothing."""

from docutils import nodes

from robust_book.html.markup import Html
from robust_book.html.svg import again, theme_svg, whole_id
from robust_book.sphinx_ext.light import full
from robust_book.sphinx_ext.nodes import Drawn
from robust_book.sphinx_ext.page import Page
from robust_lib.results.reported import ledger


def once_more(page: Page, section: nodes.section, key: str, kind: str) -> Html | None:
    """Return a figure of the run; None where it has none.

    Args:
        page: where it is told of.
        section: the whole page; a figure that it holds is referred to.
        key: a ledger id, or a chapter's name, a dot and its figure's.
        kind: for what, so that all ids differ.
    """
    drawing = page.drawing(key)
    if drawing is None:
        return None
    title = next((item.title for item in ledger() if item.id == key), page.title(page.name))
    prefix, of = f"{kind}-{key.replace('.', '-')}", key.rpartition(".")[2].lower()
    there = f'id="{whole_id(drawing, of)}"'
    # A figure full of pictures becomes a file, to which nothing can refer.
    if not full(drawing) and any(there in one for one in map(_markup, section.findall())):
        return again(drawing, of=of, prefix=prefix, title=title)
    return theme_svg(drawing, prefix=prefix, title=title)


def _markup(node: nodes.Node) -> str:
    if isinstance(node, Drawn):
        return node["markup"]
    return node.astext() if isinstance(node, nodes.raw) else ""
