"""SVG figures inside a page: no clashes, no leaks, ink that follows the theme."""

import io
import re
import xml.etree.ElementTree as ET

import pytest
from matplotlib import rc_context
from matplotlib.figure import Figure

from robust_book.figures import style
from robust_book.figures.heatmaps import DARK, PALE
from robust_book.figures.style import DISTINCT, FAMILIES, GREY, ROLES, WRONG
from robust_book.html.svg import INK, theme_svg
from robust_lib import paths
from robust_lib.config.manifests import model_colours
from robust_lib.errors import InputError

SHADES = {*DISTINCT, GREY, WRONG, *ROLES.values(), *FAMILIES.values(), *model_colours().values()}
SHADES -= {style.INK}  # which is that of the page


def drawn() -> str:
    colours = dict.fromkeys(
        ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), INK
    )
    with rc_context({**colours, "svg.fonttype": "none"}):
        figure = Figure(figsize=(3, 2))
        axes = figure.add_subplot()
        axes.plot([1, 2, 3], color="#0b6670")
        axes.set_xlabel("severity")
        axes.fill_between([0, 1], 1, 2, hatch="//")
        written = io.StringIO()
        figure.savefig(written, format="svg")
    return written.getvalue()


def test_the_ink_becomes_the_colour_of_the_text():
    svg = drawn()
    themed = theme_svg(svg, prefix="inc-fig2", title="A line").markup
    assert INK in svg
    assert INK not in themed
    assert "currentColor" in themed
    assert "#0b6670" in themed
    assert "fill: currentColor" in themed[: themed.index(">")]


def test_two_copies_on_a_page_share_no_id_and_keep_their_references():
    svg = drawn()
    copies = [theme_svg(svg, prefix=f"inc-fig{n}", title="A line").markup for n in (1, 2)]
    ids = [set(re.findall(r'\bid="([^"]+)"', copy)) for copy in copies]
    assert ids[0]
    assert not ids[0] & ids[1]
    for copy, own in zip(copies, ids, strict=True):
        wanted = set(re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', copy))
        assert {one or other for one, other in wanted} <= own


def test_no_style_sheet_of_a_figure_reaches_the_page():
    themed = theme_svg(drawn(), prefix="a", title="A line").markup
    assert "<style" not in themed
    assert "stroke-linejoin: round" in themed
    assert "<?xml" not in themed
    assert "<!DOCTYPE" not in themed


def test_the_figure_has_a_name_and_is_well_formed():
    themed = theme_svg(drawn(), prefix="a", title='Errors < 1 & "small"').markup
    root = ET.fromstring(themed)
    assert root.attrib["role"] == "img"
    assert root[0].text == 'Errors < 1 & "small"'
    assert root.attrib["aria-labelledby"] == root[0].attrib["id"] == "a-title"


def test_a_text_that_is_no_figure_is_refused():
    with pytest.raises(InputError, match=r"inc-fig1, but found no <svg>"):
        theme_svg("<html></html>", prefix="inc-fig1", title="none")


def channels(shade: str) -> list[float]:
    return [int(shade[at : at + 2], 16) / 255 for at in (1, 3, 5)]


def contrast(one: list[float], other: list[float]) -> float:
    """The ratio that WCAG 2 defines."""
    curved = [
        [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
        for colour in (one, other)
    ]
    dark, light = sorted(0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in curved)
    return (light + 0.05) / (dark + 0.05)


def themes() -> list[tuple[list[float], list[float]]]:
    """Ground and ink of a page, light and dark, as the site's style sheet has them."""
    rules = (paths.book() / "_static" / "robust.css").read_text("utf-8")
    found = [re.findall(rf"--rb-{name}: (#[0-9a-f]{{6}});", rules)[:2] for name in ("page", "text")]
    return [(channels(ground), channels(ink)) for ground, ink in zip(*found, strict=True)]


@pytest.mark.parametrize("shade", sorted(SHADES))
def test_writing_in_a_colour_of_the_data_can_be_read_in_light_and_in_dark(shade):
    svg = f'<svg><text style="font-size: 8px; fill: {shade.lower()}" x="1">mCE</text></svg>'
    made = re.search(r"color-mix\(in srgb, (#\w{6}) (\d+)%, currentColor\)", str(themed(svg)))
    assert made[1] == shade.lower()
    own = int(made[2]) / 100
    for ground, ink in themes():
        mixed = [own * c + (1 - own) * i for c, i in zip(channels(shade), ink, strict=True)]
        assert contrast(mixed, ground) >= 4.5
    assert any(contrast(channels(shade), ground) < 4.5 for ground, _ in themes())  # as it was


def test_writing_on_a_picture_and_what_is_no_writing_keep_their_colour():
    numbers = "".join(f'<text style="fill: {one}">7</text>' for one in (PALE, DARK))
    svg = f'<svg>{numbers}<path style="fill: #0072b2"/></svg>'
    assert "color-mix" not in themed(svg)
    assert "#0072b2" in themed(svg)


def themed(svg: str) -> str:
    return theme_svg(svg, prefix="a", title="A").markup
