"""The drawing of the method: all of it there, inside, apart, and to be read in light and dark."""

import re

import pytest
from matplotlib.patches import FancyBboxPatch

from robust_book.figures import style
from robust_book.figures.overlap_method import method
from robust_book.html.svg import theme_svg
from robust_lib.vocabulary import COMMON, OCCLUSION, corruption_label
from tests.figures.drawn import apart, extents

LONGEST = sorted((corruption_label(name).lower() for name in COMMON + OCCLUSION), key=len)[-2:]


def texts(figure):
    return [text for text in figure.axes[0].texts if text.get_text()]


def words(figure):
    return [" ".join(text.get_text().split()) for text in texts(figure)]


def boxes(figure):
    return [patch for patch in figure.axes[0].patches if isinstance(patch, FancyBboxPatch)]


def inscribed(figure):
    """Return each box with each text that it holds, and the room that this takes."""
    placed = list(zip(texts(figure), extents(figure, texts(figure)), strict=True))
    return [
        (box, text, extent)
        for box in boxes(figure)
        for text, extent in placed
        if box.get_window_extent().overlaps(extent)
    ]


def test_the_six_steps_are_numbered_once_each():
    assert sorted(text for text in words(method()) if len(text) == 1) == list("123456")


def test_every_network_has_its_accuracies_and_scores():
    shown = words(method())
    digits = "₀₁₂"
    for network in digits:
        assert shown.count(f"A{network} clean") == 1
        for corruption in digits[1:]:
            assert shown.count(f"A{network}{corruption}") == 1
            assert shown.count(f"R{network}{corruption}") == 1


def test_the_shares_are_those_of_the_formula():
    shares = [text for text in words(method()) if "/" in text]
    assert shares == ["(R₁₂ − R₀₂) / (R₂₂ − R₀₂)", "(R₂₁ − R₀₁) / (R₁₁ − R₀₁)"]


def test_a_network_on_the_others_corruption_has_a_dashed_frame():
    dashed = {
        text.get_text() for box, text, _ in inscribed(method()) if box.get_linestyle() != "solid"
    }
    assert dashed == {"A₁₂", "A₂₁", "R₁₂", "R₂₁"}


def test_corruptions_are_called_as_wanted():
    shown = " | ".join(words(method("fog", "motion blur")))
    for text in ("+ fog", "+ motion blur", "gain of network 1 against motion blur",
                 "gain of network 2 against fog"):  # fmt: skip
        assert text in shown
    assert "corruption 1" not in shown


@pytest.mark.parametrize("names", [(), LONGEST, LONGEST[::-1], ("fog", "fog")])
def test_texts_stay_inside_and_apart(names):
    figure = method(*names)
    placed = extents(figure, texts(figure))
    whole = figure.bbox
    for text, extent in zip(words(figure), placed, strict=True):
        assert whole.x0 <= extent.x0 < extent.x1 <= whole.x1, text
        assert whole.y0 <= extent.y0 < extent.y1 <= whole.y1, text
    assert apart(placed)


@pytest.mark.parametrize("names", [(), LONGEST])
def test_words_in_a_box_stay_in_it(names):
    found = inscribed(method(*names))
    assert len(found) > 20
    for box, text, extent in found:
        frame = box.get_window_extent()
        assert frame.x0 < extent.x0 < extent.x1 < frame.x1, text.get_text()


def test_all_text_is_in_the_ink_and_all_colours_are_the_houses():
    text = str(theme_svg(style.svg(method()), prefix="overlap-fig1", title="The method"))
    assert "#000000" not in text
    fills = set(re.findall(r"<text[^>]*?fill: ([^;\"]+)", text))
    assert fills == {"currentColor"}
    assert {c.upper() for c in re.findall(r"#[0-9a-fA-F]{6}", text)} <= {
        *style.DISTINCT,
        style.GREY,
    }
