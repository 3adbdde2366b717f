"""The chip of a verdict: its word, coloured, with a sign that stands for it without colour."""

from robust_book.html.markup import Html, text
from robust_lib.results.verdicts import meaning


def chip(verdict: str, label: str | None = None, href: str | None = None, about: str = "") -> Html:
    """Return the small coloured word for a verdict, as a link where `href` is given.

    Args:
        verdict: the word.
        label: what it is about, before the word.
        href: where it leads.
        about: in the tip, before what the word means.

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
