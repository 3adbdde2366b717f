"""Verdicts on a paper's claims: for each, a sentence, both numbers and a coloured verdict."""

import re
from collections.abc import Sequence

import pandas as pd

from robust_book.html.markup import Html, lines, text
from robust_book.html.table import table
from robust_lib.results.key_number import anchor
from robust_lib.results.reported import reported
from robust_lib.results.verdicts import Verdict, meaning


def chip(verdict: str, label: str | None = None, href: str | None = None, about: str = "") -> Html:
    """Return the small coloured label of a verdict, as a link if `href` is given.

    Args:
        label: subject of the verdict, before the word.
        about: start of the tooltip, before the meaning of the word.

    Raises:
        InputError: the word is not a verdict.

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


_CORRUPTION = re.compile(r"(?<=corruption=)\w+")
_GRID = 3  # claims that differ by their corruption alone, from which on they are a table
Numbered = tuple[int, Verdict]


def claims(verdicts: Sequence[Verdict]) -> Html:
    """Return a list of claims in the paper's order; empty if there are none.

    Each claim is a sentence with its verdict. The arithmetic, our reading of the paper, and the
    code form that was evaluated are folded below it. Claims that differ only in their corruption
    appear first as a table of verdicts, and then folded one by one.

    >>> claims([]).markup
    ''
    """
    numbered = list(enumerate(verdicts, start=1))
    grids = _grids(numbered)
    held = {number for rows in grids for row in rows for number, _ in row}
    alone = [one for one in numbered if one[0] not in held]
    return lines(*map(_grid, grids), _listed(alone) if alone else None)


def _listed(numbered: Sequence[Numbered]) -> str:
    shown = "\n".join(_claim(one, number) for number, one in numbered)
    return f'<ul class="rb-claims">\n{shown}\n</ul>'


def _grids(numbered: Sequence[Numbered]) -> list[list[list[Numbered]]]:
    """Return the claims of one form as rows that have the same corruptions in the same order."""
    forms: dict[str, list[Numbered]] = {}
    for number, one in numbered:
        judged = one.metric.partition(" if ")[0]
        if len(set(_CORRUPTION.findall(judged))) == 1:
            forms.setdefault(_CORRUPTION.sub("", one.metric), []).append((number, one))
    alike: dict[tuple[str, ...], list[list[Numbered]]] = {}
    for row in forms.values():
        over = tuple(_CORRUPTION.findall(one.metric)[0] for _, one in row)
        if len(row) > 1 and all(one.sentence for _, one in row):
            alike.setdefault(over, []).append(row)
    return [rows for over, rows in alike.items() if len(over) * len(rows) >= _GRID]


def _grid(rows: Sequence[Sequence[Numbered]]) -> Html:
    """Return verdicts as a table: one row for each sentence, one column for each corruption."""
    parts = [_parted([one.sentence for _, one in row]) for row in rows]
    records = []
    for row, (sentence, names) in zip(rows, parts, strict=True):
        chips = [
            chip(one.verdict, href=f"#{anchor(one.item, number)}", about=one.sentence)
            for number, one in row
        ]
        records.append({"The claim": sentence, **dict(zip(names, chips, strict=True))})
    every = sorted((one for row in rows for one in row), key=lambda one: one[0])
    count = f"{len(every)} claims"
    return lines(
        table(
            pd.DataFrame(records),
            caption=f"{count} of the same form, with their verdicts",
            filterable=False,
        ),
        f'<details class="rb-more"><summary>The {count} one by one, with their numbers</summary>',
        _listed(every),
        "</details>",
    )


def _parted(sentences: Sequence[str]) -> tuple[str, list[str]]:
    """Return the common part of sentences, with dots for the differences, and each difference.

    >>> _parted(["It gains nothing on shot noise.", "It gains nothing on fog."])
    ('It gains nothing on \u2026', ['Shot noise', 'Fog'])
    """
    words = [one.rstrip(".").split() for one in sentences]
    ahead = _alike(words)
    behind = _alike([one[ahead:][::-1] for one in words])
    own = [" ".join(one[ahead : len(one) - behind]) for one in words]
    first = words[0]
    shared = [*first[:ahead], "\N{HORIZONTAL ELLIPSIS}", *first[len(first) - behind :]]
    return " ".join(shared), [one[:1].upper() + one[1:] for one in own]


def _alike(texts: Sequence[Sequence[str]]) -> int:
    """Return the number of equal words with which all texts begin."""
    several = [len(set(words)) > 1 for words in zip(*texts, strict=False)]
    return several.index(True) if True in several else len(several)


def sides(verdict: Verdict) -> str:
    """Return the paper's and our numbers of a claim, in words; empty if there are none.

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
    """Return the notes on a claim, such as the source of a threshold; errata are links."""
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
        f'<details class="rb-claim-why"><summary>Why</summary><p>{text(verdict.why)}</p>'
        f"{_note(verdict)}<p><code>{text(verdict.metric)}</code> ({text(verdict.locator)})</p>"
        "</details></li>"
    )
