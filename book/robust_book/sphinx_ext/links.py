"""Targets of links between chapters, and of buttons in and above a page.

Only a run with a known commit can be launched, so that the launched code matches the page.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from robust_book.commands import launch
from robust_book.commands.site import linked
from robust_book.html.markup import Html, text
from robust_book.sphinx_ext.page import Page, page_of
from robust_lib.errors import InputError

COLAB = "https://colab.research.google.com"
BINDER = "https://mybinder.org"


def source_of(page: str, folder: Path) -> str:
    """Return the path of a page's source in the repository."""
    chapter = (folder / f"{page}.ipynb").exists()
    return f"notebooks/{page}.ipynb" if chapter else f"book/{page}.md"


def there(app: Sphinx, page: str, source: list[str]) -> None:
    """Replace a page's links to chapters that this site lacks by plain text."""
    folder = Path(app.srcdir)
    if (folder / f"{page}.md").exists():
        source[0] = linked(source[0], {file.stem for file in folder.glob("*.ipynb")})


def buttons(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Replace the theme's buttons by ours: run, download, source."""
    options = app.config.html_theme_options
    repository = str(options["repository_url"]).rstrip("/")
    branch = options["repository_branch"]
    folder = Path(app.srcdir)
    made = []
    source = source_of(page, folder)
    if source.startswith("notebooks/"):
        record = page_of(app, page).results.get(page)
        where = launch.place(record) if record else None
        if record and where is not None:
            made.append(_group("Run this chapter", "fas fa-play", run(repository, record)))
        saved = context["pathto"](f"_sources/{page}.ipynb", 1)
        downloads = [
            _link("Notebook as committed", f"{repository}/raw/{branch}/{source}"),
            _link("Notebook as run here", saved),
        ]
        if where is not None:
            alone = context["pathto"](f"_static/{launch.FOLDER}/{where}", 1)
            downloads.insert(2, _link("Notebook that installs what it needs", alone))
        made.append(_group("Download this chapter", "fas fa-download", downloads))
    if doctree is not None:
        kept = [
            _link("Repository", repository),
            _link("Source of this page", f"{repository}/blob/{branch}/{source}"),
            _link("Suggest an edit", f"{repository}/edit/{branch}/{source}"),
            _link("Report a problem", f"{repository}/issues/new?title=Page%20{page}"),
        ]
        made.append(_group("Source of this page", "fab fa-github", kept))
    context["header_buttons"] = made


def run(repository: str, record: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the links that open a chapter, at the commit of its run, where it can be executed.

    Args:
        repository: address of the repository on GitHub.
        record: record of the chapter's run, with its commit.
    """
    project = repository.removeprefix("https://github.com/")
    commit, name = record["provenance"]["commit"], record["notebook"]
    return [
        _link(
            "Open in Colab",
            f"{COLAB}/github/{project}/blob/{launch.FOLDER}/{launch.place(record)}",
        ),
        _link(
            "Open in Binder",
            f"{BINDER}/v2/gh/{project}/{commit}?urlpath=lab/tree/notebooks/{name}.ipynb",
        ),
    ]


def _group(name: str, icon: str, members: list[dict[str, str]]) -> dict[str, Any]:
    label = name.split()[0].lower() + "-buttons"
    return {"type": "group", "tooltip": name, "icon": icon, "buttons": members, "label": label}


def _link(name: str, url: str) -> dict[str, str]:
    return {"type": "link", "text": name, "url": url}


def link_buttons(page: Page, *entries: str) -> Html:
    """Return one button per entry, `page: words`; pages that this site lacks are left out.

    Raises:
        InputError: an entry has no words.
    """
    made = []
    for entry in entries:
        target, _, words = entry.partition(": ")
        if not words:
            raise InputError(f"Expected `page: words` for a button, but got {entry!r}.")
        if any((page.folder / f"{target}{kind}").exists() for kind in (".md", ".ipynb")):
            href = page.to(f"{target}.html")
            made.append(f'<li><a class="rb-button" href="{text(href)}">{text(words)}</a></li>')
    return Html(f'<ul class="rb-buttons">{"".join(made)}</ul>')
