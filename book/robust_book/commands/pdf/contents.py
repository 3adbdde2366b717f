"""The first pages of the book on paper, and the foot of all pages."""

from collections.abc import Sequence
from dataclasses import dataclass

from robust_book.commands.pdf.paper import MARGINS
from robust_book.html.markup import text


@dataclass(frozen=True)
class Entry:
    """A line of the table of contents.

    Attributes:
        depth: 0 for a chapter, 1 for its sections, ...
        part: caption above it; "" if there is none.
        number: number of its first sheet, from 1; None before that is known.
    """

    title: str
    href: str
    depth: int = 0
    part: str = ""
    number: int | None = None


@dataclass(frozen=True)
class Cover:
    """The content of the first page.

    Attributes:
        facts: version, run, commit, date and licence, one line each.
        left_out: parts of the site that the PDF lacks.
    """

    title: str
    facts: tuple[str, ...]
    left_out: str


LEFT_OUT = (
    "The site also contains the code of each cell, solutions of the exercises, definitions and "
    "intervals behind dotted words, and interactive figures."
)

_STYLE = """
@page { margin: %dmm %dmm %dmm %dmm; }
html { font: 10.5pt/1.45 serif; }
body { margin: 0; }
h1 { font-size: 26pt; font-weight: 400; line-height: 1.15; margin: 20mm 0 8mm; }
h2 { font-size: 12pt; margin: 6mm 0 1.5mm; break-after: avoid; }
p { margin: 0 0 1.5mm; }
.facts { color: #444; }
ol { list-style: none; margin: 0; padding: 0; }
li { display: flex; align-items: baseline; gap: 2mm; break-inside: avoid; }
li i { flex: 1; border-bottom: 0.3mm dotted #999; }
li span { min-width: 3ch; text-align: right; font-variant-numeric: tabular-nums; }
a { color: inherit; text-decoration: none; }
"""
_FEET = """
@page { margin: 0; }
body { margin: 0; font: 8pt sans-serif; color: #555; }
p { position: relative; height: 100vh; margin: 0; break-after: page; overflow: hidden; }
p:last-child { break-after: auto; }
p span { position: absolute; bottom: 9mm; left: %dmm; right: %dmm; }
p span:last-child { text-align: right; }
"""


def first_pages(cover: Cover, entries: Sequence[Entry]) -> str:
    """Return the pages with the title, the description of the run, and the table of contents.

    >>> made = first_pages(Cover("Book", ("Version 1",), ""), [Entry("A & B", "a.html", number=7)])
    >>> '<a href="a.html">A &amp; B</a><i></i><span>7</span>' in made
    True
    """
    facts = "".join(f"<p class=facts>{text(one)}</p>" for one in (*cover.facts, cover.left_out))
    lines = []
    for entry in entries:
        if entry.part:
            lines.append(f"</ol><h2>{text(entry.part)}</h2><ol>")
        number = "" if entry.number is None else entry.number
        lines.append(
            f'<li style="padding-left:{6 * entry.depth}mm"><a href="{text(entry.href)}">'
            f"{text(entry.title)}</a><i></i><span>{number}</span></li>"
        )
    body = f"<h1>{text(cover.title)}</h1>{facts}<ol>{''.join(lines)}</ol>"
    return _document(cover.title, _STYLE % MARGINS, body)


def feet(titles: Sequence[str]) -> str:
    """Return one empty page for each title, with the title and the page number.

    >>> feet(["Contents", "A tour"]).count("<p>")
    2
    """
    made = (
        f"<p><span>{text(title)}</span><span>{number}</span></p>"
        for number, title in enumerate(titles, start=1)
    )
    return _document("feet", _FEET % (MARGINS[3], MARGINS[1]), "".join(made))


def _document(title: str, style: str, body: str) -> str:
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{text(title)}</title>'
        f"<style>{style}</style><body>{body}</body></html>"
    )
