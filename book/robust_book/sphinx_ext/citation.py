"""Citations of the book and its five papers, and the footer of every page."""

import re
from functools import lru_cache
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx

from robust_book.html.markup import Html, lines, text
from robust_book.sphinx_ext.page import Page, page_of
from robust_book.sphinx_ext.provenance import linked
from robust_lib import paths

KEY = "robustness_reproduced"
ENTRY = """\
@misc{{{key},
  title  = {{{title}: an executable companion to five robustness papers}},
  author = {{{{{author}}}}},
  year   = {{{year}}},
  note   = {{{note}}},
  url    = {{{repository}}}
}}"""


def draw(page: Page) -> Html:
    """Return the BibTeX entry of the book, with the version and commit of the site."""
    return _entry(_book(page, _latest(page)))


def of_chapter(page: Page) -> Html:
    """Return the citations of a chapter: its paper, and the book at the chapter's own run."""
    _, saved = page.chapter()
    known = _works(page)
    papers = [one.key for one in page.papers if page.name.startswith(f"{one.key}_")]
    source = dict(saved["provenance"])
    entries = [*(known[key] for key in papers), _book(page, source)]
    keys = [*(f"the paper as <code>{text(key)}</code>" for key in papers),
            f"this book as <code>{text(KEY)}</code>"]  # fmt: skip
    version = f", version {text(cited['version'])}" if (cited := _citation()) else ""
    return lines(
        f'<details class="rb-parameters rb-cite"><summary>Cite {" and ".join(keys)}{version}, '
        f"commit {text(str(source['commit'])[:8])}</summary>",
        _entry("\n\n".join(entries)),
        "</details>",
    )


def _book(page: Page, latest: dict[str, Any] | None) -> str:
    cited = _citation()
    note = [f"Version {cited['version']}"] if cited else []
    if latest is not None:
        note += [f"commit {latest['commit']}", f"profile {latest['profile']} of {latest['date']}"]
    author = cited["authors"][0]["name"] if cited else page.imprint["author"]
    words = {**page.imprint, "author": author, "note": ", ".join(note)}
    return ENTRY.format(key=KEY, repository=page.repository, **words)


def _entry(entry: str) -> Html:
    return Html(f'<div class="highlight rb-entry"><pre tabindex="0">{text(entry)}</pre></div>')


def bibtex(page: Page) -> Html:
    """Return the BibTeX entries of the five papers from the book's own references."""
    known = _works(page)
    return _entry("\n\n".join(known[paper.key] for paper in page.papers))


def _works(page: Page) -> dict[str, str]:
    """Return the book's references: key -> BibTeX entry."""
    works = (page.folder / "references.bib").read_text("utf-8")
    return {key: entry for entry, key in _WORK.findall(works)}


_WORK = re.compile(r"^(@\w+\{(\w+),.*?^\})$", re.DOTALL | re.MULTILINE)


def papers(page: Page) -> Html:
    """Return one line per paper: authors, title, year, links to arXiv and to its DOI."""
    file = paths.root() / "CITATION.cff"
    cited = yaml.safe_load(file.read_text("utf-8"))["references"] if file.exists() else []
    return lines('<ul class="rb-papers">', *map(_paper, cited), "</ul>")


def _paper(work: dict[str, Any]) -> str:
    names = ", ".join(f"{one['given-names']} {one['family-names']}" for one in work["authors"])
    links = [_identifier(str(one["value"])) for one in work.get("identifiers", [])]
    if "doi" in work:
        links.append(_identifier(f"doi:{work['doi']}"))
    return (
        f"<li>{text(names)}, <em>{text(work['title'])}</em>, {work['year']}. "
        f"{', '.join(filter(None, links))}</li>"
    )


def _identifier(name: str) -> str:
    """Return a link for an identifier such as "arXiv:1807.01697v1"; others are unchanged."""
    kind, _, number = name.partition(":")
    homes = {"arXiv": "https://arxiv.org/abs/", "doi": "https://doi.org/"}
    if kind not in homes:
        return str(text(name))
    return f'<a href="{homes[kind]}{text(number)}">{text(name)}</a>'


def put_foot(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Pass the content of the footer to its template."""
    context["imprint"] = str(foot(page_of(app, page)))


def foot(page: Page) -> Html:
    """Return version, run, commit and date, then links for news, licence, citation and reports."""
    cited = _citation()
    facts: list[str | Html] = [f"Version {cited['version']}"] if cited else []
    if (latest := _latest(page)) is not None:
        facts += [
            f"profile {latest['profile']}",
            Html(f"commit {linked(page, str(latest['commit']))}"),
            str(latest["date"]),
        ]
    licence = [f"Licence {cited['license']}"] if cited else []
    links = [
        f'<a href="{text(page.repository)}/blob/HEAD/CHANGELOG.md">What changed</a>',
        *licence,
        f'<a href="{text(page.to("cite.html"))}">How to cite</a>',
        f'<a href="{text(page.repository)}/issues/new?title=Page%20{text(page.name)}">'
        "Report a problem</a>",
    ]
    said = " · ".join([*map(str, map(text, facts)), *links])
    return Html(f'<p class="rb-imprint">{said}</p>')


def _latest(page: Page) -> dict[str, Any] | None:
    """Return the provenance of the newest of a site's results."""
    known = [dict(saved["provenance"]) for saved in page.results.values()]
    return max(known, key=lambda one: str(one["date"]), default=None)


def _citation() -> dict[str, Any]:
    file = paths.root() / "CITATION.cff"
    return _read(file.read_text("utf-8")) if file.exists() else {}


@lru_cache(maxsize=1)
def _read(content: str) -> dict[str, Any]:
    """Return the content of a YAML file, cached because every page needs it."""
    return dict(yaml.safe_load(content))
