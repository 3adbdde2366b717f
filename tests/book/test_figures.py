"""A figure of a chapter once more: by reference where it stands on the page, else drawn."""

from docutils import nodes

from robust_book.html.svg import PHONE, theme_svg
from robust_book.sphinx_ext.light import once_more
from robust_book.sphinx_ext.nodes import drawn

LINES = '<svg width="90pt"><g id="figure_1"><path id="p" d="M 0 0"/></g></svg>'
BAR, PICTURES = (
    LINES.replace("<path", f'<image href="data:image/png;base64,{"A" * size}"/><path')
    for size in (400, 80_000)
)


class Page:
    name = "inc_2_mce"

    def __init__(self, drawing):
        self.found = drawing

    def drawing(self, key):
        return LINES if key == "x.phone" else None if key.endswith(PHONE) else self.found

    def title(self, name):
        return f"title of {name}"


def section(svg=None):
    made = nodes.section()
    if svg:
        made += drawn(f"<div>{theme_svg(svg, prefix='inc-fig2', title='A')}</div>")
    return made


def test_a_figure_of_the_page_is_referred_to():
    markup = once_more(Page(LINES), section(LINES), "inc-fig2", "finding").markup
    assert '<use href="#inc-fig2-figure_1"/>' in markup
    assert "<path" not in markup


def test_so_is_one_with_a_small_picture_such_as_a_colour_bar():
    assert "<use" in once_more(Page(BAR), section(BAR), "inc-fig2", "finding").markup


def test_a_figure_that_stands_elsewhere_is_drawn():
    markup = once_more(Page(LINES), section(), "inc-fig2", "finding").markup
    assert "<use" not in markup
    assert 'id="finding-inc-fig2-figure_1"' in markup


def test_a_figure_of_pictures_is_drawn_for_its_file_can_not_be_referred_to():
    markup = once_more(Page(PICTURES), section(PICTURES), "inc-fig2", "cure").markup
    assert "<use" not in markup
    assert "<image" in markup


def test_a_figure_that_is_drawn_for_a_phone_is_so_once_more_under_ids_of_its_own():
    markup = once_more(Page(LINES), section(), "x", "finding").markup
    assert '<svg class="rb-svg rb-desk' in markup
    assert '<svg class="rb-svg rb-phone' in markup
    assert 'id="finding-x-phone-figure_1"' in markup


def test_a_figure_has_its_title_and_no_figure_is_none():
    assert "title of inc_2_mce" in once_more(Page(LINES), section(), "x.fig-a", "cure").markup
    assert once_more(Page(None), section(), "inc-fig2", "cure") is None
