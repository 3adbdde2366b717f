"""Printed pages joined into one file, with inner links, an outline, and a numbered foot."""

import datetime
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from robust_book.commands.pdf.paper import ANCHOR
from robust_lib.errors import RunError

Place = tuple[int, float, float]
"""A sheet, from 0, and the distance from its left and from its bottom, in points."""


@dataclass(frozen=True)
class Section:
    """One page of the site, with its printed sheets.

    Attributes:
        depth: 0 for a chapter, 1 for its sections, ...
    """

    file: Path
    title: str
    depth: int
    pdf: bytes


def reader(pdf: bytes) -> Any:
    """Return the reader of PDFs.

    Raises:
        RunError: pypdf is not installed.
    """
    try:
        import pypdf
    except ImportError:
        raise RunError(
            "Expected pypdf, which joins the printed pages, but it is not installed. Install the "
            "packages for printing: pip install 'robust-lib[pdf]'."
        ) from None
    return pypdf.PdfReader(io.BytesIO(pdf))


def sheets(pdf: bytes) -> int:
    """Return the number of sheets of a printed page."""
    return len(reader(pdf).pages)


def join(
    sections: Sequence[Section],
    feet: bytes,
    *,
    facts: Mapping[str, str],
    when: datetime.datetime,
    published: Callable[[Path], str | None],
) -> bytes:
    """Return one file of all sections in their order.

    Args:
        sections: printed pages; the first one may be the table of contents.
        feet: PDF with the same number of sheets, which are laid over those of the sections.
        when: date of the file, so that the same run gives the same bytes.
        published: function that returns the address of a file that is not among the sections; None:
            there is no address.
    """
    import pypdf

    writer = pypdf.PdfWriter()
    tags = _Tags(writer)
    places: dict[tuple[Path, str], Place] = {}
    begins: list[int] = []
    parents: list[Any] = []
    for section in sections:
        printed = reader(section.pdf)
        begin = len(writer.pages)
        begins.append(begin)
        file = section.file.resolve()
        places[file, ""] = (begin, 0.0, float(printed.pages[0].mediabox.height))
        for name, one in printed.named_destinations.items():
            sheet = printed.get_destination_page_number(one)
            if name != "/" and sheet is not None and sheet >= 0:
                where = begin + sheet, float(one.left or 0), float(one.top or 0)
                places[file, name.removeprefix("/")] = where
        for page in printed.pages:
            writer.add_page(page)
        tags.keep(printed, begin)
        parents = parents[: section.depth]
        over = parents[-1] if parents else None
        own = writer.add_outline_item(title=section.title, page_number=begin, parent=over)
        parents.append(own)
        _mark_headings(writer, printed, begin, own)
    for begin, end, section in zip(begins, [*begins[1:], len(writer.pages)], sections, strict=True):
        for page in writer.pages[begin:end]:
            _lead_within(writer, page, section.file.resolve(), places, published)
    for page, foot in zip(writer.pages, reader(feet).pages, strict=True):
        page.merge_page(foot)
    tags.write()
    _name_language(writer)
    date = when.strftime("D:%Y%m%d%H%M%SZ")
    writer.add_metadata(
        {**{f"/{name}": told for name, told in facts.items()}, "/CreationDate": date}
        | {"/ModDate": date}
    )
    writer.compress_identical_objects()
    made = io.BytesIO()
    writer.write(made)
    return made.getvalue()


class _Tags:
    """The tags of headings, tables and figures, for screen readers: the trees of all sections."""

    def __init__(self, writer: Any) -> None:
        from pypdf.generic import ArrayObject, DictionaryObject, NameObject

        self.writer = writer
        self.kids, self.numbers, self.next = ArrayObject(), ArrayObject(), 0
        kind = {NameObject("/Type"): NameObject("/StructTreeRoot")}
        self.root = writer._add_object(DictionaryObject(kind))

    def keep(self, printed: Any, begin: int) -> None:
        """Append a section's tree to the book's; its sheets are those from `begin` on."""
        from pypdf.generic import NameObject, NumberObject

        tree = printed.trailer["/Root"].get("/StructTreeRoot")
        if tree is None:
            return
        top = tree.raw_get("/K").clone(self.writer)
        top.get_object()[NameObject("/P")] = self.root
        self.kids.append(top)
        numbers = tree["/ParentTree"]["/Nums"]
        for place in range(0, len(numbers), 2):
            self.numbers.append(NumberObject(self.next + numbers[place]))
            self.numbers.append(numbers[place + 1].clone(self.writer))
        for page, before in zip(self.writer.pages[begin:], printed.pages, strict=True):
            if "/StructParents" in before:  # which a writer leaves out of what it adds
                place = self.next + before["/StructParents"]
                page[NameObject("/StructParents")] = NumberObject(place)
            for link in (one.get_object() for one in page.get("/Annots", ())):
                if "/StructParent" in link:
                    place = self.next + link["/StructParent"]
                    link[NameObject("/StructParent")] = NumberObject(place)
        self.next += int(tree["/ParentTreeNextKey"])

    def write(self) -> None:
        """Set the tree as that of the file, if any section has one."""
        from pypdf.generic import BooleanObject, DictionaryObject, NameObject, NumberObject

        if not self.kids:
            return
        root = self.root.get_object()
        root[NameObject("/K")] = self.kids
        root[NameObject("/ParentTree")] = DictionaryObject({NameObject("/Nums"): self.numbers})
        root[NameObject("/ParentTreeNextKey")] = NumberObject(self.next)
        self.writer.root_object[NameObject("/StructTreeRoot")] = self.root
        marked = DictionaryObject({NameObject("/Marked"): BooleanObject(True)})
        self.writer.root_object[NameObject("/MarkInfo")] = marked


def _mark_headings(writer: Any, printed: Any, begin: int, parent: Any) -> None:
    """Put the headings of a printed page, except its title, below its entry in the outline."""
    from pypdf.generic import Fit

    def put(entries: Sequence[Any], over: Any) -> None:
        last = over
        for one in entries:
            if isinstance(one, list):
                put(one, last)
                continue
            sheet = printed.get_destination_page_number(one)
            if sheet is None or sheet < 0:
                continue
            place = Fit.xyz(left=one.left, top=one.top)
            title = str(one.title).rstrip("# ")
            last = writer.add_outline_item(
                title=title, page_number=begin + sheet, parent=over, fit=place
            )

    first = next((one for one in printed.outline if isinstance(one, list)), [])
    put(first, parent)


def _name_language(writer: Any) -> None:
    """Set the language of the book, and that a window shows its title."""
    from pypdf.generic import BooleanObject, DictionaryObject, NameObject, TextStringObject

    writer.root_object[NameObject("/Lang")] = TextStringObject("en")
    shown = DictionaryObject({NameObject("/DisplayDocTitle"): BooleanObject(True)})
    writer.root_object[NameObject("/ViewerPreferences")] = shown


def _lead_within(
    writer: Any,
    page: Any,
    file: Path,
    places: Mapping[tuple[Path, str], Place],
    published: Callable[[Path], str | None],
) -> None:
    """Point the links of a sheet to sheets, and remove those that only marked a place."""
    from pypdf.generic import ArrayObject, NameObject, TextStringObject

    kept = ArrayObject()
    for reference in page.get("/Annots", ()):
        link = reference.get_object()
        left, low, right, high = (float(side) for side in link["/Rect"])
        if min(right - left, high - low) < ANCHOR:
            continue
        target, outside = _target(link, file)
        if target is not None:
            where = places.get(target) or places.get((target[0], ""))
            if where is not None:
                del link[NameObject("/A") if "/A" in link else NameObject("/Dest")]
                link[NameObject("/Dest")] = _destination(writer, where)
            elif outside and (address := published(target[0])) is not None:
                link["/A"][NameObject("/URI")] = TextStringObject(address)
            else:
                continue  # it would lead to the machine that printed this
        kept.append(reference)
    if "/Annots" in page:
        page[NameObject("/Annots")] = kept


def _target(link: Any, file: Path) -> tuple[tuple[Path, str] | None, bool]:
    """Return the file and the place that a link leads to, and whether it leaves the page.

    The first value is None if the link leads to no file.
    """
    if "/Dest" in link:
        return (file, str(link["/Dest"]).removeprefix("/")), False
    address = urlsplit(str(link.get("/A", {}).get("/URI", "")))
    if address.scheme != "file":
        return None, False
    return (Path(url2pathname(address.path)).resolve(), unquote(address.fragment)), True


def _destination(writer: Any, where: Place) -> Any:
    from pypdf.generic import ArrayObject, FloatObject, NameObject, NullObject

    sheet, left, top = where
    page = writer.pages[sheet].indirect_reference
    return ArrayObject(
        [page, NameObject("/XYZ"), FloatObject(left), FloatObject(top), NullObject()]
    )
