"""What is put right on pages of the theme: no live-code scripts, roles that readers know, units."""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx


def without_live_code(app: Sphinx) -> None:
    """Undo what sphinx_thebe has set up, always before this extension; the site needs no kernel.

    Its scripts declare one constant twice, an error in every reader's console, and name a remote
    address.
    """
    for listeners in app.events.listeners.values():
        listeners[:] = [
            one for one in listeners if not one.handler.__module__.startswith("sphinx_thebe")
        ]
    for files in (app.registry.css_files, app.registry.js_files):
        for one in [one for one in files if "thebe" in str(one[0])]:
            files.remove(one)  # type: ignore[arg-type]  # each list has its own


_SWITCH = re.compile(
    r'(<a class="(?:current )?reference internal"[^>]*>([^<]*)</a><details[^>]*><summary)>'
)


def say_roles(
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


_KEPT = re.compile(
    r"""(<(pre|code|script|style|svg|textarea)\b.*?</\2>|<(?:[^<>"']|"[^"]*"|'[^']*')*>)""",
    re.DOTALL,
)
"""What is no running text: programs, drawings, and tags with what stands in them."""


def keep_units(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """Put a space that no line breaks at between each number of a page and its percent sign."""
    if "body" in context:
        context["body"] = joined(context["body"])


def joined(markup: str) -> str:
    r"""Return markup whose running text has such spaces.

    >>> joined('<p title="5 %">5 % of <code>5 % 2</code></p>')
    '<p title="5 %">5\xa0% of <code>5 % 2</code></p>'
    """
    pieces, place = [], 0
    for kept in _KEPT.finditer(markup):
        pieces += [_joined(markup[place : kept.start()]), kept[0]]
        place = kept.end()
    return "".join([*pieces, _joined(markup[place:])])


def _joined(words: str) -> str:
    return re.sub(r"(?<=\d) (?=%)", "\N{NO-BREAK SPACE}", words)
