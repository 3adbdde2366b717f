"""A chapter's parameters as a table, read from the notebook itself."""

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
from robust_book.sphinx_ext.page import Page


def draw(page: Page, notebook: str | None = None) -> Html:
    """Return name, type, default, value of this run and meaning of every parameter of a chapter.

    Raises:
        InputError: the chapter is not part of this site.
    """
    name, saved = page.chapter(notebook)
    given = saved["provenance"]["parameters"]
    return table(
        rows(page.folder / f"{name}.ipynb", given),
        caption=f"Parameters of {name}: set one with -p NAME VALUE",
        filterable=False,
    )


def folded(page: Page) -> Html:
    """Return the table of the page's own chapter, folded."""
    return lines(
        '<details class="rb-parameters"><summary>Parameters of this chapter</summary>',
        draw(page),
        "</details>",
    )


def rows(notebook: Path, given: Mapping[str, Any]) -> pd.DataFrame:
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
