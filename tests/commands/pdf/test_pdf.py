"""A small site, printed by a real browser: nothing is cut, folded or lost."""

import shutil

import pytest

from robust_book.commands import pdf, site
from robust_book.commands.pdf.browser import PROGRAMS
from robust_book.commands.pdf.joined import reader
from robust_lib.errors import RunError
from tests.commands.pdf import small
from tests.commands.pdf.test_joined import targets

pytest.importorskip("pypdf", reason="needs what the extra `pdf` brings")
CHROMIUM = any(map(shutil.which, PROGRAMS)) and shutil.which("chromedriver")
browses = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium with chromedriver on this machine"),
]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return small.home(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module", autouse=True)
def address():
    """Where the small site is published."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(site.ADDRESS, "https://example.org/book/")
        yield


@pytest.fixture(scope="module")
def book(home):
    return pdf.make(home).read_bytes()


def words(sheet):
    """Return what a sheet says, and what lies beyond its edges."""
    beyond = []

    def look(text, matrix, place, font, size):
        x = place[4] * matrix[0] + place[5] * matrix[2] + matrix[4]
        if text.strip() and not 0 <= x <= float(sheet.mediabox.width):
            beyond.append(text)

    return sheet.extract_text(visitor_text=look), beyond


class TestPrinted:
    pytestmark = browses

    def test_every_page_is_there_in_its_order_with_its_number(self, book):
        sheets = [words(sheet)[0] for sheet in reader(book).pages]
        assert len(sheets) >= 6
        heads = ("A small book", "A small book", "Wide things", "API", "Errors")
        found = [next(i for i, s in enumerate(sheets) if i >= k and head in s)
                 for k, head in zip((0, 1, 2, 3, 4), heads, strict=True)]  # fmt: skip
        assert found == sorted(found)
        for number, said in enumerate(sheets, start=1):
            assert said.split()[-1] == str(number)

    def test_the_contents_say_on_which_sheet_a_page_begins(self, book):
        sheets = [words(sheet)[0] for sheet in reader(book).pages]
        (line,) = [one for one in sheets[0].splitlines() if one.startswith("Wide things")]
        begins = int(line.split()[-1])
        assert "Unfolded words" in sheets[begins - 1]

    def test_what_is_folded_is_opened_but_for_code_and_solutions(self, book):
        said = " ".join(words(sheet)[0] for sheet in reader(book).pages)
        assert "Unfolded words" in said
        assert "Second tab" in said
        assert "secret_code" not in said
        assert "The answer" not in said

    def test_no_table_is_cut(self, book):
        found = [words(sheet) for sheet in reader(book).pages]
        said = "".join("".join(text.split()) for text, _ in found)
        assert all(f"column{number}" in said for number in range(small.COLUMNS))
        assert [beyond for _, beyond in found if beyond] == []

    def test_links_lead_to_sheets_files_to_the_published_site_and_none_to_this_machine(self, book):
        sheets = [words(sheet)[0] for sheet in reader(book).pages]
        found = targets(book)
        table = next(i for i, said in enumerate(sheets) if "Very wide" in said)
        start, rows, outside = found[1]
        assert start[0] == table
        assert rows == "https://example.org/book/_static/rows.csv"
        assert outside == "https://example.org/"
        assert found[-1][0][0] == 1

    def test_who_hears_the_book_is_told_what_is_a_heading_on_each_sheet(self, book):
        opened = reader(book)
        root = opened.root_object
        numbers = root["/StructTreeRoot"]["/ParentTree"]["/Nums"]
        known = dict(zip(map(int, numbers[::2]), numbers[1::2], strict=True))
        own = [int(sheet["/StructParents"]) for sheet in opened.pages]
        assert len(set(own)) == len(own)
        for sheet, place in zip(opened.pages, own, strict=True):
            of = [one.get_object() for one in known[place].get_object()]
            pages = [one.raw_get("/Pg") for one in of if "/Pg" in one]
            assert sheet.indirect_reference in pages
        kinds = {str(top.get_object()["/S"]) for top in root["/StructTreeRoot"]["/K"]}
        assert kinds == {"/Document"}
        assert root["/MarkInfo"]["/Marked"].value is True
        assert root["/Lang"] == "en"

    def test_the_same_site_gives_the_same_bytes(self, home, book):
        assert pdf.make(home).read_bytes() == book

    def test_a_figure_that_is_not_shown_is_an_error(self, tmp_path):
        home = small.home(tmp_path)
        page = home / "site" / "wide.html"
        text = page.read_text("utf-8").replace("<figure>", '<figure style="display: none">')
        page.write_text(text, "utf-8")
        with pytest.raises(RunError, match=r"wide\.html.*paper.*1 figures"):
            pdf.make(home)
        assert not (home / pdf.FILE).exists()

    @pytest.mark.parametrize("lost", [True, False], ids=["lost", "no picture"])
    def test_a_broken_picture_is_an_error_that_names_it(self, tmp_path, lost):
        home = small.home(tmp_path)
        picture = home / "site" / "_static" / "dot.png"
        if lost:
            picture.unlink()
        else:
            picture.write_bytes(b"half a picture")
        with pytest.raises(RunError, match=r"broken: dot\.png.*0 figures"):
            pdf.make(home)

    def test_a_table_that_hides_rows_is_an_error_that_names_it(self, tmp_path):
        home = small.home(tmp_path)
        page = home / "site" / "wide.html"
        text = page.read_text("utf-8").replace("</table>", "<tr hidden><td>1</td></tr></table>")
        page.write_text(text, "utf-8")
        with pytest.raises(RunError, match=r"are cut: none; these hide rows: Very wide; these"):
            pdf.make(home)

    def test_a_table_that_a_script_folds_is_printed_whole(self, tmp_path):
        home = small.home(tmp_path)
        page = home / "site" / "wide.html"
        unfold = "addEventListener('beforeprint', () => (document.getElementById('late').hidden = "
        whole = "document.documentElement.dataset.paper !== 'whole'))"
        row = f"<tr hidden id='late'><td>Last row</td></tr></table><script>{unfold}{whole}</script>"
        text = page.read_text("utf-8").replace("</table>", row)
        page.write_text(text, "utf-8")
        printed = reader(pdf.make(home).read_bytes()).pages
        assert any("Last row" in words(sheet)[0] for sheet in printed)


def test_a_date_that_is_no_number_is_refused(monkeypatch):
    monkeypatch.setenv(pdf.EPOCH, "yesterday")
    with pytest.raises(RunError, match=r"SOURCE_DATE_EPOCH.*seconds since 1970"):
        pdf.date()


def test_files_are_dated_by_the_variable(monkeypatch):
    monkeypatch.setenv(pdf.EPOCH, "86400")
    assert pdf.date().isoformat() == "1970-01-02T00:00:00+00:00"
