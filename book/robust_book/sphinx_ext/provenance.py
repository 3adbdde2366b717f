"""Provenance of a chapter's numbers, and a table of its parameters."""

import ast
import io
import json
import tokenize
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from robust_book.html.markup import Html, lines, text
from robust_book.html.table import table
from robust_book.sphinx_ext import downloads
from robust_book.sphinx_ext.page import Page
from robust_lib.run.provenance import UNKNOWN


def draw(page: Page, notebook: str | None = None) -> Html:
    """Return the folded provenance box of a chapter, by default the page's own.

    Raises:
        InputError: the chapter is not part of this site.
    """
    name, saved = page.chapter(notebook)
    known = saved["provenance"]
    commit = str(known["commit"])
    rows = {
        "Run": saved.get("words"),
        "All numbers": downloads.of_chapter(page, name),
        "Profile": known["profile"],
        "Commit": Html(f"{linked(page, commit)} with uncommitted changes")
        if known.get("dirty")
        else linked(page, commit),
        "Command": Html(f"<code>{text(known['command'])}</code>"),
        "Parameters": _pairs(known["parameters"]),
        "Seeds": ", ".join(str(seed) for seed in known.get("seeds", [])),
        "Data": _pairs(known.get("datasets", {}), short=True),
        "Weights": _pairs(known.get("weights", {}), short=True),
        "Versions": _pairs(known["versions"]),
        "Device": known.get("device"),
        "Time": _duration(known.get("seconds")),
        "Date": known["date"],
    }
    shown = [f"<dt>{name}</dt><dd>{text(value)}</dd>" for name, value in rows.items() if value]
    return lines(
        '<details class="rb-provenance"><summary>Provenance of this chapter</summary>',
        "<dl>",
        *shown,
        "</dl></details>",
    )


def linked(page: Page, commit: str) -> Html:
    """Return the first digits of a commit, as a link into the repository if both are known."""
    if commit == UNKNOWN or not page.repository:
        return Html(text(commit[:12]))
    address = f"{page.repository.rstrip('/')}/commit/{commit}"
    return Html(f'<a href="{text(address)}">{text(commit[:12])}</a>')


def _pairs(mapping: Mapping[str, Any], *, short: bool = False) -> Html | None:
    """Return names and values as a list, with shortened digests."""
    if not mapping:
        return None
    shown = {name: str(value)[:16] if short else value for name, value in mapping.items()}
    entries = "".join(
        f"<li><span>{text(name)}</span> <code>{text(value)}</code></li>"
        for name, value in shown.items()
    )
    return Html(f'<ul class="rb-pairs">{entries}</ul>')


def _duration(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"


def parameters(page: Page, notebook: str | None = None) -> Html:
    """Return name, type, default, value of this run and meaning of every parameter of a chapter.

    Raises:
        InputError: the chapter is not part of this site.
    """
    name, saved = page.chapter(notebook)
    given = saved["provenance"]["parameters"]
    return table(
        parameter_rows(page.folder / f"{name}.ipynb", given),
        caption=f"Parameters of {name}: set one with -p NAME VALUE",
        filterable=False,
    )


def folded_parameters(page: Page) -> Html:
    """Return the table of the page's own chapter, folded."""
    return lines(
        '<details class="rb-parameters"><summary>Parameters of this chapter</summary>',
        parameters(page),
        "</details>",
    )


def parameter_rows(notebook: Path, given: Mapping[str, Any]) -> pd.DataFrame:
    """Return one row per parameter of the cell tagged `parameters`."""
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    tagged = (cell for cell in cells if "parameters" in cell["metadata"].get("tags", []))
    source = "".join(next(tagged, {"source": ""})["source"])
    meanings = _comments(source)
    return pd.DataFrame(
        [
            {
                "Parameter": _code(name),
                "Type": _code(kind),
                "Default": _code(ast.unparse(default)),
                "This run": _code(repr(given[name])) if name in given else "default",
                "Meaning": meanings.get(line, ""),
            }
            for name, kind, default, line in _assigned(source)
        ],
        columns=["Parameter", "Type", "Default", "This run", "Meaning"],
    )


def _assigned(source: str) -> list[tuple[str, str, ast.expr, int]]:
    """Return name, type, default and last line of each assignment."""
    found = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            kind = type(ast.literal_eval(node.value)).__name__
            found.append((node.targets[0].id, kind, node.value, node.end_lineno or 0))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            # papermill reads an annotation with "or" only in quotes.
            said = node.annotation
            kind = str(said.value) if isinstance(said, ast.Constant) else ast.unparse(said)
            found.append((node.target.id, kind, node.value, node.end_lineno or 0))
    return found


def _comments(source: str) -> dict[int, str]:
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {
        token.start[0]: token.string.lstrip("# ")
        for token in tokens
        if token.type == tokenize.COMMENT
    }


def _code(value: object) -> Html:
    return Html(f"<code>{text(value)}</code>")
