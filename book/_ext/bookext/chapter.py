"""What every chapter has without asking: verdicts on top, parameters and provenance at the end."""

from docutils import nodes
from sphinx.application import Sphinx

from bookext import parameters, provenance, strip
from bookext.page import page_of


def frame(app: Sphinx, doctree: nodes.document) -> None:
    """Put the strip under the title of a chapter, and the two folded boxes at its end."""
    page = page_of(app, app.env.docname)
    if page.name not in page.results:
        return
    section = next(iter(doctree.findall(nodes.section)), None)
    if section is None:
        return
    section.insert(1, nodes.raw("", str(strip.draw(page)), format="html"))
    section.append(nodes.raw("", str(parameters.folded(page)), format="html"))
    section.append(nodes.raw("", str(provenance.draw(page)), format="html"))
