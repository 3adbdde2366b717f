"""A number and its percent sign stay in one line."""

import re
from typing import Any

from sphinx.application import Sphinx

_KEPT = re.compile(
    r"""(<(pre|code|script|style|svg|textarea)\b.*?</\2>|<(?:[^<>"']|"[^"]*"|'[^']*')*>)""",
    re.DOTALL,
)
"""What is no running text: programs, drawings, and tags with what stands in them."""


def join(
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
