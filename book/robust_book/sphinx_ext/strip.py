"""The strip under a chapter's title: the verdicts on its claims, each a link down the page."""

from collections.abc import Sequence

from robust_book.html.claims import chip
from robust_book.html.markup import Html, lines, text
from robust_book.sphinx_ext.findings import Claim, claims_of, short
from robust_book.sphinx_ext.page import Page
from robust_book.sphinx_ext.scoreboard import WORDS
from robust_lib.results.verdicts import VERDICTS

_SHOWN = 5  # chips in sight; more are folded


def draw(page: Page, notebook: str | None = None) -> Html:
    """Return the strip of a chapter, by default of the page's own.

    Raises:
        InputError: the chapter is not part of this site.
    """
    _, saved = page.chapter(notebook)
    claims = [claim for item in saved["items"] for claim in claims_of(page, item)]
    # What a table and a figure both claim stands once.
    once = {(claim.sentence, claim.word): claim for claim in reversed(claims)}
    claims = [claim for claim in claims if once[claim.sentence, claim.word] is claim]
    order = list(VERDICTS)
    judged = sorted(
        (claim for claim in claims if claim.word in WORDS),
        key=lambda claim: order.index(claim.word),
    )
    others_told = [claim for claim in claims if claim.word not in WORDS]
    spoken = {claim.item for claim in claims}
    others = [item for item in saved["items"] if item["item"] not in spoken]
    return lines(
        '<div class="rb-strip">',
        f'<p class="rb-badge"><span class="rb-label">This run</span> {text(saved["words"])}</p>',
        _chips(judged[:_SHOWN], "Claims of the paper, and what became of them here"),
        _folded(judged[_SHOWN:], "more claims"),
        _folded(others_told, "claims that this run cannot judge"),
        _without_claims(page, others),
        '<p class="rb-code"></p>',
        "</div>",
    )


def _chips(claims: Sequence[Claim], name: str) -> Html | None:
    if not claims:
        return None
    chips = (
        f"<li>{chip(one.word, short(one.sentence), one.place, about=one.sentence)}</li>"
        for one in claims
    )
    return lines(f'<ul class="rb-chips" aria-label="{text(name)}">', *chips, "</ul>")


def _folded(claims: Sequence[Claim], words: str) -> Html | None:
    if not claims:
        return None
    said = words if len(claims) > 1 else words.replace("claims that", "claim that").rstrip("s")
    return lines(
        f'<details class="rb-more"><summary>{len(claims)} {text(said)}</summary>',
        _chips(claims, said),
        "</details>",
    )


def _without_claims(page: Page, items: Sequence[dict[str, str]]) -> Html | None:
    """Return links to the figures and tables of which the paper claims nothing, folded."""
    if not items:
        return None
    links = "".join(
        f'<li><a href="{text(page.place(item["item"]))}">{text(item["title"])}</a></li>'
        for item in items
    )
    count = "1 figure or table" if len(items) == 1 else f"{len(items)} figures and tables"
    return lines(
        f'<details class="rb-more"><summary>{count} shown without a claim</summary>',
        f"<ul>{links}</ul></details>",
    )
