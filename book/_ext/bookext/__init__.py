"""What the book adds to Sphinx: gates, numbers from results, and pages drawn from manifests.

Each directive is a function of a `Page` in a file of its own name; this file only wires them.
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from bookext import (
    cards,
    chapter,
    citation,
    credits,
    datasets,
    errata,
    gates,
    ledger,
    links,
    mathjax,
    measured,
    parameters,
    provenance,
    result,
    roles,
    scoreboard,
    sheet,
    strip,
    thebe,
    way,
)
from bookext.page import page_of
from robust_lib.errors import RobustLibError

LOGGER = logging.getLogger(__name__)

DRAWN = {
    "cards": cards.draw,
    "citation": citation.draw,
    "credits": credits.draw,
    "datasets": datasets.draw,
    "errata": errata.draw,
    "ledger": ledger.draw,
    "measured": measured.draw,
    "parameters": parameters.draw,
    "provenance": provenance.draw,
    "scoreboard": scoreboard.draw,
    "sheet": sheet.draw,
    "verdicts": strip.draw,
    "way": way.draw,
}


def _directive(draw):
    """Return a directive that puts what `draw` returns for the page into it."""

    class Drawn(SphinxDirective):
        optional_arguments = 1
        has_content = True

        def run(self) -> list[nodes.Node]:
            page = page_of(self.env.app, self.env.docname)
            try:
                markup = draw(page, *self.arguments, *self.content)
            except RobustLibError as error:
                LOGGER.warning("%s: %s", self.name, error, location=self.get_location())
                return []
            return [nodes.raw("", str(markup), format="html")]

    return Drawn


def setup(app: Sphinx) -> dict[str, bool]:
    """Wire everything; Sphinx calls this once."""
    for name, draw in DRAWN.items():
        app.add_directive(name, _directive(draw))
    app.add_role("result", result.Result())
    thebe.remove(app)
    app.connect("builder-inited", mathjax.vendor)
    app.connect("env-before-read-docs", gates.check)
    app.connect("doctree-read", chapter.frame)
    # After the theme has made its own list of buttons, which this one replaces.
    app.connect("html-page-context", links.buttons, priority=900)
    app.connect("html-page-context", roles.renew)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
