"""The pages of a site in reading order, and the links between them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import Any
from urllib.parse import unquote, urlsplit

from robust_lib.config.strict_yaml import read_yaml
from robust_lib.errors import RunError


@dataclass(frozen=True)
class Leaf:
    """A page of the book.

    Attributes:
        name: path of its file below the site, without the suffix.
        depth: 0 for a chapter, 1 for its sections, ...
        part: caption of the part that it begins; "" within a part.
    """

    name: str
    depth: int = 0
    part: str = ""


def leaves(contents: Mapping[str, Any]) -> list[Leaf]:
    """Return the pages in a table of contents, in its order.

    >>> toc = {"root": "index", "parts": [{"caption": "Use", "chapters": [
    ...     {"file": "api", "sections": [{"file": "api/errors"}]}, {"file": "cite"}]}]}
    >>> [(one.name, one.depth, one.part) for one in leaves(toc)]
    [('index', 0, ''), ('api', 0, 'Use'), ('api/errors', 1, ''), ('cite', 0, '')]
    """
    found = [Leaf(contents["root"])]
    for part in contents["parts"]:
        below = list(_below(part["chapters"], 0))
        first = below[0] if below else None
        found += [
            Leaf(one.name, one.depth, part.get("caption", "")) if one is first else one
            for one in below
        ]
    return found


def _below(chapters: Sequence[Mapping[str, Any]], depth: int) -> Iterator[Leaf]:
    for chapter in chapters:
        yield Leaf(str(chapter["file"]), depth)
        yield from _below(chapter.get("sections", ()), depth + 1)


def of_site(home: Path) -> list[Leaf]:
    """Return the pages of a profile's site.

    Raises:
        RunError: the site is missing, or lacks a page of its table of contents.
    """
    contents, site = home / "book" / "_toc.yml", home / "site"
    if not contents.exists() or not (site / "index.html").exists():
        raise RunError(
            f"Expected a rendered site in {site}, but there is none. Run `make book` to make it, "
            "or `robust site` to render the executed notebooks."
        )
    found = leaves(read_yaml(contents))
    lost = [one.name for one in found if not (site / f"{one.name}.html").exists()]
    if lost:
        raise RunError(
            f"Expected the pages {', '.join(lost)} in {site}, but they are not there. Render the "
            "site again: `robust site`."
        )
    return found


class _Links(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        href = dict(attrs).get("href")
        if tag == "a" and href:
            self.found.append(href)


def places(site: Path, names: Iterable[str]) -> dict[str, set[str]]:
    """Return page -> its ids that pages of the book link to."""
    found: dict[str, set[str]] = {name: set() for name in names}
    for name in found:
        for link in _Links((site / f"{name}.html").read_text("utf-8")).found:
            target, place = led_to(name, link)
            if place and target in found:
                found[target].add(place)
    return found


def led_to(name: str, link: str) -> tuple[str | None, str]:
    """Return the page and the id that a link leads to; no page if it leaves the book.

    >>> led_to("decisions/index", "../ledger.html#inc-tab1")
    ('ledger', 'inc-tab1')
    >>> led_to("index", "https://example.org/ledger.html")
    (None, '')
    """
    address = urlsplit(link)
    if address.scheme or address.netloc:
        return None, ""
    place = unquote(address.fragment)
    if not address.path:
        return name, place
    path = normpath(str(PurePosixPath(name).parent / unquote(address.path)))
    return (path.removesuffix(".html"), place) if path.endswith(".html") else (None, "")
