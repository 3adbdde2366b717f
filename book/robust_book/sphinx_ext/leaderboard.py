"""The leaderboard: every printed and public number of a network next to this run's.

The page has plain tables, and one JSON object for its plots and its reader of passports.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from typing import Any

from robust_book.html.markup import Html, in_script, lines, text
from robust_book.sphinx_ext import downloads
from robust_book.sphinx_ext.networks import saved_rows
from robust_book.sphinx_ext.page import Page
from robust_lib.config.manifests import paper_titles
from robust_lib.config.profiles import load_profile, profile_names
from robust_lib.passport.record import VERSION, schema
from robust_lib.results.errata import errata
from robust_lib.results.leaderboard.columns import COLUMNS, Column
from robust_lib.results.leaderboard.entries import Cell, Entry
from robust_lib.results.leaderboard.sources import named, of_papers, of_references, of_run
from robust_lib.results.notation import one_digit
from robust_lib.results.reported import data_title
from robust_lib.results.reported import datasets as papers_data
from robust_lib.results.row import COLUMNS as SAVED
from robust_lib.results.row import Row, row_of
from robust_lib.run.network import Network, network_titles

PAPERS_DATA, DRAWN = "photographs", "miniature"
WORLDS = {
    PAPERS_DATA: "ImageNet, COCO and related data sets",
    DRAWN: "the miniature",
    "own": "images of your own",
}
SOURCES = {
    "paper": "a paper",
    "reference": "others, with public weights",
    "run": "this run",
    "yours": "your model reports",
}
HEADS = {"paper": "paper", "reference": "public", "run": "run", "yours": "yours"}
CORRUPTIONS = COLUMNS[0].family  # whose columns need no family to be known by
PLOTS = (
    {"key": "mce", "asks": "classifiers", "across": ["clean"], "up": "mce"},
    {"key": "hard", "asks": "classifiers", "across": ["clean", "ordinary"], "up": "hard"},
    {"key": "frames", "asks": "classifiers", "across": ["pm0", "clean"], "up": "pm_drop"},
    {"key": "foreign", "asks": "classifiers", "across": ["hard", "clean"], "up": "aupr"},
    {"key": "nao", "asks": "detectors", "across": ["coco", "test_dev"], "up": "nao_drop"},
    {"key": "boxes", "asks": "detectors", "across": ["pm0_map"], "up": "pm_map_drop"},
)


def board(page: Page) -> dict[str, Any]:
    """Return all data for the page's script."""
    names = _names()
    run = of_run(_rows(page), names, _networks(page))
    every = (*of_papers(), *of_references(), *run)
    called = {**network_titles(one.model for one in every), **paper_titles()}
    entries = sorted(
        every, key=lambda one: (_world(one) != PAPERS_DATA, called[one.model].lower(), one.model)
    )
    used = {cell.dataset for entry in entries for cell in entry.cells.values()}
    known = used | {name for one in COLUMNS for name in named(one, names)}
    digests: dict[str, str] = {}
    for saved in page.results.values():
        digests |= saved["provenance"].get("datasets", {})
    said = Counter(str(saved["words"]) for saved in page.results.values()).most_common(1)
    return {
        "columns": [_column(one, names) for one in COLUMNS],
        "plots": list(PLOTS),
        "worlds": WORLDS,
        "sources": SOURCES,
        "datasets": {name: [_world_of(name), data_title(name)] for name in sorted(known)},
        "rows": [_record(page, one, called[one.model]) for one in entries],
        "run": {"words": said[0][0] if run else "", "datasets": digests},
        "passport": {"version": VERSION, "schema": json.loads(schema())},
    }


def _networks(page: Page) -> set[str]:
    frame = saved_rows(page.folder, tuple(sorted(page.results)))
    found = [] if frame.empty else [str(name) for name in frame["model"].dropna().unique()]
    return {name for name in found if Network.read(name).is_plain}


def _rows(page: Page) -> Iterator[Row]:
    frame = saved_rows(page.folder, tuple(sorted(page.results)))
    if frame.empty:
        return
    metrics = {metric for one in COLUMNS for metric in one.metrics}
    mine = frame[frame["metric"].isin(metrics) & frame["model"].notna()]
    plain = mine[[name for name in SAVED if name in mine.columns]].astype(object)
    for record in plain.where(plain.notna(), None).to_dict("records"):
        yield row_of({str(name): value for name, value in record.items()})


@lru_cache(maxsize=1)
def _names() -> Mapping[str, tuple[str, ...]]:
    """Return role -> the data sets that play it in any profile."""
    roles = {role for one in COLUMNS for role in one.roles}
    profiles = [load_profile(name) for name in profile_names()]
    return {
        role: tuple(dict.fromkeys(one.data[role] for one in profiles if role in one.data))
        for role in sorted(roles)
    }


def _world_of(name: str) -> str:
    return PAPERS_DATA if name.removesuffix("_c") in {*papers_data(), "imagenet"} else DRAWN


def _world(entry: Entry) -> str:
    return _world_of(next(iter(entry.cells.values())).dataset)


def _column(one: Column, names: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    return {
        "key": one.key,
        "title": one.title,
        "label": one.title if one.family == CORRUPTIONS else f"{one.title}, {one.family}",
        "family": one.family,
        "asks": one.asks,
        "better": one.better,
        "unit": one.unit,
        "turned": one.metric == "accuracy",
        "takes": list(one.takes(named(one, names))),
        "way": one.way,
        "signs": list(one.signs),
        "unnamed": one.unnamed,
    }


def _record(page: Page, entry: Entry, title: str) -> dict[str, Any]:
    return {
        "name": entry.model,
        "title": title,
        "source": entry.source,
        "of": _whose(page, entry),
        "asks": entry.asks,
        "world": _world(entry),
        "cells": {key: _cell(one, page.place(one.item)) for key, one in entry.cells.items()},
    }


def _cell(one: Cell, place: str | None) -> dict[str, Any]:
    told = {
        "value": one.value,
        "text": one.text,
        "low": one.low,
        "high": one.high,
        "n": one.n,
        "dataset": one.dataset,
        "way": one.way,
        "part": one.part,
        "where": one.where,
        "place": place,
        "note": one.note,
        "also": list(one.also),
    }
    return {name: value for name, value in told.items() if value not in (None, "", [])}


def _whose(page: Page, entry: Entry) -> str:
    if entry.source != "paper":
        return {"reference": "public weights", "run": "this run"}[entry.source]
    names = {paper.key: paper.name for paper in page.papers}
    return f"{names.get(str(entry.paper), entry.paper)} paper"


_ERRATUM = re.compile(r"\b[a-z]+-[a-z0-9-]+\b")
KINDS = {"classifiers": "Classifiers", "detectors": "Detectors"}

Notes = dict[tuple[str, str], int]
"""What is odd about a number, and the address of its chapter or "" -> number of the note."""


def draw(page: Page) -> Html:
    """Return the plain tables, with the JSON object that makes them interactive."""
    data = board(page)
    notes: Notes = {}
    tables = [_kind(data, kind, notes) for kind in KINDS]
    return lines(
        '<div class="rb-board">',
        f'<script type="application/json">{in_script(data)}</script>',
        *tables,
        '<details class="rb-more rb-board-notes"><summary>Notes</summary><ol>',
        *(f'<li id="board-note-{at}">{_linked(page, *note)}</li>' for note, at in notes.items()),
        "</ol></details></div>",
        downloads.links(page, "leaderboard", downloads.of_board(data)),
    )


def _linked(page: Page, told: str, place: str) -> str:
    """Return a note whose errata are links, with a link to the number in its chapter."""
    ids = {one.id for one in errata()}
    chapter = f' <a href="{text(place)}">The number in its chapter</a>' if place else ""

    def erratum(found: re.Match[str]) -> str:
        there = f"{page.to('errata.html')}#{found[0]}"
        return f'<a href="{there}">{found[0]}</a>' if found[0] in ids else found[0]

    return f"{_ERRATUM.sub(erratum, text(told))}{chapter}"


@dataclass(frozen=True)
class Line:
    """A network in the table: rows from several sources that do not overlap."""

    title: str
    world: str
    rows: list[tuple[int, Mapping[str, Any]]] = field(default_factory=list)

    def cells(self) -> dict[tuple[str, str], tuple[int, Mapping[str, Any]]]:
        """Return (column, source) -> the row's index and its number."""
        return {
            (key, row["source"]): (place, cell)
            for place, row in self.rows
            for key, cell in row["cells"].items()
        }


FIRST = {"classifiers": ("mce", "clean"), "detectors": ("nao", "coco")}
"""The columns by which tables begin sorted: by the best number of any source."""


def network_lines(rows: Iterable[tuple[int, Mapping[str, Any]]]) -> list[Line]:
    """Return rows grouped by network; a second number from one source has its own line."""
    found: list[Line] = []
    for place, row in rows:
        taken = {(key, row["source"]) for key in row["cells"]}
        fits = (
            line
            for line in found
            if (line.title, line.world) == (row["title"], row["world"])
            and not taken & line.cells().keys()
        )
        if (line := next(fits, None)) is None:
            found.append(line := Line(row["title"], row["world"]))
        line.rows.append((place, row))
    return found


def _kind(data: Mapping[str, Any], kind: str, notes: Notes) -> Html:
    columns = [one for one in data["columns"] if one["asks"] == kind]
    rows = [(place, one) for place, one in enumerate(data["rows"]) if one["asks"] == kind]
    by_key = {one["key"]: one for one in columns}
    first = [by_key[key] for key in FIRST[kind]]
    lines_of = sorted(network_lines(rows), key=lambda line: _place(line, first))
    there = {key for line in lines_of for key in line.cells()}
    places = [
        (one, source)
        for one in columns
        for source in HEADS
        if (one["key"], source) in there or source == "yours"
    ]
    best = _best(lines_of, by_key)
    return lines(
        f'<section class="rb-board-kind" data-asks="{kind}" id="board-{kind}">',
        f"<h2>{KINDS[kind]}</h2>",
        f'<div class="rb-scroll full-width rb-wide" role="region" tabindex="0" '
        f'aria-label="{KINDS[kind]}">',
        '<table class="rb-table" data-sortable>',
        f"<caption>{KINDS[kind]}, in percent and points; the best of each column is bold</caption>",
        f"<thead>{_heads(places)}</thead><tbody>",
        *(_line(line, places, best, notes) for line in lines_of),
        "</tbody></table></div></section>",
    )


def _place(line: Line, columns: Iterable[Mapping[str, Any]]) -> list[Any]:
    places: list[Any] = [line.world != PAPERS_DATA]
    for one in columns:
        sign = 1 if one["better"] == "lower" else -1
        cells = (row["cells"].get(one["key"]) for _, row in line.rows)
        told = [sign * cell["value"] for cell in cells if cell]
        places += [not told, min(told, default=0), line.title.lower()]
    return places


def _best(
    found: Iterable[Line], columns: Mapping[str, Mapping[str, Any]]
) -> dict[tuple[str, str, str], float]:
    """Return (column, source, world) -> the best number with the column's convention."""
    values: dict[tuple[str, str, str], list[float]] = {}
    for line in found:
        for (key, source), (_, cell) in line.cells().items():
            if cell["way"] == columns[key]["way"] and "part" not in cell:
                values.setdefault((key, source, line.world), []).append(cell["value"])
    choose = {key: min if one["better"] == "lower" else max for key, one in columns.items()}
    return {place: choose[place[0]](told) for place, told in values.items() if len(told) > 1}


def _heads(places: Sequence[tuple[Mapping[str, Any], str]]) -> str:
    head = '<th scope="col" rowspan="2"'
    above = f'{head}>Network</th>{head} class="rb-data">Data</th>'
    below = ""
    for key, members in groupby(places, key=lambda place: place[0]["key"]):
        several = list(members)
        one, span = several[0][0], len(several)
        family = f'<span class="rb-family">{text(one["family"])}</span> '
        above += (
            f'<th scope="colgroup" colspan="{span - 1}" data-span="{span}" data-key="{key}">'
            f"{family}{text(one['title'])}</th>"
        )
        below += "".join(
            f'<th scope="col" class="rb-num" data-key="{key}" data-source="{source}"'
            f"{' hidden' * (source == 'yours')}>{HEADS[source]}</th>"
            for _, source in several
        )
    return f'<tr class="rb-families">{above}</tr><tr>{below}</tr>'


def _line(
    line: Line,
    places: Sequence[tuple[Mapping[str, Any], str]],
    best: Mapping[tuple[str, str, str], float],
    notes: Notes,
) -> str:
    cells = line.cells()
    shown = "".join(
        _number(
            cells.get((one["key"], source)),
            one,
            source,
            best.get((one["key"], source, line.world)),
            notes,
        )
        for one, source in places
    )
    numbers = " ".join(str(place) for place, _ in line.rows)
    return (
        f'<tr data-rows="{numbers}"><th scope="row"><bdi>{text(line.title)}</bdi></th>'
        f'<td class="rb-data">{line.world}</td>{shown}</tr>'
    )


def _number(
    found: tuple[int, Mapping[str, Any]] | None,
    one: Mapping[str, Any],
    source: str,
    best: float | None,
    notes: Notes,
) -> str:
    if found is None:
        return f"<td{' hidden' * (source == 'yours')}></td>"
    row, cell = found
    shown: str = one_digit(cell["text"])
    place: str = cell.get("place", "")
    if told := " ".join(_odd(cell, one)):
        # Two links in a cell would be too near to each other for a finger.
        number = notes.setdefault((told, place), len(notes) + 1)
        shown = f'<a href="#board-note-{number}">{shown} <sup>{number}</sup></a>'
    elif place:
        shown = f'<a href="{text(place)}">{shown}</a>'
    return (
        f'<td class="rb-num{" rb-best" * (cell["value"] == best)}" data-row="{row}" '
        f'data-key="{one["key"]}" data-sort="{cell["value"]!r}" title="{text(told_of(cell))}">'
        f"{shown}</td>"
    )


def told_of(cell: Mapping[str, Any]) -> str:
    """Return the definition of a number in one line.

    >>> told_of({"text": "5.03", "n": 8, "dataset": "imagenet_a", "way": "all", "where": "sec. 3"})
    '5.03; n = 8; ImageNet-A; all; sec. 3'
    """
    ends = [f"{100 * cell[end]:.1f}" for end in ("low", "high") if end in cell]
    parts = [
        cell["text"].replace("-", "\N{MINUS SIGN}"),
        f"[{', '.join(ends)}]" if ends else "",
        f"n = {cell['n']:,}" if "n" in cell else "",
        data_title(cell["dataset"]) + (f", {cell['part']}" if "part" in cell else ""),
        cell["way"],
        cell["where"],
    ]
    return "; ".join(filter(None, parts))


def _odd(cell: Mapping[str, Any], one: Mapping[str, Any]) -> Iterator[str]:
    """Yield the notes that a reader needs to compare a number with others of its column."""
    if cell["way"] != one["way"]:
        yield f"Computed differently: {cell['way']}."
    if "part" in cell:
        yield f"Of {cell['part']} images."
    if cell["dataset"] in _VERSIONS:
        yield f"For another version: {data_title(cell['dataset'])}."
    if "note" in cell:
        yield f"{cell['note'][0].upper()}{cell['note'][1:]}."
    for other in cell.get("also", ()):
        yield f"Also printed: {other}."


_VERSIONS = ("imagenet_vid_robust_1145", "imagenet_vid_robust_2015")
