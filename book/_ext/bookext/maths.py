"""Maths as drawings, made with the page: no script to load, and nothing moves when it is read."""

import hashlib
import html
import re
from functools import lru_cache
from typing import Any
from xml.etree import ElementTree

import ziamath
from docutils import nodes
from sphinx.application import Sphinx

from robust_lib.html.markup import Html, text

# As scripts know it, and so do notebooks: chapters' own markup has it.
_WRITTEN = re.compile(
    r'(<(span|div) class="math [^"]*">)\s*'
    r"(?:\\\((?P<line>.*?)\\\)|\\\[(?P<block>.*?)\\\])\s*(</\2>)",
    re.DOTALL,
)
_SIZE = 24.0  # of the drawing's letters; on the page they are as tall as the text's


def add(app: Sphinx) -> None:
    """Let Sphinx write its maths with this file, and draw what chapters have written."""
    app.add_html_math_renderer("drawn", (_inline, None), (_block, None))
    app.connect("html-page-context", _renew)


def _renew(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    if "body" in context:
        context["body"] = renewed(context["body"])


def renewed(markup: str) -> str:
    r"""Return markup whose formulas are drawn.

    >>> "svg" in renewed(r'<span class="math notranslate">\(x &lt; 1\)</span>')
    True
    """

    def formula(found: re.Match[str]) -> str:
        inline = found["line"] is not None
        tex = html.unescape(found["line"] if inline else found["block"])
        return f"{found[1]}{drawn(tex, inline=inline)}{found[5]}"

    return _WRITTEN.sub(formula, markup)


@lru_cache(maxsize=1024)
def drawn(tex: str, *, inline: bool) -> Html:
    """Return a formula as a drawing for eyes, and as MathML for those who listen.

    Args:
        tex: the formula, without dollars.
        inline: whether it stands in a line of text.

    >>> shown = drawn("x_i", inline=True).markup
    >>> "<path" in shown, "<mi>x</mi>" in shown, "black" in shown
    (True, True, False)
    """
    ziamath.config.svg2 = True  # a letter that comes again is drawn once
    made = ziamath.Latex(tex, size=_SIZE, inline=inline)
    svg = made.svgxml()
    width, height = (float(svg.get(side)) / _SIZE for side in ("width", "height"))
    for side in ("width", "height"):
        del svg.attrib[side]
    svg.set("fill", "currentColor")
    svg.set("aria-hidden", "true")
    _, top, _, tall = (float(number) for number in svg.get("viewBox").split())
    below = -(top + tall) / _SIZE  # the line's letters stand at 0
    svg.set("style", f"width:{width:.3f}em;height:{height:.3f}em;vertical-align:{below:.3f}em")
    for part in svg.iter():
        # Where ziamath says a colour, it says black.
        for paint in ("fill", "stroke"):
            if part.get(paint) == "black":
                part.set(paint, "currentColor")
    shape = "" if inline else ' display="block"'
    heard = f'<math class="rb-heard"{shape}>{made.mathmlstr()}</math>'
    # No drawing takes its letters from another one.
    own = f"m{hashlib.sha256(f'{tex}{inline}'.encode()).hexdigest()[:8]}-"
    written = ElementTree.tostring(svg, encoding="unicode")
    written = re.sub(r'(\bid="|href="#)', rf"\1{own}", written)
    written = re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", written)
    return Html(f"{written}{heard}")


def _inline(translator, node: nodes.math) -> None:
    translator.body.append(f'<span class="math">{drawn(node.astext(), inline=True)}</span>')
    raise nodes.SkipNode


def _block(translator, node: nodes.math_block) -> None:
    number = node.get("number")
    translator.body.append(translator.starttag(node, "div", CLASS="math"))
    if number:
        translator.body.append(f'<span class="eqno">({text(number)})</span>')
    translator.body.append(f"{drawn(node.astext(), inline=False)}</div>\n")
    raise nodes.SkipNode
