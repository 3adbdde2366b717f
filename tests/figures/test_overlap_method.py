"""The drawing of the method: all of it there, inside, apart, and to be read in light and dark."""

import re
from itertools import combinations

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.patches import FancyBboxPatch

from robust_lib.figures import style
from robust_lib.figures.overlap_method import method
from robust_lib.figures.style import corruption_label
from robust_lib.html.svg import theme_svg
from robust_lib.vocabulary import COMMON, OCCLUSION
from tests.figures.drawn import saved

LONGEST = sorted((corruption_label(name).lower() for name in COMMON + OCCLUSION), key=len)[-2:]


def texts(figure):
    return [text for text in figure.axes[0].texts if text.get_text()]


def words(figure):
    return [" ".join(text.get_text().split()) for text in texts(figure)]


def boxes(figure):
    return [patch for patch in figure.axes[0].patches if isinstance(patch, FancyBboxPatch)]


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
    figure = method()
    middles = {
        (round(b.get_x() + b.get_width() / 2, 3), round(b.get_y() + b.get_height() / 2, 3)): b
        for b in boxes(figure)
    }
    dashed = {
        text.get_text()
        for text in texts(figure)
        if (box := middles.get(tuple(np.round(text.get_position(), 3)))) is not None
        and box.get_linestyle() != "solid"
    }
    assert dashed == {"A₁₂", "A₂₁", "R₁₂", "R₂₁"}


def test_corruptions_are_called_as_wanted():
    shown = " | ".join(words(method("fog", "motion blur")))
    for text in ("+ fog", "+ motion blur", "network 1 gains against motion blur",
                 "network 2 gains against fog"):  # fmt: skip
        assert text in shown
    assert "corruption 1" not in shown


@pytest.mark.parametrize("names", [(), LONGEST, LONGEST[::-1], ("fog", "fog")])
def test_texts_stay_inside_and_apart(names):
    figure = method(*names)
    saved(figure)
    renderer = FigureCanvasAgg(figure).get_renderer()
    extents = {
        (place, text.get_text()): text.get_window_extent(renderer)
        for place, text in enumerate(texts(figure))
    }
    whole = figure.bbox
    for (_, text), extent in extents.items():
        assert whole.x0 <= extent.x0, text
        assert extent.x1 <= whole.x1, text
        assert whole.y0 <= extent.y0, text
        assert extent.y1 <= whole.y1, text
    for (one, first), (other, second) in combinations(extents.items(), 2):
        assert not first.overlaps(second), (one, other)


@pytest.mark.parametrize("names", [(), LONGEST])
def test_words_in_a_box_stay_in_it(names):
    figure = method(*names)
    saved(figure)
    renderer = FigureCanvasAgg(figure).get_renderer()
    found = 0
    for box in boxes(figure):
        frame = box.get_window_extent(renderer)
        for text in texts(figure):
            extent = text.get_window_extent(renderer)
            if frame.overlaps(extent):
                found += 1
                assert frame.x0 < extent.x0, text.get_text()
                assert extent.x1 < frame.x1, text.get_text()
    assert found == 2 * 3 + 9 + 6 + 6  # the last box holds a number and five texts


def test_all_text_is_in_the_ink_and_all_colours_are_the_houses():
    text = str(theme_svg(style.svg(method()), prefix="overlap-fig1", title="The method"))
    assert "#000000" not in text
    fills = set(re.findall(r"<text[^>]*?fill: ([^;\"]+)", text))
    assert fills == {"currentColor"}
    assert {c.upper() for c in re.findall(r"#[0-9a-fA-F]{6}", text)} <= set(style._COLOURS)


def test_boxes_let_the_page_shine_through():
    for box in boxes(method()):
        assert 0 < box.get_facecolor()[3] < 0.3
        assert box.get_edgecolor()[3] == 1
