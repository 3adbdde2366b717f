"""Markup with a type of its own, so that everything else is escaped."""

import html
import json
import unicodedata
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Html:
    """Text that is already HTML; a notebook shows it rendered, and `text` never escapes it twice.

    It is not a `str`, so a data frame keeps it unchanged and no join can confuse it with plain
    text.

    >>> Html("<b>rendered</b>")._repr_html_()
    '<b>rendered</b>'
    """

    # Not in the repr: a notebook stores that beside the markup itself.
    markup: str = field(repr=False)

    def __str__(self) -> str:
        return self.markup

    def _repr_html_(self) -> str:
        return self.markup


def text(value: object) -> str:
    """Return a value as HTML text: markup as it is, everything else escaped.

    >>> text("a < b"), text(Html("<i>a</i>"))
    ('a &lt; b', '<i>a</i>')
    """
    return value.markup if isinstance(value, Html) else html.escape(str(value), quote=True)


def apart(name: object) -> str:
    r"""Return a name as HTML text with isolated direction, so that later text keeps its own.

    >>> apart("mine"), apart("a\u202eb")
    ('mine', '<bdi>a\u202eb</bdi>')
    """
    turns = any(unicodedata.bidirectional(one) in _TURNING for one in str(name))
    return f"<bdi>{text(name)}</bdi>" if turns else text(name)


SAVED = 'class="rb-saved"'
"""What tells the output of a cell that says what it saved."""
_TURNING = frozenset(
    ["R", "AL", "AN", "LRE", "LRO", "RLE", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"]
)


def in_script(data: object) -> str:
    """Return data as JSON for a script element; no text in it can close the element.

    >>> "<" in in_script({"title": "</script>"})
    False
    """
    stored = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return stored.replace("<", "\\u003c")


def lines(*parts: Html | str | None) -> Html:
    r"""Return all parts that are not None, one per line; strings are treated as markup.

    >>> lines("<p>", None, Html("</p>")).markup
    '<p>\n</p>'
    """
    return Html("\n".join(str(part) for part in parts if part is not None))
