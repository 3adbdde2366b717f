"""The corruptions themselves [inc, sec. 3.1]: galleries, cards, an explorer."""

from collections.abc import Mapping

import numpy as np

from robust_book.chapters.inc_1_corruptions import corruption_cards, explorer
from robust_book.chapters.inc_1_corruptions.showcase import (
    CAPTIONS,
    Sample,
    counts,
    frost_convention,
    gallery,
    severities,
)
from robust_book.figures import image_grids
from robust_book.html.markup import Html
from robust_book.page import Page
from robust_lib.config.corruption_cards import catalogue, costs
from robust_lib.results.key_number import KeyNumber
from robust_lib.results.reported import alexnet_errors
from robust_lib.results.table import Results
from robust_lib.run.chapter import Chapter
from robust_lib.vocabulary import CATEGORIES, COMMON, EXTRA, OWN, corruption_label

CHAPTER = Chapter(
    "inc_1_corruptions",
    description="photographs bundled with scikit-learn and matplotlib, and pictures of the "
    "profile's data",
)


def explore(samples: Mapping[str, Sample], picture: str, corruption: str, severity: int) -> Html:
    """Return the explorer, which begins with one picture, corruption and severity.

    >>> samples = {"china": Sample("China", showcase.photograph("china", side=32))}
    >>> texts(explore(samples, "china", "fog", 3), "legend")
    ['Picture', 'Noise', 'Blur', 'Weather', 'Digital', 'Extra', 'Occlusion']
    """
    return explorer.explorer(
        samples,
        catalogue(),
        CATEGORIES,
        picture=picture,
        corruption=corruption,
        severity=severity,
        convention=f"{_storage()} Photographs have 224 pixels; lengths scale with the side of "
        "smaller pictures. Shown as WebP.",
    )


def fifteen(page: Page, samples: Mapping[str, Sample], picture: str, severity: int) -> Html:
    """Return Figure 1: a picture under each of the fifteen corruptions."""
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
    """Return Figure 6: a picture clean and at the five severities of a corruption."""
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
    """Return Figure 7: a picture under the four extra corruptions."""
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
    """Return the cards of a family, a key of `CATEGORIES`.

    Corruptions of no paper follow the occlusions, which are no part of ImageNet-C either.
    """
    return corruption_cards.cards(
        CATEGORIES[name] + (OWN if name == "occlusion" else ()),
        catalogue(),
        costs(),
        alexnet_errors(),
        picture=picture,
        severity=severity,
    )


def at_a_glance() -> Html:
    """Return the table of all corruptions."""
    return corruption_cards.overview(CATEGORIES, catalogue(), alexnet_errors())


def results(corruption: str) -> Results:
    """Return the rows of the page: how many corruptions and severities its figures show."""
    fig6, fig7 = counts([corruption], item="inc-fig6"), counts(EXTRA, item="inc-fig7")
    return counts(COMMON) + fig6 + fig7


def key_numbers() -> dict[str, KeyNumber]:
    """Return the numbers that the prose names: corruptions of which a higher severity harms less.

    They are AlexNet's, as the benchmark's authors measured them.

    >>> numbers = key_numbers()
    >>> numbers["not_monotone"].text, numbers["largest_fall"].text
    ('snow, elastic, saturate', 'elastic: 70 % at severity 2, 56 % at severity 3')
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
            f"{corruption_label(worst).lower()}: {before:.0f} % at severity {place + 1}, "
            f"{after:.0f} % at severity {place + 2}",
            float(falls[worst]),
            words,
        ),
    }


def _storage() -> str:
    return f"Stored as 8-bit JPEG of quality 85, as the archive is; {frost_convention()}."
