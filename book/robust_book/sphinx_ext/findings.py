"""Claims of saved runs, as strip, ledger and start page tell them."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from robust_book.html.claims import chip
from robust_book.html.markup import Html, text
from robust_book.sphinx_ext.page import Page
from robust_lib.results.claim_numbers import anchor
from robust_lib.results.reported import CLAIMS
from robust_lib.results.verdicts import VERDICTS, Verdict

_SHORT = 80  # letters of a chip


@dataclass(frozen=True)
class Claim:
    """One claim of a paper, and what this run says of it.

    Attributes:
        paper: its numbers, empty where it prints none.
        here: this run's numbers, empty where it computed none.
        place: where on the site its block stands.
    """

    item: str
    sentence: str
    paper: str
    here: str
    word: str
    why: str
    place: str

    @property
    def found(self) -> str:
        """Return this run's numbers, or of how many networks the claim holds; empty for none."""
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
            why=one.arithmetic,
            place=f"{home}#{anchor(saved['item'], number)}",
        )
        for number, one in enumerate(said, start=1)
    ]


def unbroken(numbers: str) -> str:
    """Return numbers that lines do not part from their units, nor an interval in two."""
    return re.sub(r"(?<=[\d%]) (?=[%\[])|(?<=,) (?=[−\d.]+\])", "\u00a0", numbers)


def short(sentence: str, most: int = _SHORT) -> str:
    """Return the short form of a sentence: without its point and what follows a colon.

    >>> short("mCE falls step by step: AlexNet, VGG-11, ResNet-50.")
    'mCE falls step by step'
    """
    words = sentence.rstrip(".").partition(":")[0]
    if len(words) <= most:
        return words
    return re.sub(r"[\s,]+\S*$", "", words[: most - 1]) + "…"


def counted(words: Iterable[str]) -> Html:
    """Return how many there are of each verdict, as chips, the most telling first."""
    counts = Counter(words)
    shown = (chip(word, str(counts[word])) for word in VERDICTS if counts[word])
    return Html(" ".join(one.markup for one in shown))


def in_words(words: Sequence[str]) -> str:
    """Return how many claims there are of each verdict, as a sentence has them.

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
    """Return the paper's numbers and this run's, a line each."""
    shown = [("The paper", claim.paper), ("This run", claim.found)]
    return Html(
        "".join(
            f'<span class="rb-side-of"><span class="rb-label">{side}</span> {text(numbers)}</span>'
            for side, numbers in shown
            if numbers
        )
    )
