"""Joining needs no browser: what was printed is made by hand here."""

import builtins
import datetime
import io

import pytest

from robust_book.commands.pdf.joined import Section, join, reader, sheets
from robust_lib.errors import RunError

pypdf = pytest.importorskip("pypdf", reason="needs what the extra `pdf` brings")
WHEN = datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC)


def printed(count, *, dests=(), links=()):
    """Return a PDF of empty sheets with named places, and links on its first sheet."""
    from pypdf.generic import (
        ArrayObject,
        DictionaryObject,
        Fit,
        FloatObject,
        NameObject,
        TextStringObject,
    )

    writer = pypdf.PdfWriter()
    for _ in range(count):
        writer.add_blank_page(500, 700)
    named = DictionaryObject()
    for name, sheet, top in dests:
        page = writer.pages[sheet].indirect_reference
        place = [page, NameObject("/XYZ"), FloatObject(7), FloatObject(top), FloatObject(0)]
        named[NameObject(f"/{name}")] = ArrayObject(place)
    writer.root_object[NameObject("/Dests")] = named
    title = writer.add_outline_item(title="Title", page_number=0)
    for name, sheet, top in dests:
        place = Fit.xyz(left=7, top=top)
        writer.add_outline_item(title=f"{name} #", page_number=sheet, parent=title, fit=place)
    made = ArrayObject()
    for kind, where, size in links:
        link = {
            NameObject("/Type"): NameObject("/Annot"),
            NameObject("/Subtype"): NameObject("/Link"),
        }
        link[NameObject("/Rect")] = ArrayObject(map(FloatObject, (10, 10, 10 + size, 10 + size)))
        if kind == "dest":
            link[NameObject("/Dest")] = NameObject(f"/{where}")
        else:
            action = {NameObject("/S"): NameObject("/URI")}
            action[NameObject("/URI")] = TextStringObject(where)
            link[NameObject("/A")] = DictionaryObject(action)
        made.append(writer._add_object(DictionaryObject(link)))
    writer.pages[0][NameObject("/Annots")] = made
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


@pytest.fixture
def joined(tmp_path):
    a, b, lost = (tmp_path / name for name in ("a.html", "b.html", "lost.html"))
    links = [
        ("dest", "here", 20),
        ("uri", b.as_uri() + "#there", 20),
        ("uri", (tmp_path / "rows.csv").as_uri(), 20),
        ("uri", "https://example.org/", 20),
        ("uri", lost.as_uri(), 20),
        ("dest", "here", 0.2),
    ]
    one = printed(2, dests=[("here", 1, 300)], links=links)
    two = printed(1, dests=[("there", 0, 200), ("here", 0, 100)], links=[("dest", "here", 20)])
    return join(
        [Section(a, "First", 0, one), Section(b, "Below", 1, two)],
        printed(3),
        facts={"Title": "Book"},
        when=WHEN,
        published=lambda file: f"https://here/{file.name}" if file.suffix == ".csv" else None,
    )


def targets(pdf):
    """Return where the links of each sheet lead: a sheet and a height, or an address."""
    opened = reader(pdf)
    numbers = {page.indirect_reference.idnum: number for number, page in enumerate(opened.pages)}
    return [
        [
            (numbers[link["/Dest"][0].idnum], float(link["/Dest"][3]))
            if "/Dest" in link
            else str(link["/A"]["/URI"])
            for link in (one.get_object() for one in page.get("/Annots", ()))
        ]
        for page in opened.pages
    ]


def test_links_lead_within_the_file_where_they_led_within_the_site(joined):
    assert targets(joined) == [
        [(1, 300.0), (2, 200.0), "https://here/rows.csv", "https://example.org/"],
        [],
        [(2, 100.0)],
    ]


def test_the_outline_has_the_pages_below_each_other(joined):
    opened = reader(joined)
    first, (here, below, headings) = opened.outline
    assert first.title == "First"
    assert (here.title, opened.get_destination_page_number(here), here.top) == ("here", 1, 300)
    assert below.title == "Below"
    assert [(one.title, opened.get_destination_page_number(one)) for one in headings] == [
        ("there", 2), ("here", 2),
    ]  # fmt: skip
    assert opened.root_object["/Lang"] == "en"


def test_the_file_is_dated_as_it_is_told(joined):
    told = reader(joined).metadata
    assert (told.title, told["/CreationDate"]) == ("Book", "D:20260102000000Z")


def test_sheets_are_counted():
    assert sheets(printed(3)) == 3


def test_without_pypdf_it_is_said_what_to_install(monkeypatch):
    real = builtins.__import__

    def refused(name, *rest, **more):
        if name == "pypdf":
            raise ImportError
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", refused)
    with pytest.raises(RunError, match=r"pip install 'robust-lib\[pdf\]'"):
        reader(b"")
