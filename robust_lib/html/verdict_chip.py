"""The chip of a verdict: its word, coloured, with a sign that stands for it without colour."""

from robust_lib.html.markup import Html, text
from robust_lib.results.verdicts import meaning


def chip(verdict: str, label: str | None = None, href: str | None = None) -> Html:
    """Return the small coloured word for a verdict, as a link where `href` is given.

    Raises:
        InputError: a word that is no verdict.

    >>> chip("match", href="#inc-tab1").markup.startswith('<a class="rb-chip rb-for"')
    True
    """
    about = meaning(verdict)
    tag, target = ("a", f' href="{text(href)}"') if href else ("span", "")
    words = text(verdict) if label is None else f"{text(label)} <b>{text(verdict)}</b>"
    return Html(
        f'<{tag} class="rb-chip rb-{about.stance}"{target} title="{text(about.sentence)}">'
        f'<span class="rb-sign" aria-hidden="true">{about.sign}</span> {words}</{tag}>'
    )
