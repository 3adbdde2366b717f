"""The leaderboard: every printed and public number of a network beside this run's.

The page has plain tables, and all that its plots and its reader of passports need as one JSON.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from robust_book.html.markup import Html, in_script, lines, text
from robust_book.sphinx_ext.networks import saved_rows
from robust_book.sphinx_ext.page import Page
from robust_lib.config.manifests import paper_titles
from robust_lib.config.profiles import load_profile, profile_names
from robust_lib.passport.record import VERSION, schema
from robust_lib.results.errata import errata
from robust_lib.results.leaderboard.columns import COLUMNS, Column
from robust_lib.results.leaderboard.entries import Cell, Entry
from robust_lib.results.leaderboard.sources import named, of_papers, of_references, of_run
from robust_lib.results.reported import data_title
from robust_lib.results.reported import datasets as papers_data
from robust_lib.results.row import COLUMNS as SAVED
from robust_lib.results.row import Row, row_of
from robust_lib.run.network import Network, network_titles

PAPERS_DATA, DRAWN = "photographs", "miniature"
WORLDS = {
    PAPERS_DATA: "ImageNet, COCO and their relatives",
    DRAWN: "the miniature",
    "own": "pictures of your own",
}
SOURCES = {
    "paper": "a paper",
    "reference": "others, of public weights",
    "run": "this run",
    "yours": "your passports",
}
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
    """Return all data of the page's script."""
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
        "cells": {key: _cell(one) for key, one in entry.cells.items()},
    }


def _cell(one: Cell) -> dict[str, Any]:
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


def draw(page: Page) -> Html:
    """Return the tables, plain, with the JSON that makes them live."""
    data = board(page)
    notes: dict[str, int] = {}
    tables = [_kind(data, kind, notes) for kind in KINDS]
    return lines(
        '<div class="rb-board">',
        f'<script type="application/json">{in_script(data)}</script>',
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
        data_title(cell["dataset"]) + (f", {cell['part']}" if "part" in cell else ""),
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
        yield f"Of another version: {data_title(cell['dataset'])}."
    if "note" in cell:
        yield f"{cell['note'][0].upper()}{cell['note'][1:]}."
    for other in cell.get("also", ()):
        yield f"Also printed: {other}."


_VERSIONS = ("imagenet_vid_robust_1145", "imagenet_vid_robust_2015")
