"""The five papers with the addresses at which they can be read, from the citation file."""

from typing import Any

import yaml

from robust_book.html.markup import Html, lines, text
from robust_book.sphinx_ext.page import Page
from robust_lib import paths


def draw(page: Page) -> Html:
    """Return a line a paper: authors, title, year, links to arXiv and to its DOI."""
    file = paths.root() / "CITATION.cff"
    cited = yaml.safe_load(file.read_text("utf-8"))["references"] if file.exists() else []
    return lines('<ul class="rb-papers">', *map(_paper, cited), "</ul>")


def _paper(work: dict[str, Any]) -> str:
    names = ", ".join(f"{one['given-names']} {one['family-names']}" for one in work["authors"])
    links = [_link(str(one["value"])) for one in work.get("identifiers", [])]
    if "doi" in work:
        links.append(_link(f"doi:{work['doi']}"))
    return (
        f"<li>{text(names)}, <em>{text(work['title'])}</em>, {work['year']}. "
        f"{', '.join(filter(None, links))}</li>"
    )


def _link(name: str) -> str:
    """Return a link for an identifier such as "arXiv:1807.01697v1"; others as they are."""
    kind, _, number = name.partition(":")
    homes = {"arXiv": "https://arxiv.org/abs/", "doi": "https://doi.org/"}
    if kind not in homes:
        return str(text(name))
    return f'<a href="{homes[kind]}{text(number)}">{text(name)}</a>'
