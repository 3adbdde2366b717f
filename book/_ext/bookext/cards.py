"""The five papers as five cards, each with a picture that this run made."""

from collections.abc import Mapping
from typing import Any

from bookext.page import Page
from robust_lib.html.markup import Html, lines, text
from robust_lib.results.reported import ledger


def draw(page: Page) -> Html:
    """Return a card a paper: picture, question, and links to the chapters that are built."""
    return lines('<ul class="rb-cards">', *(_card(page, paper) for paper in page.papers), "</ul>")


def _card(page: Page, paper: Mapping[str, Any]) -> str:
    rows = [row for row in ledger() if row.paper == paper["key"]]
    chapters = sorted({row.notebook for row in rows} & set(page.results))
    drawn = [(row, page.figure(row.id)) for row in rows]
    picture = next(((row, address) for row, address in drawn if address), None)
    if picture:
        image = f'<img src="{text(picture[1])}" alt="{text(picture[0].title)}" loading="lazy">'
    else:
        image = f'<span class="rb-nopicture" aria-hidden="true">{text(paper["sign"])}</span>'
    built = sum(page.item(row.id) is not None for row in rows)
    links = "".join(
        f'<li><a href="{text(page.to(name))}.html">{text(page.title(name))}</a></li>'
        for name in chapters
    )
    return lines(
        '<li class="rb-card">',
        f'<div class="rb-thumb">{image}</div>',
        f'<div class="rb-cardtext"><h3>{text(paper["short"])}</h3>',
        f"<p>{text(paper['question'])}</p>",
        f'<p class="rb-small">{text(paper["authors"])}, {paper["year"]}. '
        f"{built} of {len(rows)} items built.</p>",
        f'<ul class="rb-chapters">{links}</ul>' if links else None,
        "</div></li>",
    )
