"""The foot of every page: its version, run, news and licence, how to cite and report."""

from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx

from robust_book.html.markup import Html, text
from robust_book.sphinx_ext.page import Page, page_of
from robust_book.sphinx_ext.provenance import linked
from robust_lib import paths


def put(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Give the template of the footer its content."""
    context["imprint"] = str(draw(page_of(app, page)))


def draw(page: Page) -> Html:
    """Return version, run, commit and date, then news, licence, citation and where to report."""
    cited = _citation()
    facts: list[str | Html] = [f"Version {cited['version']}"] if cited else []
    known = [saved["provenance"] for saved in page.results.values()]
    if known:
        latest = max(known, key=lambda one: str(one["date"]))
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


def _citation() -> dict[str, Any]:
    file = paths.root() / "CITATION.cff"
    return dict(yaml.safe_load(file.read_text("utf-8"))) if file.exists() else {}
