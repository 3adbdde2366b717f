"""One card per corruption: what it does, its formula, its constants under its pictures."""

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from robust_book.chapters.inc_1_corruptions.explorer import ADDRESS
from robust_book.html.markup import Html, lines, text
from robust_book.html.table import table
from robust_lib.config.corruption_cards import Constant, Cost, Entry, cost_of
from robust_lib.vocabulary import SEVERITIES, corruption_title

PEER = "imagecorruptions"
_MATHS = 'class="math notranslate nohighlight"'
_BETWEEN_DOLLARS = re.compile(r"\$([^$]+)\$")


def cards(
    names: Sequence[str],
    entries: Mapping[str, Entry],
    measured: Sequence[Cost],
    errors: Mapping[str, np.ndarray],
    *,
    picture: str,
    severity: int,
) -> Html:
    """Return one section per corruption, with the corruption's name as its anchor.

    Args:
        names: the corruptions of a family.
        entries: corruption -> its card.
        measured: what they cost; empty if that was not measured.
        errors: corruption -> AlexNet's error at each severity, fractions; not all have one.
        picture: name of the one under the corruptions.
        severity: the one whose cost is named.
    """
    at = ADDRESS.replace("{picture}", picture)
    return lines(
        *(
            _card(
                name,
                entries[name],
                at,
                _cost(cost_of(name, tuple(measured), severity)),
                errors.get(name),
            )
            for name in names
        )
    )


def overview(
    families: Mapping[str, Sequence[str]],
    entries: Mapping[str, Entry],
    errors: Mapping[str, np.ndarray],
) -> Html:
    """Return a table of all corruptions: family, chance, and AlexNet's error at each severity.

    Args:
        entries: corruption -> its card.
        errors: corruption -> AlexNet's error at each severity, fractions; not all have one.
    """
    rows = [(family, name) for family, names in families.items() for name in names]
    frame = pd.DataFrame(
        {
            "Corruption": [
                Html(f'<a href="#{text(name)}">{text(corruption_title(name))}</a>')
                for _, name in rows
            ],
            "Family": [family for family, _ in rows],
            "Random": ["yes" if entries[name].draws else "no" for _, name in rows],
        }
        | {
            f"Severity {severity}": [
                100 * errors[name][place] if name in errors else None for _, name in rows
            ]
            for place, severity in enumerate(SEVERITIES)
        }
    )
    caption = "The corruptions, and AlexNet's top-1 error (%) on each cell of the archive"
    return table(frame, caption=caption, decimals=0)


def maths(prose: str) -> Html:
    r"""Return prose as markup, with what stands between dollars as TeX.

    >>> maths("a < $b$").markup
    'a &lt; <span class="math notranslate nohighlight">\\(b\\)</span>'
    """
    parts = _BETWEEN_DOLLARS.split(prose)
    pieces = (
        f"<span {_MATHS}>\\({text(part)}\\)</span>" if place % 2 else text(part)
        for place, part in enumerate(parts)
    )
    return Html("".join(pieces))


def _card(name: str, entry: Entry, address: str, cost: str, errors: np.ndarray | None) -> Html:
    title, key = text(corruption_title(name)), text(name)
    chance = f"Random: {entry.draws}." if entry.draws else "Deterministic: nothing is drawn."
    facts = [
        ("Chance", chance),
        ("Quirk", entry.quirk),
        ("Convention", entry.convention),
        ("Cost", cost),
    ]
    return lines(
        f'<section class="rb-corruption" id="{key}" aria-labelledby="{key}-name">',
        f'<h3 id="{key}-name">{title} <a class="headerlink" href="#{key}" title="Link here">#</a>'
        f'<a class="rb-see" href="#explorer" data-corruption="{key}">See it on other pictures</a>'
        "</h3>",
        f"<p>{maths(entry.says)}</p>",
        f"<div {_MATHS}>\\[{text(entry.formula)}\\]</div>",
        f'<p class="rb-where">{maths(entry.where)}</p>' if entry.where else None,
        f'<div class="rb-scroll" role="region" tabindex="0" aria-label="{title} by severity">',
        f'<table class="rb-table rb-severities"><thead><tr><th scope="col">Severity</th>'
        f"{_heads()}</tr></thead><tbody>",
        f'<tr class="rb-seen"><td></td>{_pictures(name, address)}</tr>',
        *(_constant(one) for one in entry.constants),
        _errors(errors) if errors is not None else None,
        "</tbody></table></div>",
        '<dl class="rb-facts">',
        *(f"<dt>{head}</dt><dd>{maths(fact)}</dd>" for head, fact in facts if fact),
        "</dl></section>",
    )


def _heads() -> str:
    return "".join(f'<th scope="col" class="rb-num">{severity}</th>' for severity in SEVERITIES)


def _pictures(name: str, address: str) -> str:
    return "".join(
        f'<td><img src="{text(address.format(corruption=name, severity=severity))}" '
        f'alt="{text(corruption_title(name))}, severity {severity}" width="224" height="224" '
        'loading="lazy"></td>'
        for severity in SEVERITIES
    )


def _constant(one: Constant) -> str:
    values = "".join(f'<td class="rb-num">{value:g}</td>' for value in one.values)
    return f'<tr><th scope="row">{maths(f"${one.symbol}$")} {text(one.words)}</th>{values}</tr>'


def _errors(errors: np.ndarray) -> str:
    values = "".join(f'<td class="rb-num">{100 * value:.0f}</td>' for value in errors)
    return f'<tr class="rb-harm"><th scope="row">AlexNet errs (%)</th>{values}</tr>'


def _cost(cost: Cost | None) -> str:
    if cost is None:
        return "Not measured yet."
    ours = f"{_digits(cost.ours_ms)} ms a picture at severity {cost.severity}"
    if cost.peer_ms is None:
        return f"{ours}; {PEER} does not have it."
    ratio = cost.peer_ms / cost.ours_ms
    return f"{ours}; {PEER} takes {_digits(cost.peer_ms)} ms, {ratio:.1f} times as long."


def _digits(milliseconds: float) -> str:
    """Return two digits that count, and never a power of ten."""
    return f"{milliseconds:,.0f}" if milliseconds >= 10 else f"{milliseconds:.2g}"
