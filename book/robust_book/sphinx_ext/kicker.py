"""The standard name of a chapter before its title: in the page, in the menu and in search."""

from docutils import nodes
from sphinx.application import Sphinx

from robust_book.chapters.about import about
from robust_book.sphinx_ext.nodes import Kicker


def put(app: Sphinx, doctree: nodes.document) -> None:
    """Put a chapter's standard name before its title."""
    found = about(app.env.docname)
    title = next(iter(doctree.findall(nodes.title)), None)
    if found is None or title is None or title.astext().startswith(found.kicker):
        return
    # The colon is for lists and search results; beside the title a line stands for it.
    title.insert(0, nodes.inline("", ": ", classes=["rb-colon"]))
    title.insert(0, Kicker("", found.kicker))
