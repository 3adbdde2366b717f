"""The whole ledger in one table: what each paper shows, what this run found, and where."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from bookext.committed import Items, committed
from bookext.page import Page
from robust_lib.html.item import spelled
from robust_lib.html.markup import Html, text
from robust_lib.html.table import table
from robust_lib.html.verdict_chip import chip
from robust_lib.results.reported import LedgerItem, Reported, ledger, reported
from robust_lib.results.verdicts import Verdict, tally

_FEW = 3  # numbers that fit into a cell; more are counted


def draw(page: Page) -> Html:
    """Return every item of the five papers, those of chapters not built yet included."""
    runs = committed()
    return table(
        pd.DataFrame([_row(page, item, runs) for item in ledger()]),
        caption="Every figure, table and claim of the five papers",
    )


def _row(page: Page, item: LedgerItem, runs: Mapping[str, Items]) -> dict[str, object]:
    saved, place = page.item(item.id), page.place(item.id)
    others = {words: _shown(items.get(item.id)) for words, items in runs.items()}
    return {
        "Item": Html(f'<a href="{text(place)}">{text(item.id)}</a>') if place else item.id,
        "Verdict": chip(saved["verdict"] if saved else "not built"),
        "Shows": item.title,
        "Paper": printed(reported(item.id)),
        "This run": _shown(saved),
        **others,
        "Chapter": Html(f"<code>{text(item.notebook)}</code>"),
    }


def printed(rows: Sequence[Reported]) -> str:
    """Return the paper's numbers where they are few, and else how many there are."""
    numbers = [row for row in rows if not row.is_claim]
    claims = len(rows) - len(numbers)
    parts = []
    if 0 < len(numbers) <= _FEW:
        parts.append(", ".join(spelled(row.value, row.unit) for row in numbers))
    elif numbers:
        parts.append(f"{len(numbers)} numbers")
    if claims:
        parts.append("1 claim" if claims == 1 else f"{claims} claims")
    return "; ".join(parts) or "no numbers"


def ours(verdicts: Sequence[Verdict]) -> str:
    """Return this run's numbers where they are few, and else a tally of the verdicts."""
    numbers = [verdict for verdict in verdicts if verdict.ours is not None]
    if len(numbers) != len(verdicts) or not 0 < len(numbers) <= _FEW:
        return tally(verdicts) or "made anew"
    return ", ".join(spelled(one.ours, one.unit, one.decimals) for one in numbers)


def _shown(saved: Mapping[str, Any] | None) -> str:
    if saved is None:
        return "–"
    return ours([Verdict(**record) for record in saved["verdicts"]])
