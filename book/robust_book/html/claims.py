"""What became of a paper's claims: a sentence with both numbers each, and the chip of a verdict."""

import re
from collections.abc import Sequence

from robust_book.html.markup import Html, lines, text
from robust_lib.results.key_number import anchor
from robust_lib.results.reported import reported
from robust_lib.results.verdicts import Verdict, meaning


def chip(verdict: str, label: str | None = None, href: str | None = None, about: str = "") -> Html:
    """Return the small coloured word for a verdict, as a link where `href` is given.

    Args:
        label: its subject, before the word.
        about: begins the tip, before the meaning of the word.

    Raises:
        InputError: a word that is no verdict.

    >>> chip("match", href="#inc-tab1").markup.startswith('<a class="rb-chip rb-for"')
    True
    """
    means = meaning(verdict)
    tip = f"{about} {verdict.capitalize()}: {means.sentence}" if about else means.sentence
    tag, target = ("a", f' href="{text(href)}"') if href else ("span", "")
    words = text(verdict) if label is None else f"{text(label)} <b>{text(verdict)}</b>"
    return Html(
        f'<{tag} class="rb-chip rb-{means.stance}"{target} title="{text(tip)}">'
        f'<span class="rb-sign" aria-hidden="true">{means.sign}</span> {words}</{tag}>'
    )


def claims(verdicts: Sequence[Verdict]) -> Html:
    """Return a list of claims in the paper's order; empty without any.

    Each is a sentence with its verdict. The arithmetic, how we read the paper, and the code form,
    which was judged, are folded below it.

    >>> claims([]).markup
    ''
    """
    if not verdicts:
        return Html("")
    shown = (_claim(one, number) for number, one in enumerate(verdicts, start=1))
    return lines('<ul class="rb-claims">', *shown, "</ul>")


def sides(verdict: Verdict) -> str:
    """Return the paper's and our numbers of a claim, in words; empty without any.

    >>> one = Verdict(item="inc-tab1", model=None, corruption=None, severity=None, k=None,
    ...     dataset=None, metric="mce[a] < mce[b]", status="direction", reported="+", unit="none",
    ...     decimals=None, paper="76.7 % → 100 %", here="80.0 % → 100.0 %", verdict="holds",
    ...     arithmetic="", locator="")
    >>> sides(one)
    'Paper: 76.7 % → 100 %. Here: 80.0 % → 100.0 %.'
    """
    parts = [("Paper", verdict.paper), ("Here", verdict.here)]
    return " ".join(f"{side}: {numbers}." for side, numbers in parts if numbers)


def _note(verdict: Verdict) -> str:
    """Return what is to be known of a claim, such as whose a threshold is; errata are links."""
    rows = reported(verdict.item)
    note = next((row.note for row in rows if row.metric == verdict.metric), "")
    linked = re.sub(
        r"(?<=see erratum )[\w-]+", r'<a href="errata.html#\g<0>">\g<0></a>', text(note)
    )
    return f"<p>Note: {linked}.</p>" if note else ""


def _claim(verdict: Verdict, number: int) -> str:
    numbers = sides(verdict)
    shown = f' <span class="rb-claim-sides">{text(numbers)}</span>' if numbers else ""
    return (
        f'<li class="rb-claim" id="{text(anchor(verdict.item, number))}" '
        f'data-verdict="{text(verdict.verdict)}">{chip(verdict.verdict)} '
        f'<span class="rb-claim-says">{text(verdict.sentence or verdict.metric)}</span>{shown}'
        f'<details class="rb-claim-why"><summary>Why</summary><p>{text(verdict.arithmetic)}</p>'
        f"{_note(verdict)}<p><code>{text(verdict.metric)}</code> ({text(verdict.locator)})</p>"
        "</details></li>"
    )
