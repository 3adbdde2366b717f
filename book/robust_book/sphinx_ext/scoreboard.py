"""The scoreboard: the verdicts on the claims of each paper, counted and explained."""

from collections import Counter

import pandas as pd

from robust_book.html.claims import chip
from robust_book.html.markup import Html, lines, text
from robust_book.html.table import table
from robust_book.sphinx_ext.findings import claims_of
from robust_book.sphinx_ext.page import Page
from robust_lib.config.papers import PaperCard
from robust_lib.results.reported import ledger, reported
from robust_lib.results.verdicts import VERDICTS

WORDS = ("holds", "does not hold", "not decided", "premise fails")
NOT_HERE = "not computed"


def draw(page: Page) -> Html:
    """Return one row per paper: its verdicts as a bar and as counts; then what words mean."""
    counted = counts(page)
    bars = [_bar(row) for _, row in counted.iterrows()]
    counted.insert(1, "", bars)
    return lines(
        table(
            counted,
            caption="Claims of each paper, by what became of them in this run",
            filterable=False,
        ),
        '<ul class="rb-words">',
        *(f"<li>{chip(word)} {text(VERDICTS[word].sentence)}</li>" for word in WORDS),
        f'<li><span class="rb-chip rb-absent">{NOT_HERE}</span> this run has no numbers for it, '
        "or the claim names an accuracy that only the paper's own data and networks can have, or "
        "its chapter is not built yet</li>",
        "</ul>",
    )


def counts(page: Page) -> pd.DataFrame:
    """Return how many claims of each paper have which verdict, and how many are not here."""
    rows = []
    for paper in page.papers:
        told = words_of(page, paper)
        shown = {word: told[word] for word in WORDS}
        absent = sum(told.values()) - sum(shown.values())
        rows.append({"Paper": paper.short, **shown, NOT_HERE: absent})
    return pd.DataFrame(rows)


def words_of(page: Page, paper: PaperCard) -> Counter[str]:
    """Return how many claims of a paper have which verdict; those not computed are "missing"."""
    found: Counter[str] = Counter()
    for item in ledger():
        if item.paper != paper.key:
            continue
        saved = page.item(item.id)
        if saved:
            found.update(claim.word for claim in claims_of(page, saved))
        else:
            claims = [row for row in reported(item.id) if row.is_claim]
            found["missing"] += len(claims)
    return found


def _bar(row: pd.Series) -> Html:
    """Return the counts as a bar; screen readers get the numbers in the columns beside it."""
    parts = "".join(
        f'<i class="rb-{VERDICTS[word].stance}" style="flex-grow: {row[word]}"></i>'
        for word in WORDS
        if row[word]
    )
    if row[NOT_HERE]:
        parts += f'<i class="rb-absent" style="flex-grow: {row[NOT_HERE]}"></i>'
    return Html(f'<span class="rb-bar" aria-hidden="true">{parts}</span>')
