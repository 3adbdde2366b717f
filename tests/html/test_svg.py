"""SVG figures inside a page: no clashes, no leaks, ink that follows the theme."""

import io
import re
import xml.etree.ElementTree as ET

import pytest
from matplotlib import rc_context
from matplotlib.figure import Figure

from robust_lib.errors import InputError
from robust_lib.html.svg import INK, theme_svg


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
