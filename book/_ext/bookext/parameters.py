"""A chapter's parameters as a table, read from the notebook itself."""

from pathlib import Path

import pandas as pd
from papermill import inspect_notebook

from bookext.page import Page
from robust_lib.blocks import table
from robust_lib.blocks.markup import Html, text
from robust_lib.errors import InputError, one_of


def draw(page: Page, notebook: str | None = None) -> Html:
    """Return name, type, default, value of this run and meaning of every parameter of a chapter.

    Raises:
        InputError: the chapter is not part of this site.
    """
    name = notebook or page.name
    if name not in page.results:
        raise InputError(one_of("chapter", name, page.results))
    given = page.results[name]["provenance"]["parameters"]
    return table(rows(page.folder / f"{name}.ipynb", given), caption=f"Parameters of {name}")


def rows(notebook: Path, given) -> pd.DataFrame:
    """Return a row a parameter of the cell tagged `parameters`."""
    return pd.DataFrame(
        [
            {
                "Parameter": Html(f"<code>{text(name)}</code>"),
                "Type": _code(found["inferred_type_name"]),
                "Default": _code(found["default"]),
                "This run": _code(repr(given[name])) if name in given else "default",
                "Meaning": found["help"],
            }
            for name, found in inspect_notebook(str(notebook)).items()
        ],
        columns=["Parameter", "Type", "Default", "This run", "Meaning"],
    )


def _code(value: object) -> Html | str:
    return Html(f"<code>{text(value)}</code>") if value not in (None, "", "None") else "–"
