"""The buttons above a page: they lead to the committed source, not to the assembled copy."""

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

COLAB = "https://colab.research.google.com"


def source_of(page: str, folder: Path) -> str:
    """Return where a page's source lies in the repository."""
    chapter = (folder / f"{page}.ipynb").exists()
    return f"notebooks/{page}.ipynb" if chapter else f"book/{page}.md"


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
        project = repository.removeprefix("https://github.com/")
        colab = f"{COLAB}/github/{project}/blob/{branch}/{source}"
        made.append(_group("Run this chapter", "fas fa-play", [_link("Open in Colab", colab)]))
        saved = context["pathto"](f"_sources/{page}.ipynb", 1)
        downloads = [
            _link("Notebook as committed", f"{repository}/raw/{branch}/{source}"),
            _link("Notebook as run here", saved),
            _print(),
        ]
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


def _group(name: str, icon: str, members: list[dict[str, str]]) -> dict[str, Any]:
    label = name.split()[0].lower() + "-buttons"
    return {"type": "group", "tooltip": name, "icon": icon, "buttons": members, "label": label}


def _link(name: str, url: str) -> dict[str, str]:
    return {"type": "link", "text": name, "url": url}


def _print() -> dict[str, str]:
    return {"type": "javascript", "text": "Print or PDF", "javascript": "window.print()"}
