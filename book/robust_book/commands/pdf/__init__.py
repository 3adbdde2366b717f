"""The whole book as one PDF: all pages of the site in reading order, printed by Chromium."""

import datetime
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from robust_book.commands.pdf import contents, reading_order
from robust_book.commands.pdf.browser import Printed, Printer, printer
from robust_book.commands.pdf.contents import Cover, Entry
from robust_book.commands.pdf.joined import Section, join, reader, sheets
from robust_book.commands.pdf.reading_order import Leaf
from robust_book.commands.site import published
from robust_lib import atomic
from robust_lib.config.strict_yaml import read_yaml
from robust_lib.errors import RunError

FILE = "book.pdf"
EPOCH = "SOURCE_DATE_EPOCH"
"""The environment variable of the seconds since 1970 by which files are dated."""


def make(
    home: Path,
    *,
    told: Callable[[str], None] = lambda line: None,
    when: datetime.datetime | None = None,
) -> Path:
    """Return the book of a profile's site as one PDF, next to the site.

    Args:
        home: folder of the profile, with its rendered site.
        told: function that receives a line for each printed page.
        when: date of the file; None: from SOURCE_DATE_EPOCH.

    Raises:
        RunError: the site, the browser or pypdf is missing; a table is cut; a figure is lost.
    """
    leaves = reading_order.of_site(home)
    site = home / "site"
    names = [leaf.name for leaf in leaves]
    places = reading_order.places(site, names)
    target = home / FILE
    config = read_yaml(home / "book" / "_config.yml")
    with printer() as chromium, _aside() as aside:
        printed = []
        for number, leaf in enumerate(leaves, start=1):
            printed.append(chromium.page(site / f"{leaf.name}.html", places[leaf.name]))
            told(f"{number} of {len(leaves)}: {leaf.name}")
            _require_all(leaf, printed[-1])
        cover = Cover(str(config["title"]), _facts(site), contents.LEFT_OUT)
        first = _first_pages(chromium, aside, site, cover, leaves, printed)
        sections = [Section(aside / "first.html", "Contents", 0, first)]
        sections += [
            Section(site / f"{leaf.name}.html", one.title, leaf.depth, one.pdf)
            for leaf, one in zip(leaves, printed, strict=True)
        ]
        titles = [one.title for one in sections for _ in range(sheets(one.pdf))]
        below = aside / "feet.html"
        below.write_text(contents.feet(titles), "utf-8")
        made = join(
            sections,
            chromium.sheets(below, tagged=False),
            facts={"Title": cover.title, "Author": str(config["author"]), "Producer": "Chromium"},
            when=when or date(),
            published=_published(site, published()),
        )
    atomic.write_bytes(target, made)
    return target


def date() -> datetime.datetime:
    """Return the date of files: SOURCE_DATE_EPOCH, or the start of 1980.

    Raises:
        RunError: the variable is no number.
    """
    given = os.environ.get(EPOCH, "315532800")
    if not given.isdecimal():
        raise RunError(f"Expected {EPOCH} to be seconds since 1970, but got {given!r}.")
    return datetime.datetime.fromtimestamp(int(given), datetime.UTC)


def _first_pages(
    chromium: Printer,
    aside: Path,
    site: Path,
    cover: Cover,
    leaves: Sequence[Leaf],
    printed: Sequence[Printed],
) -> bytes:
    """Return title and table of contents; page numbers have a fixed width, so no line moves."""
    file = aside / "first.html"
    lengths = [sheets(one.pdf) for one in printed]
    before = 0
    while True:
        numbers = [1 + before + sum(lengths[:index]) for index in range(len(leaves))]
        entries = [
            Entry(one.title, (site / f"{leaf.name}.html").resolve().as_uri(), leaf.depth,
                  leaf.part, number)
            for leaf, one, number in zip(leaves, printed, numbers, strict=True)
        ]  # fmt: skip
        file.write_text(contents.first_pages(cover, entries), "utf-8")
        made = chromium.sheets(file)
        if sheets(made) == before:
            return made
        before = sheets(made)


def _require_all(leaf: Leaf, printed: Printed) -> None:
    """Raise RunError if a figure of the page is not on its sheets."""
    found = {name.removeprefix("/") for name in reader(printed.pdf).named_destinations}
    lost = [one for one in printed.figures if one not in found]
    if lost:
        raise RunError(
            f"Expected the figures {', '.join(lost)} of {leaf.name} on paper, but the browser did "
            "not print them. See print.css and commands/pdf/paper.py."
        )


def _facts(site: Path) -> tuple[str, ...]:
    """Return the facts on the run in the foot of the site's pages, one line each."""
    from html.parser import HTMLParser

    class Foot(HTMLParser):
        inside, said = False, ""

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            self.inside |= ("class", "rb-imprint") in attrs

        def handle_endtag(self, tag: str) -> None:
            self.inside &= tag != "p"

        def handle_data(self, data: str) -> None:
            self.said += data if self.inside else ""

    foot = Foot()
    foot.feed((site / "index.html").read_text("utf-8"))
    said = [part for part in foot.said.split(" · ") if not part.startswith(("How to", "Report"))]
    return tuple(part.strip() for part in said if part.strip())


def _published(site: Path, address: str) -> Callable[[Path], str | None]:
    """Return a function that returns the published address of a file of the site."""
    root = site.resolve()

    def found(file: Path) -> str | None:
        inside = file.is_relative_to(root)
        return address + file.relative_to(root).as_posix() if inside and address else None

    return found


@contextmanager
def _aside() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="robust-pdf-") as folder:
        yield Path(folder).resolve()
