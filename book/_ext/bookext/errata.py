"""The errata of the five papers, each with the computation that shows it."""

import pandas as pd

from bookext.page import Page
from robust_lib.html.markup import Html, lines, text
from robust_lib.html.table import table
from robust_lib.results.errata import Erratum, check, errata


def draw(page: Page) -> Html:
    """Return all errata, under a heading for each paper."""
    return lines(*(_paper(page, paper["key"], paper["short"]) for paper in page.papers))


def _paper(page: Page, key: str, name: str) -> Html | None:
    own = [erratum for erratum in errata() if erratum.paper == key]
    if not own:
        return None
    return lines(
        f'<section id="errata-{text(key)}"><h2>{text(name)}</h2>',
        *(_erratum(page, erratum) for erratum in own),
        "</section>",
    )


def _erratum(page: Page, erratum: Erratum) -> Html:
    concerned = ", ".join(_item(page, item) for item in erratum.items)
    shown = [("Printed", erratum.printed), ("Meant", erratum.should_be)]
    return lines(
        f'<section class="rb-erratum" id="{text(erratum.id)}">',
        f'<p class="rb-small"><span class="rb-id">{text(erratum.id)}</span> {concerned}</p>',
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
    return table(computed, caption="Computed from the printed numbers", name=erratum.id)


def _item(page: Page, key: str) -> str:
    place = page.place(key)
    return f'<a href="{text(place)}">{text(key)}</a>' if place else text(key)
