"""Cards of the five findings: each paper's answer, this run's answer, and an image."""

import json
import re

from robust_book.html.claims import chip
from robust_book.html.markup import Html, lines, text
from robust_book.html.svg import PHONE, theme_svg
from robust_book.sphinx_ext import light
from robust_book.sphinx_ext.findings import (
    GIVEN,
    JUDGED,
    NOT_HERE,
    Claim,
    claims_of,
    in_words,
    sides,
    words_of,
)
from robust_book.sphinx_ext.page import Page
from robust_book.sphinx_ext.result import filled
from robust_lib.config.papers import PaperCard
from robust_lib.results.reported import ledger

_TOUR = "00_tour"  # the chapter on the run's own set
_SLIDER = re.compile(r'<div class="rb-scrubber" id="photograph".*?</p>\n</div>', re.S)


def draw(page: Page) -> Html:
    """Return one card per paper: question, both answers, the claims behind them, and an image."""
    return lines('<ol class="rb-cards">', *(_card(page, paper) for paper in page.papers), "</ol>")


def brief(page: Page) -> Html:
    """Return the five findings, one line each, for the first screen."""
    return lines('<ol class="rb-brief">', *(_line(page, paper) for paper in page.papers), "</ol>")


def photograph(page: Page) -> Html:
    """Return the tour's photographs under a slider; empty if its run did not have them."""
    file = page.folder / f"{_TOUR}.ipynb"
    if not file.exists():
        return Html("")
    cells = json.loads(file.read_text("utf-8"))["cells"]
    shown = ("".join(out.get("data", {}).get("text/html", "")) for cell in cells
             for out in cell.get("outputs", ()))  # fmt: skip
    block = next((_SLIDER.search(one) for one in shown if _SLIDER.search(one)), None)
    if block is None:
        return Html("")
    place = f'<a href="{text(page.to(_TOUR))}.html#photograph">How it was made</a>'
    said = "A photograph, and the predictions of public networks as noise grows."
    return lines(f"<p>{said} {place}.</p>", block[0])


def total(page: Page) -> Html:
    """Return a sentence with the verdicts on all claims."""
    told = [
        word
        for paper in page.papers
        for word, count in words_of(page, paper).items()
        for _ in range(count)
        if word != GIVEN
    ]
    judged = [word for word in told if word in JUDGED]
    runs = [saved["words"] for saved in page.results.values()]
    words = page.results[_TOUR]["words"] if _TOUR in page.results else next(iter(runs), "")
    run = f" (<em>{text(words)}</em>)" if words else ""
    said = f"{len(judged)} of their {len(told)} claims are tested here{run}"
    return Html(f"<p>{said}: {text(in_words(judged))}.</p>" if judged else f"<p>{said}.</p>")


def headlines(page: Page, paper: PaperCard) -> list[Claim]:
    """Return the claims behind a paper's finding, from built chapters with numbers."""
    found = []
    for name in paper.claims:
        item, _, place = name.partition(" ")
        saved = page.item(item)
        claims = claims_of(page, saved) if saved else []
        found += claims[int(place) - 1 : int(place)]
    return [claim for claim in found if claim.word in JUDGED]


def _line(page: Page, paper: PaperCard) -> str:
    """Return the paper's finding, and this run's verdict on it."""
    told = next(iter(headlines(page, paper)), None)
    if told is None:
        word = f'<span class="rb-chip rb-absent">{NOT_HERE}</span>'
        here = ""
    else:
        word, here = str(chip(told.word)), f"{told.sentence.rstrip('.')}: {told.found}."
    shown = f'<span class="rb-side-of"><b>This run</b> {text(here)}</span>' if here else ""
    small = paper.thumbnail and light.thumbnail(page, paper.thumbnail.of, paper.thumbnail.part)
    return (
        f'<li>{small or ""}<a href="#finding-{paper.key}">{text(paper.name)}</a> {word}'
        f'<span class="rb-side-of">{text(filled(paper.finding))}</span>{shown}</li>'
    )


def _card(page: Page, paper: PaperCard) -> Html:
    rows = [row for row in ledger() if row.paper == paper.key]
    chapters = sorted({row.notebook for row in rows} & set(page.results))
    links = "".join(
        f'<li><a class="rb-button" href="{text(page.to(name))}.html">{text(page.title(name))}</a>'
        "</li>"
        for name in chapters
    )
    return lines(
        f'<li class="rb-card" id="finding-{text(paper.key)}">',
        f'<p class="rb-kicker">{text(paper.name)}</p>',
        f"<h3>{text(paper.question)}</h3>",
        f'<p><span class="rb-label">The paper</span> {text(filled(paper.answer))}</p>',
        _here(page, paper),
        _picture(page, paper),
        f'<ul class="rb-buttons">{links}</ul>' if links else None,
        f'<p class="rb-small">{text(paper.authors)}, {paper.year}.</p>',
        "</li>",
    )


def _here(page: Page, paper: PaperCard) -> Html:
    found = headlines(page, paper)
    entries = "".join(
        f'<li>{chip(one.word)} <a href="{text(one.place)}">{text(one.sentence)}</a>'
        f"{sides(one)}</li>"
        for one in found
    )
    told = words_of(page, paper)
    judged = [word for word, n in told.items() if word in JUDGED for _ in range(n)]
    if judged:
        said = f"{_tested(len(judged))}: {in_words(judged)}."
    elif any(page.item(row.id) for row in ledger() if row.paper == paper.key):
        said = "None of its claims is tested by this run."
    else:
        said = "Its chapters are not built yet; the ledger has its numbers."
    return lines(
        f'<p><span class="rb-label">This run</span> {text(said)}</p>',
        f'<ul class="rb-claims">{entries}</ul>' if found else None,
    )


def _tested(count: int) -> str:
    return "1 claim is tested" if count == 1 else f"{count} claims are tested"


def _picture(page: Page, paper: PaperCard) -> Html | str:
    """Return the run's figure, themed and at full width; a placeholder if it has drawn none."""
    for name in paper.picture:
        drawn = page.drawing(name)
        if drawn is not None and page.place(name):
            title = next(row.title for row in ledger() if row.id == name)
            narrow = page.drawing(f"{name}{PHONE}")
            shown = theme_svg(drawn, prefix=f"start-{name}", title=title, narrow=narrow)
            return _linked(page, name, shown)
    return f'<p class="rb-nopicture" aria-hidden="true">{text(paper.sign)}</p>'


def _linked(page: Page, name: str, figure: Html) -> Html:
    place = text(page.place(name))
    return lines(
        f'<figure class="rb-figure">{figure}',
        f'<figcaption class="rb-small"><a href="{place}">How it was made, and what it shows</a>'
        "</figcaption></figure>",
    )
