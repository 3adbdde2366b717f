"""The ledger of a paper: each claim with the paper's numbers, this run's, and a verdict."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from robust_book.html.claims import chip
from robust_book.html.markup import Html, lines, text
from robust_book.sphinx_ext import downloads
from robust_book.sphinx_ext.findings import (
    GIVEN,
    JUDGED,
    Claim,
    claims_of,
    counted,
    different,
)
from robust_book.sphinx_ext.measured import committed
from robust_book.sphinx_ext.page import Page
from robust_lib.config.papers import paper_keys
from robust_lib.errors import InputError, one_of
from robust_lib.results.notation import spelled
from robust_lib.results.reported import CLAIMS, LedgerItem, Reported, ledger, reported
from robust_lib.results.verdicts import VERDICTS, Verdict, tally

_FEW = 3  # numbers that fit into a cell; more are counted


def draw(page: Page, paper: str | None = None) -> Html:
    """Return the rows of a paper, folded for chapters not built; without a paper, the buttons.

    Raises:
        InputError: no paper has this key.
    """
    if paper is None:
        return lines(filters(), downloads.links(page, "ledger", _saved(page)))
    if paper not in paper_keys():
        raise InputError(one_of("paper", paper, paper_keys()))
    items = [item for item in ledger() if item.paper == paper]
    built = [(item, saved) for item in items if (saved := page.item(item.id))]
    absent = [item for item in items if page.item(item.id) is None]
    told = [
        claim.word
        for claim in different([one for _, saved in built for one in claims_of(page, saved)])
    ]
    rows = [row for item, saved in built for row in _rows(page, item, saved, _twins(page, built))]
    return lines(
        f'<p class="rb-counted">{_amount(items, told)} {counted(told)}</p>',
        _table(rows) if rows else None,
        _absent(absent),
    )


def filters() -> Html:
    """Return one button per verdict, which the page's script activates."""
    buttons = "".join(
        f'<button type="button" class="rb-chip rb-{VERDICTS[word].stance}" data-verdict="{word}" '
        f'aria-pressed="false" title="{text(VERDICTS[word].sentence)}">'
        f'<span class="rb-sign" aria-hidden="true">{VERDICTS[word].sign}</span> {word}</button>'
        for word in sorted(VERDICTS, key=lambda word: word not in (*JUDGED, GIVEN))
    )
    return Html(
        f'<div class="rb-ledger-filters" role="group" aria-label="Show only" hidden>'
        f'<span class="rb-label">Show only</span>{buttons}<output></output></div>'
    )


def _amount(items: Sequence[LedgerItem], claims: Sequence[str]) -> str:
    built = f"{len(claims)} claims judged or shown here" if claims else "none of it is built yet"
    return f"{len(items)} figures, tables and claims; {built}."


def _table(rows: Iterable[str]) -> Html:
    heads = "".join(
        f'<th scope="col">{name}</th>'
        for name in ("What the paper says", "The paper", "This run", "Verdict")
    )
    return lines(
        '<div class="rb-wide full-width"><table class="rb-ledger">',
        f"<thead><tr>{heads}</tr></thead>",
        "<tbody>",
        *rows,
        "</tbody></table></div>",
    )


def _saved(page: Page) -> list[dict[str, object]]:
    """Return every verdict of this site, on claims and on numbers, in the ledger's order."""
    known = [(item, page.item(item.id)) for item in ledger()]
    return [
        {"paper": item.paper, "title": item.title, **record}
        for item, saved in known
        if saved is not None
        for record in saved["verdicts"]
    ]


def _twins(page: Page, built: Sequence[tuple[LedgerItem, Mapping[str, Any]]]) -> set[str]:
    """Return the sentences that several items share, with different numbers."""
    claims = different([one for _, saved in built for one in claims_of(page, saved)])
    counts = Counter(claim.sentence for claim in claims)
    return {sentence for sentence, count in counts.items() if count > 1}


def _rows(
    page: Page, item: LedgerItem, saved: Mapping[str, Any], twins: Collection[str]
) -> list[str]:
    """Return one row per claim of a built item, or one with its title if it has no claims.

    Args:
        twins: sentences that must name their item.
    """
    claims = [
        replace(one, sentence=f"{one.sentence} ({item.title})") if one.sentence in twins else one
        for one in claims_of(page, saved)
    ]
    if claims:
        first, *others = claims
        rows = [_row(item, one, _elsewhere(one)) for one in others]
        return [_row(item, first, _elsewhere(first), _anchor(item)), *rows]
    verdicts = [Verdict(**record) for record in saved["verdicts"]]
    shown = Claim(
        item=item.id,
        sentence=item.title,
        paper=printed(reported(item.id)),
        here=ours(verdicts),
        word=saved["verdict"],
        why="",
        place=page.place(item.id) or "",
    )
    return [_row(item, shown, Html(""), _anchor(item))]


def _anchor(item: LedgerItem) -> Html:
    """Return the anchor that an item's block links to; its first row has it."""
    return Html(f' id="ledger-{text(item.id)}"')


def _row(item: LedgerItem, claim: Claim, more: Html, anchor: Html | str = "") -> str:
    cells = [("The paper", claim.paper or "in words"), ("This run", claim.found or "no number")]
    told = "".join(
        f'<td data-label="{name}">{pair(shown)}{more if name == "This run" else ""}</td>'
        for name, shown in cells
    )
    return (
        f'<tr data-item="{text(item.id)}"{anchor} data-verdict="{text(claim.word)}">'
        f'<th scope="row"><a href="{text(claim.place)}">{text(claim.sentence)}</a></th>'
        f"{told}<td>{chip(claim.word)}</td></tr>"
    )


def pair(told: str) -> Html:
    """Return numbers on one line, with an arrow between two compared ones and grey intervals.

    >>> pair("84.6 % against 80.8 %").markup
    '84.6 <span class="rb-arrow" role="img" aria-label="against">→</span> 80.8 %'
    """
    first, against, second = told.partition(" against ")
    if not against or " against " in second:
        return _grey(told)
    units = [set(_UNIT.findall(one)) for one in (first, second)]
    first = _UNIT.sub("", first) if len(units[1]) == 1 and units[0] == units[1] else first
    sign = '<span class="rb-arrow" role="img" aria-label="against">→</span>'
    return Html(f"{_grey(first)} {sign} {_grey(second)}")


_UNIT = re.compile(r"(?<=\d)\s(?:%|points?)(?=\s|$)")


def _grey(told: str) -> Html:
    return Html(re.sub(r"\[[^\]]*\]", r'<span class="rb-ends">\g<0></span>', text(told)))


def _elsewhere(claim: Claim) -> Html:
    """Return verdicts of committed runs on the same claim, such as one on the papers' own data."""
    told = []
    for words, items in committed().items():
        records = (items.get(claim.item) or {}).get("verdicts", [])
        for one in records:
            if one["status"] in CLAIMS and claim.sentence.startswith(one.get("sentence") or "?"):
                shown = f"{words}: {one.get('here') or one['verdict']}"
                told.append(f'<span class="rb-elsewhere">{text(shown)}</span>')
    return Html("".join(told))


def _absent(items: Sequence[LedgerItem]) -> Html | None:
    """Return the items that no built chapter has, folded."""
    if not items:
        return None
    entries = "".join(
        f'<li data-item="{text(item.id)}"{_anchor(item)}>{text(item.title)}: '
        f"{text(_printed_words(item))}</li>"
        for item in items
    )
    return lines(
        '<details class="rb-absent-items" data-verdict="not built">'
        f"<summary>{len(items)} not built yet</summary>",
        f"<ul>{entries}</ul></details>",
    )


def _printed_words(item: LedgerItem) -> str:
    return printed(reported(item.id))


def printed(rows: Sequence[Reported]) -> str:
    """Return the paper's numbers if they are few, or else their count."""
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
    """Return this run's numbers if they are few, or else a tally of the verdicts."""
    numbers = [verdict for verdict in verdicts if verdict.ours is not None]
    if len(numbers) != len(verdicts) or not 0 < len(numbers) <= _FEW:
        return tally(verdicts) or "made anew"
    return ", ".join(one.found for one in numbers)
