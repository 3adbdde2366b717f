"""Formulas as drawings: each of the book's can be drawn, is heard, and takes the text's colour."""

import re
from xml.etree import ElementTree

import nbformat
import pytest
import yaml

from robust_book.chapters import inc_1_corruptions
from robust_book.sphinx_ext import maths
from robust_lib import paths

_DOLLARS = re.compile(r"(?<![\\$])\$(?!\$)([^$\n]+?)(?<!\\)\$(?!\$)")
_BLOCK = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)


def written():
    """Return the formulas of all notebooks, pages and corruptions' cards."""
    texts = [page.read_text("utf-8") for page in paths.book().rglob("*.md")]
    for notebook in paths.notebooks().glob("*.ipynb"):
        cells = nbformat.read(notebook, as_version=4).cells
        texts += [cell.source for cell in cells if cell.cell_type == "markdown"]
    cards = (paths.manifests() / "corruptions.yaml").read_text("utf-8")
    texts.append(cards)
    plain = [re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL) for text in texts]
    blocks = {(tex, False) for text in plain for tex in _BLOCK.findall(text)}
    blocks |= {(one["formula"], False) for one in yaml.safe_load(cards).values()}
    return blocks | {(tex, True) for text in plain for tex in _DOLLARS.findall(text)}


def test_every_formula_of_the_book_can_be_drawn():
    formulas = written()
    assert len(formulas) > 30
    for tex, inline in formulas:
        markup = maths.drawn(tex, inline=inline).markup
        ElementTree.fromstring(f"<both>{markup}</both>")
        assert "<path" in markup
        assert "black" not in markup


def test_a_formula_is_heard_and_takes_the_texts_colour():
    markup = maths.drawn(r"\frac{a}{b}", inline=False).markup
    assert 'aria-hidden="true"' in markup
    assert re.search("<mfrac>.*<mi>a<.*<mi>b<.*</mfrac>", markup)
    assert 'display="block"' in markup
    assert re.findall(r'(?:fill|stroke)="([^"]+)"', markup).count("currentColor") >= 2


def test_a_fraction_hangs_below_the_line_and_a_letter_stands_on_it():
    def below(tex):
        style = maths.drawn(tex, inline=True).markup
        return float(re.search(r"vertical-align:(-?[\d.]+)em", style)[1])

    assert below("x") == pytest.approx(0, abs=0.06)
    assert below(r"\frac{a}{b}") < -0.25


def test_a_page_has_each_letter_once_and_all_formulas_have_theirs():
    formulas = [maths.drawn(tex, inline=True).markup for tex in ("x + y", "x - y", "x_y")]
    page = maths.shared("".join(formulas))
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', page)) == set(ids)
    assert page.count("<use") == "".join(formulas).count("<use")


def test_a_blank_takes_no_letter_away():
    page = maths.shared(maths.drawn(r"S:\ x", inline=True).markup)
    letters = dict(re.findall(r'<symbol id="([^"]+)"([^>]*/>|.*?</symbol>)', page, re.DOTALL))
    assert ["<path" in letters[one] for one in re.findall(r'href="#([^"]+)"', page)] == [
        True, True, False, True,
    ]  # fmt: skip


def test_a_letter_is_the_same_in_all_formulas():
    drawn = [maths.drawn(tex, inline=inline).markup for tex, inline in written()]
    found = {one[0] for each in drawn for one in maths._LETTER.finditer(each)}
    assert len(found) == len({re.search(r'id="([^"]+)"', one)[1] for one in found})


def test_what_chapters_have_written_is_drawn_too():
    markup = inc_1_corruptions.maths("a < $b$ and $c < d$").markup
    seen = maths.renewed(f'{markup}<div class="math notranslate">\\[e\\]</div><code>\\(f\\)</code>')
    assert seen.count("<svg") == seen.count("<math") == 3
    assert "&lt;" in seen
    assert r"\(f\)" in seen
    assert r"\(b" not in seen
