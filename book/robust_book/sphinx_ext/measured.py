"""Tables and results of runs that few readers can repeat, committed with their provenance."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from robust_book.chapters.view import Measured
from robust_book.html.markup import Html, lines, text
from robust_book.html.table import table
from robust_book.sphinx_ext.page import Page
from robust_lib import paths
from robust_lib.config.strict_yaml import read_record
from robust_lib.errors import InputError, one_of


def draw(page: Page, name: str | None = None) -> Html:
    """Return one measured table, or all of them, each with its convention and provenance.

    Numbers of networks whose training has changed since are not shown.

    Raises:
        InputError: there is no committed table of that name.
    """
    files = sorted((paths.manifests() / "measured").glob("*.csv"))
    if name is not None:
        if name not in (known := [file.stem for file in files]):
            raise InputError(one_of("measured table", name, known))
        files = [file for file in files if file.stem == name]
    if not files:
        return Html("<p>No measured table is committed yet.</p>")
    return lines(*(_shown(file) for file in files))


def _shown(file: Path) -> Html:
    known = read_record(file.with_suffix(".yaml"), Measured)
    others = known.of_others
    if others:
        return lines(
            f'<div class="rb-measured" id="measured-{text(file.stem)}">',
            f'<p class="rb-convention"><span class="rb-label">Not shown</span> '
            f"{text(known.title)}: {len(others)} of {len(known.recipes)} networks are trained "
            f"differently today than when this table was measured, at commit "
            f"{text(str(known.provenance['commit'])[:8])}.</p></div>",
        )
    facts = " · ".join(f"{key}: {value}" for key, value in known.provenance.items())
    frame, decimals = numbers(file)
    return lines(
        f'<div class="rb-measured" id="measured-{text(file.stem)}">',
        table(frame, caption=known.title, decimals=decimals),
        f'<p class="rb-convention"><span class="rb-label">Convention</span> '
        f"{text(known.convention)}</p>",
        f'<details class="rb-again"><summary>Where these numbers come from</summary>'
        f"<p>{text(facts)}</p></details></div>",
    )


def numbers(file: Path) -> tuple[pd.DataFrame, dict[str, int]]:
    """Return a table, and the number of digits after the point for each column."""
    written = pd.read_csv(file, dtype=str, keep_default_na=False)
    digits = {
        str(name): max((len(cell.partition(".")[2]) for cell in written[name]), default=0)
        for name in written.columns
    }
    return pd.read_csv(file), digits


Items = Mapping[str, Mapping[str, Any]]


def committed() -> dict[str, Items]:
    """Return description of a run -> ledger id -> the record that the run saved.

    The files are `data_manifests/measured/<profile>/<notebook>.json`.
    """
    found: dict[str, dict[str, Mapping[str, Any]]] = {}
    for file in sorted((paths.manifests() / "measured").glob("*/*.json")):
        saved = json.loads(file.read_text("utf-8"))
        found.setdefault(saved["words"], {}).update({i["item"]: i for i in saved["items"]})
    return dict(found)
