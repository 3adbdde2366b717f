"""Sphinx extension of the book: gates, numbers from results, and pages drawn from manifests.

Each directive is a function of a `Page`; this file only wires them.
"""

from collections.abc import Callable

from docutils import nodes as docutils_nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from robust_book.html.markup import Html
from robust_book.sphinx_ext import (
    cards,
    cells,
    chapter,
    citation,
    datasets,
    downloads,
    errata,
    examples,
    findings,
    functions,
    glossary,
    host,
    leaderboard,
    ledger,
    lessons,
    light,
    links,
    maths,
    measured,
    miniature,
    networks,
    nodes,
    page,
    provenance,
    result,
    theme,
    way,
)
from robust_book.sphinx_ext.page import note_results, page_of
from robust_lib.errors import RobustLibError

LOGGER = logging.getLogger(__name__)

DRAWN: dict[str, Callable[..., Html | None]] = {
    "bibtex": citation.bibtex,
    "brief": cards.brief,
    "buttons": links.link_buttons,
    "cards": cards.draw,
    "citation": citation.draw,
    "credits": datasets.icon_sets,
    "datasets": datasets.draw,
    "errata": errata.draw,
    "functions": functions.draw,
    "terms": glossary.draw,
    "leaderboard": leaderboard.draw,
    "ledger": ledger.draw,
    "lessons": lessons.draw,
    "paths": lessons.paths,
    "measured": measured.draw,
    "miniature": miniature.draw,
    "networks": networks.draw,
    "papers": citation.papers,
    "photograph": cards.photograph,
    "parameters": provenance.parameters,
    "provenance": provenance.draw,
    "scoreboard": findings.scoreboard,
    "sheet": light.sheet,
    "total": cards.total,
    "verdicts": findings.strip,
    "way": way.draw,
}


SHOW_RESULTS = (
    cards.draw, cards.photograph, cards.total, errata.draw, findings.scoreboard,
    leaderboard.draw, ledger.draw, lessons.draw, networks.draw,
)  # fmt: skip
"""What other pages than a chapter's show of all results."""


def _directive(draw: Callable[..., Html | None]) -> type[SphinxDirective]:
    """Return a directive that inserts the return value of `draw` into the page."""

    class Drawn(SphinxDirective):
        optional_arguments = 1
        has_content = True

        def run(self) -> list[docutils_nodes.Node]:
            if draw in SHOW_RESULTS:
                note_results(self.env)
            page = page_of(self.env.app, self.env.docname)
            try:
                markup = draw(page, *self.arguments, *self.content)
            except RobustLibError as error:
                LOGGER.warning("%s: %s", self.name, error, location=self.get_location())
                return []
            return [docutils_nodes.raw("", str(markup), format="html")]

    return Drawn


def setup(app: Sphinx) -> dict[str, bool]:
    """Register all directives, roles and events; Sphinx calls this once."""
    for name, draw in DRAWN.items():
        app.add_directive(name, _directive(draw))
    app.add_role("result", result.Result())
    theme.without_live_code(app)
    app.connect("config-inited", nodes.order)
    app.connect("config-inited", examples.announce)
    app.connect("env-before-read-docs", page.warn_of_faults)
    app.connect("env-updated", page.write_contents_anew)
    app.connect("env-check-consistency", page.write_side_by_side)
    app.connect("source-read", lessons.insert)
    app.connect("source-read", links.there)
    app.setup_extension("sphinx.ext.autodoc")  # whose event the next line needs
    app.connect("autodoc-process-docstring", examples.put_imports)
    app.connect("env-updated", functions.put_short_names)
    nodes.add(app)
    maths.add(app)
    # Before Sphinx collects titles and contents of what was read.
    for number, change in enumerate(
        (chapter.put_kicker, glossary.link, chapter.frame, nodes.renew)
    ):
        app.connect("doctree-read", change, priority=300 + number)
    # After the theme has made its own list of buttons, which this one replaces.
    app.connect("html-page-context", links.buttons, priority=900)
    app.connect("html-page-context", theme.say_roles, priority=900)
    app.connect("html-page-context", citation.put_foot)
    # Before the theme leaves out what is empty at the side of a page.
    app.connect("html-page-context", chapter.beside, priority=400)
    app.connect("html-page-context", cells.lead)
    app.connect("html-page-context", theme.keep_units)
    app.connect("html-page-context", light.lighten)
    app.connect("html-page-context", host.head, priority=900)
    app.connect("html-collect-pages", host.missing)
    app.connect("build-finished", downloads.fill)
    app.connect("build-finished", theme.remove_unused)
    app.connect("build-finished", host.tell_robots)
    app.connect("build-finished", host.guard)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
