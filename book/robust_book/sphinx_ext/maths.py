"""Formulas as drawings, rendered with the page: no script is needed, and nothing moves."""

import hashlib
import html
import re
from functools import lru_cache
from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator
from ziamath.config import config
from ziamath.zmath import Latex

from robust_book.html.markup import Html, text

# As scripts know it, and so do notebooks: chapters' own markup has it.
_WRITTEN = re.compile(
    r'(<(span|div) class="math [^"]*">)\s*'
    r"(?:\\\((?P<line>.*?)\\\)|\\\[(?P<block>.*?)\\\])\s*(</\2>)",
    re.DOTALL,
)
# A blank is a letter without a drawing, which has no end of its own.
_LETTER = re.compile(r'<symbol id="([^"]+)"([^>]*/>|.*?</symbol>)', re.DOTALL)
_SIZE = 24.0  # of the drawing's letters; on the page they are as tall as the text's


def add(app: Sphinx) -> None:
    """Register this renderer of formulas in Sphinx, also for the formulas of chapters."""
    app.add_html_math_renderer("drawn", (_inline, None), (_block, None))
    app.connect("html-page-context", _renew)


def _renew(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    if "body" in context:
        context["body"] = shared(renewed(context["body"]))


def shared(markup: str) -> str:
    """Return a page's markup with each letter of its formulas drawn once, at its start.

    >>> x = '<svg><symbol id="x"><path/></symbol><use href="#x"/></svg>'
    >>> shared(x + x).count("<path"), shared(x + x).count("<use"), shared("no formula")
    (1, 2, 'no formula')
    """
    letters = {found[1]: found[0] for found in _LETTER.finditer(markup)}
    if not letters:
        return markup
    drawn_once = "".join(letters.values())
    return f'<svg class="rb-heard" aria-hidden="true">{drawn_once}</svg>{_LETTER.sub("", markup)}'


def renewed(markup: str) -> str:
    r"""Return markup with its formulas drawn.

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
    """Return a formula as a drawing, with MathML for screen readers.

    Args:
        tex: the formula, without dollars.
        inline: whether the formula is in a line of text.

    >>> shown = drawn("x_i", inline=True).markup
    >>> "<path" in shown, "<mi>x</mi>" in shown, "black" in shown
    (True, True, False)
    """
    config.svg2 = True  # letters are symbols, which `shared` lets a page have once
    made = Latex(tex, size=_SIZE, inline=inline)
    svg = made.svgxml()
    width, height = (float(svg.attrib[side]) / _SIZE for side in ("width", "height"))
    for side in ("width", "height"):
        del svg.attrib[side]
    svg.set("fill", "currentColor")
    svg.set("aria-hidden", "true")
    _, top, _, tall = (float(number) for number in svg.attrib["viewBox"].split())
    below = -(top + tall) / _SIZE  # the line's letters stand at 0
    svg.set("style", f"width:{width:.3f}em;height:{height:.3f}em;vertical-align:{below:.3f}em")
    for part in svg.iter():
        # Where ziamath says a colour, it says black.
        for paint in ("fill", "stroke"):
            if part.get(paint) == "black":
                part.set(paint, "currentColor")
    shape = "" if inline else ' display="block"'
    heard = f'<math class="rb-heard"{shape}>{made.mathmlstr()}</math>'
    written = ElementTree.tostring(svg, encoding="unicode")
    written = re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", written)
    written = re.sub(r'\bd="[^"]*"', lambda path: _short(path[0]), written)
    # A letter is named by its drawing: those of ziamath have one name in several widths.
    for name, drawing in _LETTER.findall(written):
        own = f"m{hashlib.sha256(drawing.encode()).hexdigest()[:10]}"
        written = written.replace(f'"{name}"', f'"{own}"').replace(f'"#{name}"', f'"#{own}"')
    return Html(f"{written}{heard}")


def _short(path: str) -> str:
    """Return a path with coordinates rounded to a tenth, without unnecessary blanks.

    >>> _short('d="M 0.84 1.58 L -3.08 2 Z "')
    'd="M0.8 1.6L-3.1 2Z"'
    """
    rounded = re.sub(r"\d+\.\d+", lambda one: f"{float(one[0]):.1f}".removesuffix(".0"), path)
    return re.sub(r" ?([A-Z]) ?", r"\1", rounded)


def _inline(translator: HTML5Translator, node: nodes.math) -> None:
    translator.body.append(f'<span class="math">{drawn(node.astext(), inline=True)}</span>')
    raise nodes.SkipNode


def _block(translator: HTML5Translator, node: nodes.math_block) -> None:
    number = node.get("number")
    translator.body.append(translator.starttag(node, "div", CLASS="math"))
    if number:
        translator.body.append(f'<span class="eqno">({text(number)})</span>')
    translator.body.append(f"{drawn(node.astext(), inline=False)}</div>\n")
    raise nodes.SkipNode
