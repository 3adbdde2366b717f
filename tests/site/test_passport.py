"""The page of a passport, and two side by side, in a real browser, opened as files."""

import numpy as np
import pytest

from robust_book.passport.comparison import comparison_page, differences
from robust_book.passport.page import page
from robust_lib import seeds
from robust_lib.passport.record import (
    Answer,
    Headline,
    Made,
    Number,
    Other,
    Passport,
    Section,
)
from robust_lib.vocabulary import COMMON

from .visit import (
    BROKEN_IMAGES,
    DESK,
    OVERFLOW,
    PHONE,
    SMALL,
    STUMBLES,
    barriers,
    forget,
    paint,
    requests,
    severe,
)

pytestmark = [pytest.mark.site, pytest.mark.browser]

SHIFTED = """
return [...document.querySelectorAll(".strip .here, .strip .paper, .strip .public, .strip .mine")]
  .map((one) => [one.getBoundingClientRect(), one.closest("svg").getBoundingClientRect()])
  .filter(([one, strip]) => one.left < strip.left - 1 || one.right > strip.right + 1).length"""


def number(metric, value, item="inc-tab1", **more):
    ends = {"low": value - 0.03, "high": value + 0.03, "n": 2000, "n_full": 50000}
    told = "jpeg quality 85, severities 1, 2, 3, 4, 5, divided by AlexNet's published errors"
    return Number(
        item=item, metric=metric, dataset="imagenet_val", value=value, convention=told,
        **ends | more,
    )  # fmt: skip


def corruptions(shift):
    ces, errors = [], [number("error", 0.3 + shift)]
    for place, name in enumerate(COMMON):
        ces.append(number("ce", 0.5 + place / 30 + shift, corruption=name))
        errors += [
            number("error", 0.2 + place / 50 + step / 20, corruption=name, severity=step)
            for step in (1, 2, 3, 4, 5)
        ]
    others = [
        Other(network=f"{source} network {place}", value=0.6 + place / 40, source=source)
        for source in ("here", "paper", "public")
        for place in range(9)
    ]
    titles = ("Clean error", "mCE", "Relative mCE", "Mean CE, noises and blurs (set 1)")
    plate = tuple(
        Headline(
            title=title, better="lower", number=number("mce", 0.7 + shift), others=tuple(others)
        )
        for title in titles
    )
    return Section(
        benchmark="imagenet_c", title="Common Corruptions", paper="inc", headlines=plate,
        numbers=(*ces, *errors), lacks=("CE of border and obstruction: weights are not there.",),
    )  # fmt: skip


def hard(shift):
    better = Headline(
        title="Accuracy, hard images", better="higher",
        number=number("accuracy", 0.05 + shift, item="nae-fig2", low=0.02, high=0.19),
    )  # fmt: skip
    kinds = ("surest mistakes", "surest and right", "least sure and right")
    shown = tuple(
        Answer(
            kind=kind, images="imagenet_a", id=f"{kind} {place}", label="American_black_bear",
            predicted="standard_schnauzer", confidence=0.9,
        )
        for kind in kinds
        for place in range(6)
    )  # fmt: skip
    return Section(
        benchmark="imagenet_a", title="Hard images: ImageNet-A", paper="nae",
        headlines=(better,), numbers=(better.number,), answers=shown,
    )  # fmt: skip


def passport(model, shift):
    left = Section(
        benchmark="nao", title="Natural Adversarial Objects", paper="nao",
        left_out="It is for detectors, and mine is a classifier.",
    )  # fmt: skip
    made = Made(
        commit="0123456789abcdef" * 2, dirty=True, date="2026-01-02", seconds=61.0, device="cpu",
        versions={"robust-lib": "0.1.0", "torch": "2.9"},
        datasets={"imagenet_val": "fedcba9876543210" * 4},
    )  # fmt: skip
    return Passport(
        model=model, fingerprint="0123456789abcdef" * 4, asks="classifier", classes="imagenet_1k",
        outputs=1000, sees="resize 256, crop 224", profile="full",
        words="ImageNet validation, 2,000 images, 1,000 classes, public weights",
        sections=(corruptions(shift), hard(shift), left), made=made,
    )  # fmt: skip


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Name of a page -> its address."""
    folder = tmp_path_factory.mktemp("passport")
    one, other = passport("my_net", 0.0), passport("a_network_with_quite_a_long_name", 0.1)
    rng = seeds.generator("pictures")
    pictures = {
        (each.images, each.id): rng.integers(0, 256, (96, 96, 3)).astype(np.uint8)
        for section in one.sections
        for each in section.answers
    }
    pages = {
        "passport": page(one, pictures),
        "without pictures": page(one),
        "comparison": comparison_page(one, other, differences(one, other)),
    }
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text, "utf-8")
    return {name: (folder / f"{name}.html").as_uri() for name in pages}


PAGES = ("passport", "without pictures", "comparison")


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_is_whole_and_has_no_barrier(browser, written, name, scheme):
    browser.execute_cdp_cmd("Network.enable", {})
    paint(browser, scheme, DESK)
    forget(browser)
    browser.get(written[name])
    browser.execute_script("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert requests(browser, written[name]) == []
    assert severe(browser) == []
    assert browser.execute_script(BROKEN_IMAGES) == []
    assert browser.execute_script(STUMBLES) == []
    assert browser.execute_script(SHIFTED) == 0
    assert barriers(browser) == []


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("size", [PHONE, SMALL])
def test_no_page_scrolls_sideways_on_a_phone(browser, written, name, size):
    paint(browser, "light", size)
    browser.get(written[name])
    browser.execute_script("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert browser.execute_script(OVERFLOW) == []
    paint(browser, "dark", size)
    assert barriers(browser) == []


def test_the_page_takes_the_colours_of_the_screen(browser, written):
    seen = set()
    for scheme in ("light", "dark"):
        paint(browser, scheme, DESK)
        browser.get(written["passport"])
        seen.add(browser.execute_script("return getComputedStyle(document.body).backgroundColor"))
    assert len(seen) == 2


def test_on_a_phone_each_number_of_a_comparison_says_whose_it_is(browser, written):
    paint(browser, "light", PHONE)
    browser.get(written["comparison"])
    told = browser.execute_script(
        "return [...document.querySelectorAll('tbody tr')].map((row) => [...row.cells].slice(1)"
        ".map((one) => getComputedStyle(one, '::before').content))"
    )
    names = ["my_net", "a_network_with_quite_a_long_name", "Difference"]
    assert told == [[f'"{name}"' for name in names]] * 5
