"""The errata of the five papers by their effect, each with the computation that shows it."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import pandas as pd

from robust_book.html.markup import Html, lines, text
from robust_book.html.table import table
from robust_book.sphinx_ext.page import Page
from robust_lib.results.errata import Erratum, Rank, check, errata

RANKS: Mapping[Rank, tuple[str, str]] = MappingProxyType(
    {
        "number": (
            "Numbers",
            "A printed number is wrong, or belongs to something else.",
        ),
        "sentence": (
            "Sentences",
            "The paper's own numbers, its data or its code contradict a sentence.",
        ),
        "misprint": ("Misprints", "The meaning is clear; a word or a sign is wrong."),
    }
)
"""Rank -> its heading, and what it means."""


def draw(page: Page) -> Html:
    """Return a table of contents, and all errata under a heading for each rank."""
    ranked = {rank: [one for one in errata() if one.rank == rank] for rank in RANKS}
    return lines(
        '<nav class="rb-contents" aria-label="Errata">',
        *(_contents(page, rank, found) for rank, found in ranked.items()),
        "</nav>",
        *(_rank(page, rank, found) for rank, found in ranked.items()),
    )


def _contents(page: Page, rank: Rank, found: Sequence[Erratum]) -> Html:
    heading, _ = RANKS[rank]
    return lines(
        f'<p><a href="#errata-{rank}">{heading}</a> ({len(found)})</p>',
        "<ul>",
        *(
            f'<li><a href="#{text(one.id)}">{text(one.title)}</a> '
            f'<span class="rb-small">{text(_paper(page, one))}</span></li>'
            for one in found
        ),
        "</ul>",
    )


def _rank(page: Page, rank: Rank, found: Sequence[Erratum]) -> Html:
    heading, meaning = RANKS[rank]
    return lines(
        f'<section id="errata-{rank}"><h2>{heading}</h2>',
        f"<p>{meaning}</p>",
        *(_erratum(page, one) for one in found),
        "</section>",
    )


def _erratum(page: Page, erratum: Erratum) -> Html:
    concerned = ", ".join(_item(page, item) for item in erratum.items)
    found = "Meant" if erratum.rank == "misprint" else "Found"
    shown = [("Printed", erratum.printed), (found, erratum.found)]
    if erratum.check is None:
        shown.append(("Found by", erratum.by))
    return lines(
        f'<section class="rb-erratum" id="{text(erratum.id)}">',
        f"<h3>{text(erratum.title)}</h3>",
        f'<p class="rb-small">{text(_paper(page, erratum))}: {concerned}</p>',
        "<dl>",
        *(f"<dt>{name}</dt><dd>{text(told)}</dd>" for name, told in shown),
        "</dl>",
        f"<p>{text(erratum.explanation)}</p>",
        _shown(erratum),
        "</section>",
    )


def _shown(erratum: Erratum) -> Html | None:
    if erratum.check is None:
        return None
    computed = pd.DataFrame(
        [(line.what, line.printed, line.computed) for line in check(erratum.check)],
        columns=["What", "Printed", "Computed"],
    )
    return table(computed, caption=f"Computed from {erratum.by}", name=erratum.id)


def _paper(page: Page, erratum: Erratum) -> str:
    shorts = {paper.key: paper.short for paper in page.papers}
    return shorts.get(erratum.paper, erratum.paper)


def _item(page: Page, key: str) -> str:
    place = page.place(key)
    return f'<a href="{text(place)}">{text(key)}</a>' if place else text(key)
