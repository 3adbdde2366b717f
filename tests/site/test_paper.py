"""The built site on paper: every page, every figure, no table cut, as `make pdf` prints it."""

import pytest

from robust_lib.commands import pdf
from robust_lib.commands.pdf import reading_order

pypdf = pytest.importorskip("pypdf", reason="needs what the extra `pdf` brings")
pytestmark = [pytest.mark.site, pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def home(site, browser, tmp_path_factory):
    """A profile's folder with this site, so that what is printed lies beside no built site."""
    if not (site.parent / "book" / "_toc.yml").exists():
        pytest.skip("this site lies without the book that it was made of")
    folder = tmp_path_factory.mktemp("paper")
    for name in ("site", "book"):
        (folder / name).symlink_to(site.parent / name if name == "book" else site)
    return folder


@pytest.fixture(scope="module")
def book(home):
    """All of it; it is an error there if a figure is lost, a picture broken, or a table cut."""
    return pypdf.PdfReader(pdf.make(home))


def sections(outline):
    """What the outline names, at all depths."""
    for one in outline:
        yield from sections(one) if isinstance(one, list) else [one]


def test_every_page_of_the_site_is_on_paper_in_its_order(home, book):
    leaves = reading_order.of_site(home)
    begins = [book.get_destination_page_number(one) for one in sections(book.outline)]
    assert len(begins) == 1 + len(leaves)
    assert begins == sorted(set(begins))


def test_the_longest_table_has_all_its_rows_on_paper(home, book):
    page = home / "site" / "leaderboard.html"
    rows = page.read_text("utf-8").count('class="rb-data">photographs')
    assert rows > 100
    entries = list(sections(book.outline))
    at = 1 + [leaf.name for leaf in reading_order.of_site(home)].index("leaderboard")
    begin = book.get_destination_page_number(entries[at])
    end = book.get_destination_page_number(entries[at + 1])
    said = "".join(sheet.extract_text() for sheet in book.pages[begin:end])
    assert said.count("photographs") >= rows
