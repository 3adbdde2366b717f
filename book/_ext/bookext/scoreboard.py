"""The scoreboard: how many items of each paper match, hold, differ, or are not here yet."""

import pandas as pd

from bookext.page import Page
from robust_lib.html.markup import Html
from robust_lib.html.table import table
from robust_lib.results.reported import ledger
from robust_lib.results.verdicts import VERDICTS

_ABSENT = {"verdict": "not built"}


def draw(page: Page) -> Html:
    """Return a row a paper: a bar of its verdicts, and how many there are of each."""
    counted = counts(page)
    counted.insert(1, "Verdicts", [_bar(row) for _, row in counted.iterrows()])
    return table(
        counted,
        caption="Items of each paper (figures, tables, claims), by their verdict in this run",
        filterable=False,
    )


def counts(page: Page) -> pd.DataFrame:
    """Return how many items of each paper have which verdict; unused verdicts have no column."""
    found = pd.DataFrame(
        {
            "paper": [row.paper for row in ledger()],
            "verdict": [(page.item(row.id) or _ABSENT)["verdict"] for row in ledger()],
        }
    )
    crossed = pd.crosstab(found["paper"], found["verdict"])
    titles = {paper["key"]: paper["short"] for paper in page.papers}
    used = [word for word in VERDICTS if word in crossed.columns]
    crossed = crossed.reindex(index=list(titles), columns=used, fill_value=0)
    crossed["all"] = crossed.sum(axis=1)
    crossed.insert(0, "Paper", [titles[key] for key in crossed.index])
    return crossed.reset_index(drop=True)


def _bar(row: pd.Series) -> Html:
    """Return the counts as a bar; screen readers get the numbers in the columns beside it."""
    parts = "".join(
        f'<i class="rb-{VERDICTS[word].stance}" style="flex-grow: {row[word]}"></i>'
        for word in VERDICTS
        if word in row.index and row[word]
    )
    return Html(f'<span class="rb-bar" aria-hidden="true">{parts}</span>')
