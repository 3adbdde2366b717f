"""The standard name of a chapter before its title: in the page, in the menu and in search."""

from functools import lru_cache
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from robust_book.sphinx_ext.nodes import Kicker
from robust_lib.config.strict_yaml import read_yaml


@lru_cache(maxsize=4)
def heads(folder: Path) -> dict[str, dict[str, str]]:
    """Return chapter -> what stands at its head: the name people search for, and its figure."""
    return dict(read_yaml(folder / "chapters.yaml"))


def put(app: Sphinx, doctree: nodes.document) -> None:
    """Put a chapter's standard name before its title."""
    name = heads(Path(app.srcdir)).get(app.env.docname, {}).get("kicker")
    title = next(iter(doctree.findall(nodes.title)), None)
    if name is None or title is None or title.astext().startswith(name):
        return
    # The colon is for lists and search results; beside the title a line stands for it.
    title.insert(0, nodes.inline("", ": ", classes=["rb-colon"]))
    title.insert(0, Kicker("", name))
