"""One network in all chapters: a table of them all, then a card each with the paper's numbers."""

from collections.abc import Mapping, Sequence

import pandas as pd

from robust_book.html.markup import Html, lines, text
from robust_book.html.table import table
from robust_book.sphinx_ext.page import Page
from robust_book.sphinx_ext.rows import MEASURES, Measure, measured, parts, printed
from robust_lib.results.notation import Cell, listed, with_interval, written
from robust_lib.run.network import Network, network_title, network_titles

Found = Mapping[str, Mapping[str, Cell]]


def draw(page: Page) -> Html:
    """Return the table of all networks, a list to choose one from, and their cards."""
    found = {one.title: measured(page, one) for one in MEASURES}
    # Networks trained with one corruption, or without some pictures, stand in their chapter alone.
    names = [
        name
        for name in dict.fromkeys(name for by_name in found.values() for name in by_name)
        if Network.read(name).is_plain and name != "chance"
    ]
    if not names:
        return Html("<p>This site has no chapter that measures networks.</p>")
    titles = network_titles(names)
    return lines(
        table(
            _frame(found, names, titles),
            caption="Every network of this run, in every chapter that measures it",
            decimals={one.title: one.decimals for one in MEASURES},
        ),
        _choice(names, titles),
        *(_card(page, name, titles[name], found) for name in names),
    )


def _frame(found: Found, names: list[str], titles: Mapping[str, str]) -> pd.DataFrame:
    frame = pd.DataFrame(
        {"Network": [Html(f'<a href="#{_slug(name)}">{text(titles[name])}</a>') for name in names]}
    )
    for measure in MEASURES:
        numbers = found[measure.title]
        if numbers:
            shown = [numbers[name].value if name in numbers else None for name in names]
            frame[measure.title] = pd.Series(shown, dtype=float)
    return frame


def _choice(names: list[str], titles: Mapping[str, str]) -> Html:
    options = "".join(
        f'<option value="{_slug(name)}">{text(titles[name])}</option>' for name in names
    )
    return Html(
        '<p class="rb-choose" hidden><label>Follow one network '
        f'<select><option value="">all of them</option>{options}</select></label></p>'
    )


def _card(page: Page, name: str, title: str, found: Found) -> Html:
    shown = [measure for measure in MEASURES if name in found[measure.title]]
    played = parts(page).get(name, (name,))
    rows = [_line(page, measure, found[measure.title][name], played) for measure in shown]
    # One network plays another, too, in a chapter that is not about this page's measures.
    told = [one for one in played if any(one in printed(measure) for measure in shown)]
    names = [network_title(one) for one in told or played[:1]]
    part = f"plays the part{'s' * (len(names) > 1)} of {listed(names)}"
    told_of = "is a paper's network" if name in played else part
    return lines(
        f'<section class="rb-network" id="{_slug(name)}"><h2>{text(title)}</h2>',
        f'<p class="rb-small">It {text(told_of)}. Its key in files and commands: '
        f"<code>{text(name)}</code></p>",
        f'<dl class="rb-facts">{"".join(rows)}</dl></section>',
    )


def _line(page: Page, measure: Measure, number: Cell, played: Sequence[str]) -> str:
    place, paper = page.place(measure.item), printed(measure)
    name = f'<a href="{text(place)}">{measure.title}</a>' if place else measure.title
    sides = [
        f"{network_title(one)} in the paper: {written(paper[one], measure.decimals)}{measure.unit}"
        for one in played
        if one in paper
    ]
    beside = f' <span class="rb-small">{text("; ".join(sides))}</span>' if sides else ""
    shown = with_interval(*number, measure.decimals, measure.unit)
    return f"<dt>{name}</dt><dd>{text(shown)}{beside}</dd>"


def _slug(name: str) -> str:
    return "network-" + "".join(letter if letter.isalnum() else "-" for letter in name.lower())
