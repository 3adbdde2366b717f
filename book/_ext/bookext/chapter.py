"""What every chapter has without asking: its claims on top, cost and provenance at the end."""

from docutils import nodes
from sphinx.application import Sphinx

from bookext import parameters, provenance, strip
from bookext.nodes import drawn
from bookext.page import page_of

_RUNTIME = "Runtime:"


def frame(app: Sphinx, doctree: nodes.document) -> None:
    """Put the strip under the title of a chapter, and the folded boxes at its end."""
    page = page_of(app, app.env.docname)
    if page.name not in page.results:
        return
    section = next(iter(doctree.findall(nodes.section)), None)
    if section is None:
        return
    _runtime_last(section)
    section.insert(1, nodes.raw("", str(strip.draw(page)), format="html"))
    section.append(nodes.raw("", str(parameters.folded(page)), format="html"))
    section.append(nodes.raw("", str(provenance.draw(page)), format="html"))


def _runtime_last(section: nodes.section) -> None:
    """Fold the paragraph that says how long the chapter takes, and put it at the end."""
    told = (node for node in section.findall(nodes.paragraph))
    runtime = next((node for node in told if node.astext().startswith(_RUNTIME)), None)
    if runtime is not None:
        runtime.parent.remove(runtime)
        section.append(drawn('<details class="rb-parameters"><summary>How long it takes</summary>'))
        section.append(runtime)
        section.append(drawn("</details>"))
