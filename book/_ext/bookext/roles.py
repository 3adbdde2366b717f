"""Say what the reference list is in words that today's screen readers know."""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx


def renew(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Replace the withdrawn role of an entry by that of a list item, which its list expects."""
    if doctree is not None:
        context["body"] = context["body"].replace('role="doc-biblioentry"', 'role="listitem"')
