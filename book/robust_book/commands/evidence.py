"""The origin of each number of a site: `claims.json`, and `verify.py`, which verifies it."""

import csv
import gzip
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import robust_book.verify
from robust_book.verify import program as verify
from robust_book.verify.again import Grounds
from robust_book.verify.pages import Page, rounds_to
from robust_lib import atomic
from robust_lib.run.network import network_title
from robust_lib.vocabulary import corruption_label

COLUMNS = ("value", "low", "high", "n")
"""Of a row, what a table shows."""

_INNER = re.compile(r"^from robust_book\.verify\.(\w+) import [^\n]*\n", re.MULTILINE)

Rows = Sequence[Mapping[str, str]]


def write(site: Path, chapters: Iterable[str]) -> Path:
    """Write a site's claims, and the program that verifies them, into it; return the claims.

    Args:
        chapters: chapters of the site.
    """
    atomic.write_bytes(site / verify.PROGRAM, program().encode())
    results = site / verify.RESULTS
    names = sorted(name for name in chapters if (results / f"{name}.json").exists())
    records = {name: json.loads((results / f"{name}.json").read_bytes()) for name in names}
    rows = {name: _rows(results / f"{name}.csv") for name in names}
    pages = {
        page.relative_to(site).as_posix(): _page(page, rows)
        for page in sorted(site.rglob("*.html"))
    }
    every = (path for path in sorted(site.rglob("*")) if path.is_file())
    files = {
        path.relative_to(site).as_posix(): verify.digest(path)
        for path in every
        if path.name != verify.CLAIMS
    }
    claims = {
        "format": verify.FORMAT,
        "chapters": {
            name: {
                "job": f"notebook-{name}",
                "inputs": _inputs(record),
                "rows": len(rows[name]),
                **_parts(record, rows[name], results),
                "reproduced": _reproduced(results / f"{name}.{verify.EVIDENCE}", rows[name]),
                "said": _said(site / f"{name}.html", record),
            }
            for name, record in records.items()
        },
        "pages": pages,
        "files": files,
        "stored": _stored(results, names),
    }
    target = site / verify.CLAIMS
    sealed = {**claims, "seal": verify.sealed(claims)}
    atomic.write_bytes(target, json.dumps(sealed, ensure_ascii=False).encode())
    return target


def _rows(path: Path) -> Rows:
    if not path.exists():
        return ()
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _inputs(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs of a chapter's job: the digests of its images and weights, its commit."""
    return dict(record.get("provenance", {}))


def _parts(record: Mapping[str, Any], rows: Rows, results: Path) -> dict[str, Any]:
    """Return the items of a chapter whose CSV has only the chapter's rows, and the other rows."""
    every = {tuple(row.values()) for row in rows}
    items = [str(item["item"]) for item in record.get("items", ())]
    files = {item: _rows(results / f"{item}.csv") for item in items}
    parts = {
        item: {tuple(row.values()) for row in part}
        for item, part in files.items()
        if part and all(tuple(row.values()) in every for row in part)
    }
    found = set().union(*parts.values())
    alone = [place for place, row in enumerate(rows) if tuple(row.values()) not in found]
    return {"parts": list(parts), "alone": alone}


def _reproduced(path: Path, rows: Rows) -> int:
    """Return the number of rows in a chapter's claims that follow from stored files."""
    if not path.exists():
        return 0
    return Grounds(json.loads(gzip.decompress(path.read_bytes())), rows).reproduced()


def _said(page: Path, record: Mapping[str, Any]) -> int:
    """Return the number of a run's saved texts that its page shows."""
    text = page.read_text("utf-8") if page.exists() else ""
    return Page(text).says(verify.texts(record))


def _page(path: Path, rows: Mapping[str, Rows]) -> dict[str, Any]:
    """Return the numbers of a page as shown, and the row of each number in a table."""
    found = Page(path.read_text("utf-8"))
    chapter = path.stem if path.stem in rows else None
    of = {} if chapter is None else _sources(found, chapter, rows[chapter])
    return {"chapter": chapter, "shown": " ".join(found.shown), "rows": of}


def _sources(found: Page, chapter: str, rows: Rows) -> dict[str, tuple[str, int, str]]:
    """Return place of a number -> its row and column, if its headings determine them."""
    by_text: dict[str, list[tuple[int, str]]] = {}
    for place, row in enumerate(rows):
        for column in COLUMNS:
            for text in _written(row.get(column, "")):
                by_text.setdefault(text, []).append((place, column))
    words = [_words(row) for row in rows]
    kept: dict[str, tuple[str, int, str]] = {}
    for place, context in found.context.items():
        shown, plain = found.shown[place], f" {_plain(context)} "
        best, most = None, 0
        for number, column in by_text.get(shown.replace(",", ""), ()):
            needed, further = words[number]
            if not needed or not all(f" {word} " in plain for word in needed):
                continue
            score = 10 * len(needed) + sum(f" {word} " in plain for word in further)
            if score > most and rounds_to(float(rows[number][column]), shown):
                best, most = (chapter, number, column), score
        if best is not None:
            kept[str(place)] = best
    return kept


def _written(value: str) -> set[str]:
    """Return the ways in which a table may show a row's number."""
    if not value:
        return set()
    number = float(value)
    texts = {f"{scale * number:.{digits}f}" for scale in (1, 100) for digits in (0, 1, 2, 3)}
    return {text.replace("-", "\N{MINUS SIGN}") for text in texts}


def _words(row: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Return the words that a row's headings must contain, and those that they may."""
    needed = [network_title(row["model"])] if row.get("model") else []
    needed += [corruption_label(row["corruption"])] if row.get("corruption") else []
    further = [row["metric"].replace("_", " "), row["dataset"]]
    further += [f"severity {row['severity']}"] if row.get("severity") else []
    return [_plain(one) for one in needed], [_plain(one) for one in further]


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^\w+~.%-]+", " ", text).lower().split())


def _stored(results: Path, chapters: Iterable[str]) -> dict[str, Sequence[str]]:
    """Return file below the cache -> its content and checksum, as recorded by the jobs."""
    found: dict[str, Sequence[str]] = {}
    for name in chapters:
        path = results / f"{name}.{verify.EVIDENCE}"
        if path.exists():
            read = json.loads(gzip.decompress(path.read_bytes()))["stored"]
            found |= {f"store/{file}": told for file, told in read.items()}
    return dict(sorted(found.items()))


def program() -> str:
    """Return the program as one file: its modules, each inserted where it is imported."""
    folder = Path(str(robust_book.verify.__file__)).parent
    kept: list[str] = []

    def written(name: str) -> str:
        if name in kept:
            return ""
        kept.append(name)
        return _INNER.sub(
            lambda found: written(found[1]), (folder / f"{name}.py").read_text("utf-8")
        )

    return written("program")
