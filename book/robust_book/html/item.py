"""The block of one ledger item: the paper's results, this run's, and their comparison."""

from collections.abc import Sequence

import pandas as pd

from robust_book.html.claims import chip, claims
from robust_book.html.markup import Html, lines, text
from robust_book.html.svg import theme_svg
from robust_book.html.table import table
from robust_lib.config.manifests import model_title
from robust_lib.results.notation import spelled
from robust_lib.results.reported import CLAIMS, LedgerItem
from robust_lib.results.verdicts import Verdict, overall, tally

_BESIDE = ("not comparable", "missing")


def block(
    item: LedgerItem,
    *,
    words: str,
    alt: str,
    convention: str,
    verdicts: Sequence[Verdict],
    command: str,
    drawn: tuple[str, str | None] | None = None,
    table_html: Html | str | None = None,
    reported_html: Html | str | None = None,
    downloads: Sequence[tuple[str, str]] = (),
) -> Html:
    """Return the block of one item as a section whose anchor is the ledger id.

    Args:
        words: the run in words, e.g. "miniature on icon art, 60 classes, 1 seed".
        alt: content of the figure, in a sentence.
        convention: normaliser, mask, bins, n, interval: everything that defines the numbers.
        drawn: the figure's SVG file as text, and the version for a phone, None if it is the same.
        table_html: this run's table; see `html.table`.
        downloads: (label, address) of the files behind the block.
    """
    key = text(item.id.lower())
    figure = drawn and theme_svg(drawn[0], prefix=key, title=alt, narrow=drawn[1])
    verdict = overall(verdicts)
    return lines(
        f'<section class="rb-item" id="{key}" data-verdict="{text(verdict)}" '
        f'aria-labelledby="{key}-heading">',
        f'<h3 id="{key}-heading" class="rb-heading">{text(item.title)} '
        f'<a class="headerlink" href="#{key}" title="Link here">#</a></h3>',
        f'<p class="rb-badge"><span class="rb-label">This run</span> {text(words)}</p>',
        f'<p class="rb-shows"><span class="rb-label">The paper</span> {text(item.shows)}</p>',
        f'<figure class="rb-figure">{figure}</figure>' if figure else None,
        _side_by_side(table_html, reported_html),
        f'<p class="rb-convention"><span class="rb-label">Convention</span> {text(convention)}</p>',
        _judged(verdict, verdicts, item.id),
        _foot(item.id, downloads, command),
        "</section>",
    )


def loose(
    name: str, drawn: Html, *, caption: str, downloads: Sequence[tuple[str, str]], folded: bool
) -> Html:
    """Return a figure that belongs to no item, with its caption and the files behind it.

    Args:
        folded: whether only the caption is visible until the figure is opened.
    """
    links = " · ".join(f'<a href="{href}" download>{label}</a>' for label, href in downloads)
    if folded:
        shown = f'<figure class="rb-figure" id="{name}">{drawn}</figure>'
        summary = f"<summary>{text(caption)}</summary>"
        taken = f'<p class="rb-small rb-take">{links}</p>'
        return Html(f'<details class="rb-aside">{summary}{shown}{taken}</details>')
    below = f'<figcaption class="rb-convention">{text(caption)} {links}</figcaption>'
    return Html(f'<figure class="rb-figure" id="{name}">{drawn}{below}</figure>')


def _side_by_side(ours: Html | str | None, reported: Html | str | None) -> str | None:
    shown = [("This run", ours), ("The paper", reported)]
    parts = [
        f'<div class="rb-side"><p class="rb-side-title">{name}</p>{markup}</div>'
        for name, markup in shown
        if markup is not None
    ]
    return f'<div class="rb-sides">{"".join(parts)}</div>' if parts else None


def _judged(word: str, verdicts: Sequence[Verdict], name: str) -> Html | str:
    if not verdicts:
        return f'<p class="rb-verdict">{chip(word)} The paper prints no number here.</p>'
    said = [one for one in verdicts if one.status in CLAIMS]
    numbers = [one for one in verdicts if one.status not in CLAIMS]
    judged = [one for one in numbers if one.verdict not in _BESIDE]
    beside = [one for one in numbers if one.verdict in _BESIDE]
    return lines(
        claims(said),
        _folded(judged, f"Comparison of the numbers of {name}"),
        _folded(beside, f"Numbers of {name} that are shown but not judged"),
    )


def _folded(verdicts: Sequence[Verdict], caption: str) -> Html | None:
    """Return a folded table of numbers, counted by their verdicts; None if there are none."""
    if not verdicts:
        return None
    arithmetic = pd.DataFrame(
        {
            "What": [_what(one) for one in verdicts],
            "Paper": [spelled(one.reported, one.unit) for one in verdicts],
            "This run": [one.found for one in verdicts],
            "n": pd.Series([one.n for one in verdicts], dtype="Int64"),
            "Verdict": [chip(one.verdict) for one in verdicts],
            "Why": [one.why for one in verdicts],
        }
    )
    return lines(
        '<details class="rb-verdict">',
        f"<summary>The numbers: {text(tally(verdicts))}</summary>",
        table(arithmetic, caption=caption),
        "</details>",
    )


def _foot(name: str, downloads: Sequence[tuple[str, str]], command: str) -> Html:
    links = "".join(
        f'<li><a href="{text(href)}" download>{text(label)}</a></li>' for label, href in downloads
    )
    paper = f"_static/reported/{name.partition('-')[0]}.csv"
    printed = f'<li><a href="{text(paper)}" download>the paper\'s numbers</a></li>'
    return lines(
        '<div class="rb-foot">',
        f'<ul class="rb-downloads" aria-label="Downloads">{links}{printed}</ul>',
        '<details class="rb-again"><summary>Make it again</summary>',
        f'<pre tabindex="0"><code>{text(command)}</code></pre>'
        f'<p>In the ledger: <a href="ledger.html#ledger-{text(name)}"><code>{text(name)}</code></a>'
        "</p></details></div>",
    )


def _what(verdict: Verdict) -> str:
    model = verdict.model and model_title(verdict.model)
    words = [one and one.replace("_", " ") for one in (verdict.metric, verdict.corruption)]
    parts = [words[0], model, words[1], verdict.dataset]
    numbered = [("severity", verdict.severity), ("k", verdict.k)]
    parts += [f"{key} {value}" for key, value in numbered if value is not None]
    return " · ".join(part for part in parts if part)
