"""The words of a verdict, how an item's verdicts add up, and the chip that shows them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from robust_lib.errors import InputError, one_of
from robust_lib.html.markup import Html, text

# From the most to the least telling: an item with several verdicts carries the first one found.
# word -> (family that colours it, sign that stands for it without colour, what it means)
VERDICTS: dict[str, tuple[str, str, str]] = {
    "does not hold": ("against", "✗", "the direction the paper states is not seen here"),
    "differs": ("against", "≠", "comparable, and the paper's number lies outside our interval"),
    "holds": ("for", "✓", "the direction the paper states is seen here too"),
    "within interval": ("for", "≈", "comparable, and the paper's number lies in our interval"),
    "match": ("for", "=", "the same number to the last printed digit"),
    "not comparable": ("open", "○", "other data or another model: shown beside, not judged"),
    "missing": ("open", "–", "the paper prints it and this run did not compute it"),
    "shown": ("open", "◇", "the paper prints no number here; the figure or list is made anew"),
    "not built": ("absent", "·", "the chapter is not part of this site yet"),
}


def overall(verdicts: Sequence[Mapping[str, Any]]) -> str:
    """Return the one word for an item: its most telling verdict, "shown" when there is none.

    >>> overall([{"verdict": "not comparable"}, {"verdict": "holds"}])
    'holds'
    """
    found = {_known(str(verdict["verdict"])) for verdict in verdicts}
    return next((word for word in VERDICTS if word in found), "shown")


def tally(verdicts: Sequence[Mapping[str, Any]]) -> str:
    """Return how many verdicts there are of each word, in words.

    >>> tally([{"verdict": "holds"}, {"verdict": "holds"}, {"verdict": "not comparable"}])
    '2 holds, 1 not comparable'
    """
    counts = Counter(_known(str(verdict["verdict"])) for verdict in verdicts)
    return ", ".join(f"{counts[word]} {word}" for word in VERDICTS if counts[word])


def chip(verdict: str, label: str | None = None, href: str | None = None) -> Html:
    """Return the small coloured word for a verdict, as a link where `href` is given.

    Raises InputError for a word that is no verdict.
    """
    family, sign, meaning = VERDICTS[_known(verdict)]
    tag, target = ("a", f' href="{text(href)}"') if href else ("span", "")
    words = text(verdict) if label is None else f"{text(label)} <b>{text(verdict)}</b>"
    return Html(
        f'<{tag} class="rb-chip rb-{family}"{target} title="{text(meaning)}">'
        f'<span class="rb-sign" aria-hidden="true">{sign}</span> {words}</{tag}>'
    )


def _known(verdict: str) -> str:
    if verdict not in VERDICTS:
        raise InputError(one_of("verdict", verdict, VERDICTS))
    return verdict
