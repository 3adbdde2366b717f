"""The corruptions [inc, sec. 3.1]: galleries, cards and an explorer."""

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from robust_book.chapters.inc_1_corruptions import explorer, showcase
from robust_book.chapters.inc_1_corruptions.explorer import ADDRESS
from robust_book.chapters.inc_1_corruptions.showcase import (
    CAPTIONS,
    Sample,
    counts,
    frost_convention,
    gallery,
    severities,
)
from robust_book.figures import curves, image_grids
from robust_book.html.markup import Html, lines, text
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.config.corruption_cards import Constant, Cost, Entry, catalogue, cost_of, costs
from robust_lib.results.key_number import KeyNumber
from robust_lib.results.notation import listed
from robust_lib.results.reported import alexnet_errors
from robust_lib.results.table import Results
from robust_lib.run.chapter import Chapter
from robust_lib.vocabulary import (
    CATEGORIES,
    COMMON,
    EXTRA,
    OWN,
    SEVERITIES,
    corruption_label,
    corruption_title,
)

CHAPTER = Chapter(
    "inc_1_corruptions",
    description="photographs bundled with scikit-learn and matplotlib, and images of the "
    "profile's data",
    checks=(showcase.require,),
)


def explore(samples: Mapping[str, Sample], picture: str, corruption: str, severity: int) -> Html:
    """Return the explorer, which starts with the given image, corruption and severity.

    >>> samples = {"china": Sample("China", showcase.photograph("china", side=32))}
    >>> texts(explore(samples, "china", "fog", 3), "legend")
    ['Image', 'Noise', 'Blur', 'Weather', 'Digital', 'Extra', 'Occlusion']
    """
    return explorer.explorer(
        samples,
        catalogue(),
        CATEGORIES,
        picture=picture,
        corruption=corruption,
        severity=severity,
        convention=f"{_storage()} Photographs have 224 pixels; lengths scale with the side of "
        "smaller images. Images are shown as WebP files.",
    )


def fifteen(page: Page, samples: Mapping[str, Sample], picture: str, severity: int) -> Html:
    """Return Figure 1: an image under each of the fifteen corruptions."""
    return page.item(
        "inc-fig1",
        counts(COMMON),
        figure=image_grids.corruptions(
            gallery(samples[picture].picture, COMMON, severity, key=picture),
            COMMON,
            columns=5,
            size=1.4,
        ),
        alt=f"One photograph under each of the fifteen corruptions at severity {severity}.",
        convention=f"Severity {severity} of 5, 224 pixels. {_storage()}",
    )


def five_severities(
    page: Page, samples: Mapping[str, Sample], picture: str, corruption: str
) -> Html:
    """Return Figure 6: an image, clean and at the five severities of a corruption."""
    return page.item(
        "inc-fig6",
        counts([corruption], item="inc-fig6"),
        figure=image_grids.grid(
            severities(samples[picture].picture, corruption, key=picture),
            CAPTIONS,
            columns=3,
            size=2.33,
        ),
        alt=f"A photograph clean and at five severities of {corruption_label(corruption).lower()}.",
        convention=f"224 pixels. {_storage()}",
    )


def four_more(page: Page, samples: Mapping[str, Sample], picture: str, severity: int) -> Html:
    """Return Figure 7: an image under the four extra corruptions."""
    return page.item(
        "inc-fig7",
        counts(EXTRA, item="inc-fig7"),
        figure=image_grids.corruptions(
            gallery(samples[picture].picture, EXTRA, severity, key=picture),
            EXTRA,
            columns=4,
            size=1.75,
        ),
        alt=f"One photograph under the four extra corruptions at severity {severity}.",
        convention=f"Severity {severity} of 5, 224 pixels. {_storage()}",
    )


def family(name: str, picture: str, severity: int) -> Html:
    """Return the cards of a family of corruptions, a key of `CATEGORIES`.

    Corruptions from no paper follow the occlusions, which are not part of ImageNet-C either.
    """
    return cards(
        CATEGORIES[name] + (OWN if name == "occlusion" else ()),
        catalogue(),
        costs(),
        alexnet_errors(),
        picture=picture,
        severity=severity,
    )


def by_severity(page: Page) -> Html:
    """Return AlexNet's published error by severity, with the steps at which the error falls.

    >>> "Elastic" in texts(by_severity(page), "text")
    True
    """
    errors = {
        corruption_label(name): [100 * float(one) for one in alexnet_errors()[name]]
        for name in (*COMMON, *EXTRA)
    }
    falls = [name for name, values in errors.items() if min(np.diff(values)) < 0]
    return page.figure(
        "fig-severities",
        curves.rising(errors, ylabel="AlexNet's top-1 error (%)"),
        caption="AlexNet's published error at each severity of the nineteen corruptions. Thick "
        "segments slope downwards: there, the error is lower at the higher severity.",
        alt=f"Error against severity, one line for each of {len(errors)} corruptions; the error "
        f"falls at some step for {listed(falls)}.",
        description="published errors of AlexNet on ImageNet-C",
    )


def at_a_glance() -> Html:
    """Return the table of all corruptions."""
    return overview(CATEGORIES, catalogue(), alexnet_errors())


def results(corruption: str) -> Results:
    """Return the rows of the page: the numbers of corruptions and severities in its figures."""
    fig6, fig7 = counts([corruption], item="inc-fig6"), counts(EXTRA, item="inc-fig7")
    return counts(COMMON) + fig6 + fig7


def key_numbers() -> dict[str, KeyNumber]:
    """Return the numbers in the prose: corruptions whose error falls at some higher severity.

    The errors are AlexNet's, as measured by the benchmark's authors.

    >>> numbers = key_numbers()
    >>> numbers["not_monotone"].text, numbers["largest_fall"].text
    ('snow, elastic, saturate', 'elastic: 70.1 % at severity 2, 55.7 % at severity 3')
    """
    errors = {name: alexnet_errors()[name] for name in (*COMMON, *EXTRA)}
    falls = {name: np.diff(error).min() for name, error in errors.items()}
    names = [corruption_label(name).lower() for name, fall in falls.items() if fall < 0]
    worst = min(falls, key=lambda name: falls[name])
    place = int(np.diff(errors[worst]).argmin())
    before, after = 100 * errors[worst][place : place + 2]
    words = "AlexNet's top-1 errors on the published archive, as its authors measured them"
    return {
        "not_monotone": KeyNumber(", ".join(names) or "none", len(names), words, len(errors)),
        "largest_fall": KeyNumber(
            f"{corruption_label(worst).lower()}: {before:.1f} % at severity {place + 1}, "
            f"{after:.1f} % at severity {place + 2}",
            float(falls[worst]),
            words,
        ),
    }


def _storage() -> str:
    return f"Stored as 8-bit JPEG of quality 85, as the archive is; {frost_convention()}."


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
        measured: measured cost of each corruption; empty without measurements.
        errors: corruption -> AlexNet's error at each severity, a fraction; missing for some.
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
    """Return a table of all corruptions: family, randomness, and AlexNet's error at each severity.

    Args:
        errors: corruption -> AlexNet's error at each severity, a fraction; missing for some.
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
    caption = "The corruptions, and AlexNet's top-1 error (%) under each condition of the archive"
    return table(frame, caption=caption, decimals=0)


def maths(prose: str) -> Html:
    r"""Return prose as HTML markup, with the text between dollar signs as TeX.

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
    chance = (
        f"Random: {entry.draws}." if entry.draws else "Deterministic: no random numbers are drawn."
    )
    facts = [
        ("Chance", chance),
        ("Quirk", entry.quirk),
        ("Convention", entry.convention),
        ("Cost", cost),
    ]
    return lines(
        f'<section class="rb-corruption" id="{key}" aria-labelledby="{key}-name">',
        f'<h3 id="{key}-name">{title} <a class="headerlink" href="#{key}" title="Link here">#</a>'
        f'<a class="rb-see" href="#explorer" data-corruption="{key}">See it on other images</a>'
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
    ours = f"{_digits(cost.ours_ms)} ms per image at severity {cost.severity}"
    if cost.peer_ms is None:
        return f"{ours}; {PEER} lacks this corruption."
    ratio = cost.peer_ms / cost.ours_ms
    return f"{ours}; {PEER} needs {_digits(cost.peer_ms)} ms, {_digits(ratio)} times as long."


def _digits(number: float) -> str:
    """Return a time or a ratio with at least two significant digits, without an exponent."""
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"
