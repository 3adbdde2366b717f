"""Every internal link and anchor of the built site leads somewhere; read from the files alone."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from robust_lib import paths
from robust_lib.results.reported import ledger

pytestmark = pytest.mark.site


class Document(HTMLParser):
    """The ids, links and images of a page."""

    def __init__(self, page: Path):
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.unnamed: list[str] = []
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if given.get("id"):
            self.ids.append(given["id"])
        for key in ("href", "src"):
            if given.get(key) and tag != "use":
                self.links.append(given[key])
        if tag == "img" and given.get("alt") is None:
            self.unnamed.append(str(given.get("src")))


@pytest.fixture(scope="module")
def documents(site, pages) -> dict[str, Document]:
    return {page: Document(site / page) for page in pages}


def internal(link: str) -> bool:
    return not urlsplit(link).scheme and not link.startswith(("//", "#top"))


def test_every_internal_link_leads_somewhere(site, documents):
    lost = []
    for page, document in documents.items():
        for link in filter(internal, document.links):
            address = urlsplit(link)
            target = (site / page).parent / unquote(address.path) if address.path else site / page
            target = target.resolve()
            if not target.exists():
                lost.append(f"{page}: {link}")
            elif address.fragment and target.suffix == ".html":
                ids = documents[str(target.relative_to(site.resolve()))].ids
                if unquote(address.fragment) not in ids:
                    lost.append(f"{page}: {link} (no such anchor)")
    assert sorted(set(lost)) == []


def test_no_id_stands_twice_on_a_page(documents):
    twice = {
        page: sorted({name for name in document.ids if document.ids.count(name) > 1})
        for page, document in documents.items()
    }
    assert {page: names for page, names in twice.items() if names} == {}


def test_every_image_has_an_alternative(documents):
    assert {page: d.unnamed for page, d in documents.items() if d.unnamed} == {}


def test_the_ledger_has_every_item(site):
    page = (site / "ledger.html").read_text("utf-8")
    shown = set(re.findall(r'data-item="([\w-]+)"', page))
    assert shown == {item.id for item in ledger()}


KEY = re.compile(r"\b(?:inc|overlap|nae|vid|nao)-(?:fig|tab|app|claim-)\w+\b")


def test_no_key_of_the_ledger_stands_in_a_title_a_menu_or_a_chip(site, pages):
    places = re.compile(r"<(h1|h2|h3|nav)\b.*?</\1>|<a class=\"rb-chip.*?</a>", re.DOTALL)
    told = [
        f"{page}: {found}"
        for page in pages
        for place in places.finditer((site / page).read_text("utf-8"))
        for found in KEY.findall(re.sub(r"<[^>]+>", " ", place[0]))
    ]
    assert told == []


def test_no_page_shows_markup_that_was_to_be_a_link(site, pages):
    code = re.compile(r"<(pre|code|script)\b.*?</\1>|<[^>]+>", re.DOTALL)
    told = {
        page: re.findall(r"\[[^\]]*\]\([^)\s]*\)", code.sub("", (site / page).read_text("utf-8")))
        for page in pages
    }
    assert {page: found for page, found in told.items() if found} == {}


def test_no_page_names_a_folder_of_the_machine_that_built_it(site, pages):
    folders = {str(paths.root()), str(Path.home()), str(site.resolve())} - {"/"}
    told = [
        f"{page}: {folder}"
        for page in pages
        for folder in folders
        if folder + "/" in (site / page).read_text("utf-8")
    ]
    assert told == []
