"""The built site on paper: every page, every figure, no table cut, as `make pdf` prints it.

And a single page, as a reader prints it from the browser.
"""

import base64
import io
import re

import pytest

from robust_book.commands import pdf
from robust_book.commands.pdf import reading_order

from .test_behaviour import chapter_with
from .visit import DESK, paint

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
    """The pages that the outline names, at all depths, without their headings."""
    for one in outline:
        yield from sections(one) if isinstance(one, list) else [one] * (one.typ != "/XYZ")


def test_every_page_of_the_site_is_on_paper_in_its_order(home, book):
    leaves = reading_order.of_site(home)
    begins = [book.get_destination_page_number(one) for one in sections(book.outline)]
    assert len(begins) == 1 + len(leaves)
    assert begins == sorted(set(begins))


def test_the_longest_table_has_all_its_rows_on_paper(home, book):
    page = home / "site" / "leaderboard.html"
    rows = page.read_text("utf-8").count('class="rb-data">photographs')
    assert rows > 70
    entries = list(sections(book.outline))
    at = 1 + [leaf.name for leaf in reading_order.of_site(home)].index("leaderboard")
    begin = book.get_destination_page_number(entries[at])
    end = book.get_destination_page_number(entries[at + 1])
    said = "".join(sheet.extract_text() for sheet in book.pages[begin:end])
    assert said.count("photographs") >= rows


@pytest.fixture
def sheets(browser, server):
    """A function that prints a page from a dark screen, and returns the text of each sheet."""

    def printed(page: str) -> list[str]:
        paint(browser, "dark", DESK)
        browser.get(server + page)
        made = browser.execute_cdp_cmd("Page.printToPDF", {})
        file = pypdf.PdfReader(io.BytesIO(base64.b64decode(made["data"])))
        return [sheet.extract_text() for sheet in file.pages]

    return printed


def test_a_dark_page_is_printed_in_light_colours(browser, server, site):
    paint(browser, "dark", DESK)
    browser.get(server + chapter_with(site, "rb-figure"))
    look = """
    window.told = [];
    const ground = () => told.push(getComputedStyle(document.body).backgroundColor);
    ground();
    for (const name of ["beforeprint", "afterprint"]) addEventListener(name, ground)"""
    browser.execute_script(look)
    browser.execute_cdp_cmd("Page.printToPDF", {})
    dark, light, after = browser.execute_script("return told")
    assert (light, after) == ("rgb(253, 253, 251)", dark)
    assert dark != light


def test_every_sheet_of_a_long_table_has_its_headings(sheets):
    # Plots name networks, too: rows are lines of several numbers.
    numbers = re.compile(r"^[\d., ]*\d\.\d+ [\d., ]*\d\.\d+", re.MULTILINE)
    found = [one for one in sheets("leaderboard.html") if len(numbers.findall(one)) > 9]
    assert len(found) > 1
    assert all("Network" in sheet and "paper public" in sheet for sheet in found)


def test_a_list_of_classes_takes_columns(sheets, site):
    page = chapter_with(site, "n01498041")
    lists = [sheet for sheet in sheets(page) if sheet.count("\nn0") + sheet.count(" n0") > 9]
    assert 0 < len(lists) <= 4


def test_paper_has_whole_lines_of_code_and_no_fold_without_its_inside(browser, server, site):
    page = chapter_with(site, "rb-again")
    browser.get(server + page)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        for name, style, value in (
            ("details:not([open])", "display", "none"),
            ("pre", "whiteSpace", "pre-wrap"),
        ):
            looks = f"""
            return [...new Set([...document.querySelectorAll(".bd-article {name}")]
              .map(one => getComputedStyle(one).{style}))]"""
            assert browser.execute_script(looks) == [value]
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
