"""The leaderboard: every printed and public number of a network beside this run's.

The page has plain tables, and all that its plots and its reader of passports need as one JSON.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from robust_book.html.markup import Html, lines, text
from robust_book.sphinx_ext.board import DRAWN, board, data_words
from robust_book.sphinx_ext.page import Page
from robust_lib.results.errata import errata

_ERRATUM = re.compile(r"\b[a-z]+-[a-z0-9-]+\b")
KINDS = {"classifiers": "Classifiers", "detectors": "Detectors"}


def draw(page: Page) -> Html:
    """Return the tables, plain, with the JSON that makes them live."""
    data = board(page)
    notes: dict[str, int] = {}
    tables = [_kind(data, kind, notes) for kind in KINDS]
    return lines(
        '<div class="rb-board">',
        f'<script type="application/json">{_safe(data)}</script>',
        *tables,
        '<details class="rb-more rb-board-notes"><summary>Notes</summary><ol>',
        *(f'<li id="board-note-{at}">{_linked(page, told)}</li>' for told, at in notes.items()),
        "</ol></details></div>",
    )


def _linked(page: Page, told: str) -> str:
    """Return a note whose errata are links."""
    ids = {erratum.id for erratum in errata()}
    return _ERRATUM.sub(
        lambda found: (
            f'<a href="{page.to("errata.html")}#{found[0]}">{found[0]}</a>'
            if found[0] in ids
            else found[0]
        ),
        text(told),
    )


def _safe(data: Mapping[str, Any]) -> str:
    """Return data as JSON that no text in it can end."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _kind(data: Mapping[str, Any], kind: str, notes: dict[str, int]) -> Html:
    columns = [one for one in data["columns"] if one["asks"] == kind]
    rows = [(place, one) for place, one in enumerate(data["rows"]) if one["asks"] == kind]
    return lines(
        f'<section class="rb-board-kind" data-asks="{kind}" id="board-{kind}">',
        f"<h2>{KINDS[kind]}</h2>",
        f'<div class="rb-scroll full-width rb-wide" role="region" tabindex="0" '
        f'aria-label="{KINDS[kind]}">',
        '<table class="rb-table" data-sortable>',
        f"<caption>{KINDS[kind]}, in percent and points</caption>",
        f"<thead>{_heads(columns)}</thead><tbody>",
        *(_line(place, row, columns, notes) for place, row in rows),
        "</tbody></table></div></section>",
    )


def _heads(columns: Sequence[Mapping[str, Any]]) -> str:
    families: dict[str, int] = {}
    for one in columns:
        families[one["family"]] = families.get(one["family"], 0) + 1
    above = "".join(
        f'<th scope="col" rowspan="2">{name}</th>' for name in ("Network", "Source", "Data")
    )
    above += "".join(
        f'<th scope="colgroup" colspan="{count}">{text(name)}</th>'
        for name, count in families.items()
    )
    below = "".join(f'<th scope="col" class="rb-num">{text(one["title"])}</th>' for one in columns)
    return f'<tr class="rb-families">{above}</tr><tr>{below}</tr>'


def _line(
    place: int,
    row: Mapping[str, Any],
    columns: Iterable[Mapping[str, Any]],
    notes: dict[str, int],
) -> str:
    cells = "".join(_number(row["cells"].get(one["key"]), one, notes) for one in columns)
    data = "miniature" if row["world"] == DRAWN else "photographs"
    return (
        f'<tr data-row="{place}"><th scope="row">{text(row["title"])}</th>'
        f'<td>{text(row["of"])}</td><td class="rb-data">{data}</td>{cells}</tr>'
    )


def _number(cell: Mapping[str, Any] | None, one: Mapping[str, Any], notes: dict[str, int]) -> str:
    if cell is None:
        return '<td class="rb-num" data-sort="">–</td>'
    marks = ", ".join(
        f'<a href="#board-note-{place}">{place}</a>'
        for place in (notes.setdefault(told, len(notes) + 1) for told in _odd(cell, one))
    )
    shown = cell["text"].replace("-", "\N{MINUS SIGN}")
    return (
        f'<td class="rb-num" data-key="{one["key"]}" data-sort="{cell["value"]!r}" '
        f'title="{text(told_of(cell))}">{shown}{f"<sup>{marks}</sup>" if marks else ""}</td>'
    )


def told_of(cell: Mapping[str, Any]) -> str:
    """Return what gives a number its meaning, in one line.

    >>> told_of({"value": 0.5, "n": 8, "dataset": "imagenet_a", "way": "masked", "where": "sec. 3"})
    'n = 8; ImageNet-A; masked; sec. 3'
    """
    ends = [f"{100 * cell[end]:.1f}" for end in ("low", "high") if end in cell]
    parts = [
        f"[{', '.join(ends)}]" if ends else "",
        f"n = {cell['n']:,}" if "n" in cell else "",
        data_words(cell["dataset"]) + (f", {cell['part']}" if "part" in cell else ""),
        cell["way"],
        cell["where"],
    ]
    return "; ".join(filter(None, parts))


def _odd(cell: Mapping[str, Any], one: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a reader has to know before comparing a number with its column's others."""
    if cell["way"] != one["way"]:
        yield f"Computed otherwise: {cell['way']}."
    if "part" in cell:
        yield f"Of {cell['part']} pictures."
    if cell["dataset"] in _VERSIONS:
        yield f"Of another version: {data_words(cell['dataset'])}."
    if "note" in cell:
        yield f"{cell['note'][0].upper()}{cell['note'][1:]}."
    for other in cell.get("also", ()):
        yield f"Also printed: {other}."


_VERSIONS = ("imagenet_vid_robust_1145", "imagenet_vid_robust_2015")
