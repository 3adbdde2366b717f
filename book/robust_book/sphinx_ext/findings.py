"""Claims of saved runs and their verdicts: as text, in a chapter's strip, on the scoreboard."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from robust_book.html.claims import chip
from robust_book.html.markup import Html, lines, text
from robust_book.html.table import table
from robust_book.sphinx_ext.page import Page
from robust_lib.config.papers import PaperCard
from robust_lib.config.withheld import WITHHELD
from robust_lib.results.key_number import anchor
from robust_lib.results.reported import CLAIMS, ledger, reported
from robust_lib.results.verdicts import VERDICTS, Verdict


@dataclass(frozen=True)
class Claim:
    """One claim of a paper, with this run's verdict.

    Attributes:
        paper: the paper's numbers, empty if it prints none.
        here: this run's numbers, empty if it computed none.
        place: address of its block on the site.
        code: the claim itself, with its data set; the same claim of two items counts once.
    """

    item: str
    sentence: str
    paper: str
    here: str
    word: str
    why: str
    place: str
    code: tuple[str, str | None] = ("", None)

    @property
    def found(self) -> str:
        """Return this run's numbers, or the number of networks for which the claim holds."""
        if self.word == "missing":
            return ""
        return unbroken(self.here or self.why.partition(" (")[0])


def claims_of(page: Page, saved: Mapping[str, Any]) -> list[Claim]:
    """Return the claims of a saved item, in the paper's order."""
    verdicts = [Verdict(**record) for record in saved["verdicts"]]
    said = [one for one in verdicts if one.status in CLAIMS]
    home = (page.place(saved["item"]) or "").partition("#")[0]
    home = home.removeprefix(f"{page.name}.html")  # on its own page a link stays there
    return [
        Claim(
            item=saved["item"],
            sentence=one.sentence or saved["title"],
            paper=unbroken(one.paper),
            here=one.here,
            word=one.verdict,
            why=one.why,
            place=f"{home}#{anchor(saved['item'], number)}",
            code=(one.metric, one.dataset),
        )
        for number, one in enumerate(said, start=1)
    ]


def different(claims: Sequence[Claim]) -> list[Claim]:
    """Return the claims without duplicates: a claim of both a table and a figure counts once.

    If it has several verdicts, the first of the most informative ones is kept.
    """
    order = list(VERDICTS)
    once: dict[tuple[str, str | None], Claim] = {}
    for claim in claims:
        known = once.setdefault(claim.code, claim)
        if order.index(claim.word) < order.index(known.word):
            once[claim.code] = claim
    return list(once.values())


def unbroken(numbers: str) -> str:
    """Return numbers with spaces that do not break before a unit or within an interval."""
    return re.sub(r"(?<=[\d%]) (?=[%\[])|(?<=,) (?=[−\d.]+\])", "\u00a0", numbers)


def short(sentence: str) -> str:
    """Return the short form of a sentence, without its full stop and the part after a colon.

    >>> short("mCE falls step by step: AlexNet, VGG-11, ResNet-50.")
    'mCE falls step by step'
    """
    return sentence.rstrip(".").partition(":")[0]


def counted(words: Iterable[str]) -> Html:
    """Return the number of each verdict as labels, the most informative first."""
    counts = Counter(words)
    shown = (chip(word, str(counts[word])) for word in VERDICTS if counts[word])
    return Html(" ".join(one.markup for one in shown))


def in_words(words: Sequence[str]) -> str:
    """Return the number of claims with each verdict, in the form of a sentence.

    >>> in_words(["holds", "not decided", "holds"])
    '2 hold and 1 is not decided'
    """
    counts = Counter(words)
    parts = [f"{counts[word]} {_VERBS[word][counts[word] > 1]}" for word in _VERBS if counts[word]]
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


_VERBS: Mapping[str, tuple[str, str]] = {
    "holds": ("holds", "hold"),
    "does not hold": ("does not hold", "do not hold"),
    "not decided": ("is not decided", "are not decided"),
    "premise fails": ("has a premise that fails", "have premises that fail"),
    "missing": ("was not computed", "were not computed"),
}


def sides(claim: Claim) -> Html:
    """Return the paper's numbers and this run's, one line each."""
    shown = [("The paper", claim.paper), ("This run", claim.found)]
    return Html(
        "".join(
            f'<span class="rb-side-of"><span class="rb-label">{side}</span> {text(numbers)}</span>'
            for side, numbers in shown
            if numbers
        )
    )


def strip(page: Page, notebook: str | None = None) -> Html:
    """Return the strip of a chapter, by default the page's own: a line of counts that unfolds.

    Raises:
        InputError: the chapter is not part of this site.
    """
    _, saved = page.chapter(notebook)
    claims = [claim for item in saved["items"] for claim in claims_of(page, item)]
    spoken = {claim.item for claim in claims}  # an item whose claim another has, too, is one
    claims, order = different(claims), list(VERDICTS)
    judged = sorted(
        (claim for claim in claims if claim.word in JUDGED),
        key=lambda claim: order.index(claim.word),
    )
    given = [claim for claim in claims if claim.word == GIVEN]
    others_told = [claim for claim in claims if claim.word not in (*JUDGED, GIVEN)]
    others = [item for item in saved["items"] if item["item"] not in spoken]
    named = _told_apart(claims, saved)
    withheld = saved.get("pictures") == WITHHELD
    grey = "; images that may not be redistributed are grey" if withheld else ""
    return lines(
        '<div class="rb-strip">',
        '<details class="rb-counts"><summary><span class="rb-label">Claims</span> '
        f"{counted(claim.word for claim in claims).markup or 'none of the paper'}</summary>",
        _chips(judged, "Claims of the paper, with their verdicts in this run", named),
        _folded(given, "claims settled by construction", named),
        _folded(others_told, "claims that this run cannot judge", named),
        _without_claims(page, others),
        _whose(saved, judged),
        "</details>",
        '<p class="rb-badge"><span class="rb-label">This run</span> '
        f"{text(saved['words'])}{grey}</p>",
        '<p class="rb-code"></p>',
        "</div>",
    )


def _told_apart(claims: Sequence[Claim], saved: Mapping[str, Any]) -> Mapping[str, str]:
    """Return place of a claim -> its text; claims with equal texts also name their tables."""
    titles = {item["item"]: str(item["title"]) for item in saved["items"]}
    alike = Counter(claim.sentence for claim in claims)
    return {
        claim.place: short(claim.sentence)
        if alike[claim.sentence] == 1
        else f"{short(claim.sentence)} ({titles[claim.item].rstrip('.?')})"
        for claim in claims
    }


def _whose(saved: Mapping[str, Any], judged: Sequence[Claim]) -> Html | None:
    """Return the sentence on the networks that a chapter's verdicts concern."""
    if not judged:
        return None
    if len(saved["provenance"].get("seeds", ())) > 1:
        said = "These verdicts are based on several trainings of each network."
    else:
        said = (
            "These verdicts apply to these weights: each network was trained once, and other seeds "
            "may give different verdicts."
        )
    return Html(f'<p class="rb-small">{said}</p>')


def _chips(claims: Sequence[Claim], name: str, named: Mapping[str, str]) -> Html | None:
    if not claims:
        return None
    chips = (
        f"<li>{chip(one.word, named[one.place], one.place, about=one.sentence)}</li>"
        for one in claims
    )
    return lines(f'<ul class="rb-chips" aria-label="{text(name)}">', *chips, "</ul>")


def _folded(claims: Sequence[Claim], words: str, named: Mapping[str, str]) -> Html | None:
    if not claims:
        return None
    said = words if len(claims) > 1 else words.replace("claims", "claim")
    return lines(
        f'<details class="rb-more"><summary>{len(claims)} {text(said)}</summary>',
        _chips(claims, said, named),
        "</details>",
    )


def _without_claims(page: Page, items: Sequence[dict[str, str]]) -> Html | None:
    """Return folded links to the figures and tables without claims."""
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


PREMISE = "premise fails"
JUDGED = ("holds", "does not hold", "not decided", PREMISE)
GIVEN = "by construction"
"""The word of claims that follow by construction: off the count of those that are tested."""
NOT_HERE = "not computed"


def scoreboard(page: Page) -> Html:
    """Return one row per paper, its verdicts as a bar and as counts, and the meaning of words."""
    counted = counts(page)
    sums = counted.drop(columns="Paper").sum(axis=1)
    shares = 100 * sums / max(sums.max(), 1)
    bars = [_bar(row, share) for (_, row), share in zip(counted.iterrows(), shares, strict=True)]
    counted.insert(1, "In one bar", bars)
    return lines(
        table(
            counted,
            caption="Claims of each paper, by their verdict in this run",
            filterable=False,
        ),
        '<ul class="rb-words">',
        *(f"<li>{chip(word)} {text(VERDICTS[word].sentence)}</li>" for word in (*JUDGED, GIVEN)),
        f'<li><span class="rb-chip rb-absent">{NOT_HERE}</span> this run has no results for it, '
        "or the claim names an accuracy that only the paper's own data and networks can have, or "
        "its chapter is not built yet</li>",
        "</ul>",
    )


def counts(page: Page) -> pd.DataFrame:
    """Return the number of claims of each paper by verdict, and the number not computed here."""
    rows = []
    for paper in page.papers:
        told = words_of(page, paper)
        shown = {word: told[word] for word in (*JUDGED, GIVEN)}
        absent = sum(told.values()) - sum(shown.values())
        rows.append({"Paper": paper.short, **shown, NOT_HERE: absent})
    return pd.DataFrame(rows)


def words_of(page: Page, paper: PaperCard) -> Counter[str]:
    """Return the number of claims of a paper by verdict; those not computed are "missing"."""
    items = [item.id for item in ledger() if item.paper == paper.key]
    saved = [found for name in items if (found := page.item(name))]
    known = different([claim for one in saved for claim in claims_of(page, one)])
    all_of_them = {(row.metric, row.dataset) for row in reported(paper.key) if row.is_claim}
    absent = len(all_of_them - {claim.code for claim in known})
    return Counter(claim.word for claim in known) + Counter(missing=absent)


def _bar(row: pd.Series, wide: float) -> Html:
    """Return the counts as a bar with a width in percent; columns next to it have the numbers."""
    parts = "".join(
        f'<i class="rb-{VERDICTS[word].stance}{" rb-premise" * (word == PREMISE)}" '
        f'style="flex-grow: {row[word]}"></i>'
        for word in (*JUDGED, GIVEN)
        if row[word]
    )
    if row[NOT_HERE]:
        parts += f'<i class="rb-absent" style="flex-grow: {row[NOT_HERE]}"></i>'
    return Html(
        f'<span class="rb-bar" aria-hidden="true" style="width: {wide:.1f}%">{parts}</span>'
    )
