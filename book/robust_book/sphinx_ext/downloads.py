"""Rows of a whole page as files, so that readers download numbers instead of copying them."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from sphinx.application import Sphinx

from robust_book.commands import launch
from robust_book.html.markup import Html, text
from robust_book.sphinx_ext import result
from robust_book.sphinx_ext.light import put
from robust_book.sphinx_ext.page import RESULTS, Page, read_results

FOLDER = "_static/tables"


def links(page: Page, name: str, rows: Sequence[Mapping[str, object]]) -> Html:
    """Write rows as CSV and JSON among the book's files, and return links to both.

    Args:
        name: name of the files, without an extension.
        rows: one mapping per row, with the same keys; fractions stay fractions.
    """
    frame = pd.DataFrame(list(rows))
    put(page.folder / FOLDER / f"{name}.csv", frame.to_csv(index=False).encode())
    written = frame.to_json(orient="records", indent=1, force_ascii=False)
    put(page.folder / FOLDER / f"{name}.json", f"{written}\n".encode())
    return both(page, f"{FOLDER}/{name}", f"All {len(frame):,} rows of this page")


def both(page: Page, files: str, words: str) -> Html:
    """Return links to the CSV and the JSON file of a name, after a description of their content."""
    shown = " · ".join(
        f'<a href="{text(page.to(f"{files}.{kind}"))}" download>{kind.upper()}</a>'
        for kind in ("csv", "json")
    )
    return Html(f'<p class="rb-small rb-take">{text(words)}: {shown}</p>')


def of_chapter(page: Page, chapter: str) -> Html:
    """Return links to all numbers of a chapter."""
    shown = (
        f'<a href="{text(page.to(f"{RESULTS}/{chapter}.{kind}"))}" download>{words}</a>'
        for kind, words in (("csv", "CSV"), ("json", "JSON, with verdicts"))
    )
    return Html(" · ".join(shown))


def of_board(data: Mapping[str, Any]) -> list[dict[str, object]]:
    """Return one row per number of the leaderboard, with everything that defines it."""
    return [
        {"network": row["name"], "title": row["title"], "source": row["of"], "measure": key, **cell}
        for row in data["rows"]
        for key, cell in row["cells"].items()
    ]


_RESULT = re.compile(r"\{result\}`([^`]+)`")
_CITED = re.compile(r"\{cite(?::\w+)?\}`([^`]+)`")
_ENTRY = re.compile(r"^@\w+\{(\w+),\s*author = \{([^,}]+).*?year = \{(\d+)\}", re.S | re.M)


def fill(app: Sphinx, exception: Exception | None) -> None:
    """Write numbers and citations into the executed notebooks, names into those to launch."""
    if exception is not None or app.builder.format != "html":
        return
    folder = Path(app.srcdir)
    works = (folder / "references.bib").read_text("utf-8")
    cited = {key: f"{first}, {year}" for key, first, year in _ENTRY.findall(works)}
    results = read_results(folder)
    numbers = {
        key: result.in_prose(str(one["text"]), str(one["text"]))
        for saved in results.values()
        for key, one in result.numbers(saved)
    }
    out = Path(app.outdir)
    files = {out / "_sources" / f"{chapter}.ipynb": numbers for chapter in results}
    # What is launched computes its own numbers: there a name leads to them.
    names = {key: f"`{key}`" for key in numbers}
    files |= dict.fromkeys((out / "_static" / launch.FOLDER).rglob("*.ipynb"), names)
    for file, shown in files.items():
        if file.exists():
            notebook = filled(json.loads(file.read_text("utf-8")), shown, cited)
            file.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")


def filled(
    notebook: dict[str, Any], numbers: Mapping[str, str], cited: Mapping[str, str]
) -> dict[str, Any]:
    """Return a notebook whose prose has its numbers and citations filled in, as on a page.

    Args:
        numbers: key of a result -> its text.
        cited: key of a work -> its first author and year; other keys stay unchanged.

    >>> cell = {"cell_type": "markdown", "source": "Error {result}`a.b`, see {cite:p}`inc`."}
    >>> filled({"cells": [cell]}, {"a.b": "5 %"}, {"inc": "Hendrycks, 2018"})["cells"][0]["source"]
    'Error 5 %, see (Hendrycks, 2018).'
    """

    def works(found: re.Match[str]) -> str:
        keys = [key.strip() for key in found[1].split(",")]
        return f"({'; '.join(cited.get(key, key) for key in keys)})"

    def prose(cell: dict[str, Any]) -> dict[str, Any]:
        if cell["cell_type"] != "markdown":
            return cell
        source = "".join(cell["source"])
        source = _RESULT.sub(lambda found: numbers.get(found[1], found[0]), source)
        return {**cell, "source": _CITED.sub(works, source)}

    return {**notebook, "cells": [prose(cell) for cell in notebook["cells"]]}
