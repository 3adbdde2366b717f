"""Say what the theme leaves unsaid in words that today's screen readers know."""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

_SWITCH = re.compile(
    r'(<a class="(?:current )?reference internal"[^>]*>([^<]*)</a><details[^>]*><summary)>'
)


def renew(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Make entries of the reference list items of a list, and name the switches among the pages."""
    if doctree is not None:
        # The role of an entry was withdrawn from the standard.
        context["body"] = context["body"].replace('role="doc-biblioentry"', 'role="listitem"')
    if pages := context.get("generate_toctree_html"):

        def listed(kind: str, **how: Any) -> Any:
            made = pages(kind, **how)
            return named(str(made)) if kind == "sidebar" else made

        context["generate_toctree_html"] = listed


def named(pages: str) -> str:
    """Return a list of pages in which a switch says whose pages it shows.

    >>> item = '<a class="reference internal" href="b.html">Birds</a><details open="open"><summary>'
    >>> named(item)[-34:]
    '<summary aria-label="Below Birds">'
    """
    return _SWITCH.sub(r'\1 aria-label="Below \2">', pages)
