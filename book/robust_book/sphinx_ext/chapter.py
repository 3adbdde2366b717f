"""What every chapter has without asking: its name, claims and lesson on top, provenance below."""

from docutils import nodes
from sphinx.application import Sphinx

from robust_book.chapters.about import about
from robust_book.html.markup import text
from robust_book.sphinx_ext import findings, lessons, provenance
from robust_book.sphinx_ext.light import once_more
from robust_book.sphinx_ext.nodes import Kicker, drawn
from robust_book.sphinx_ext.page import Page, page_of


def put_kicker(app: Sphinx, doctree: nodes.document) -> None:
    """Put a chapter's standard name before its title."""
    found = about(app.env.docname)
    title = next(iter(doctree.findall(nodes.title)), None)
    if found is None or title is None or title.astext().startswith(found.kicker):
        return
    # The colon is for lists and search results; beside the title a line stands for it.
    title.insert(0, nodes.inline("", ": ", classes=["rb-colon"]))
    title.insert(0, Kicker("", found.kicker))


_RUNTIME, _THIS_RUN = "Runtime:", "This run"


def frame(app: Sphinx, doctree: nodes.document) -> None:
    """Put the strip under the title of a chapter, and the folded boxes at its end."""
    page = page_of(app, app.env.docname)
    if page.name not in page.results:
        return
    section = next(iter(doctree.findall(nodes.section)), None)
    if section is None:
        return
    _runtime_last(section)
    _finding_first(section, page)
    lessons.cure(section, page)
    for told in (lessons.box(page), findings.strip(page)):
        if told is not None:
            section.insert(1, nodes.raw("", str(told), format="html"))
    section.append(nodes.raw("", str(provenance.folded_parameters(page)), format="html"))
    section.append(nodes.raw("", str(provenance.draw(page)), format="html"))


def _finding_first(section: nodes.section, page: Page) -> None:
    """Put the figure of a chapter's finding under the words that tell it, before the way there."""
    found = about(page.name)
    name = found.finding if found is not None else ""
    figure = once_more(page, section, name, "finding")
    told = [one for one in section.children if one.astext().startswith(_THIS_RUN)]
    if figure is None or not told:
        return
    place = page.place(name) or f"#{name.rpartition('.')[2]}"
    way = f'<a href="{text(place)}">How it was made, and what to see in it</a>'
    shown = f'<figure class="rb-figure rb-finding">{figure}<figcaption class="rb-small">{way}'
    section.insert(section.index(told[-1]) + 1, drawn(f"{shown}</figcaption></figure>"))


def _runtime_last(section: nodes.section) -> None:
    """Fold the paragraph that says how long the chapter takes, and put it at the end."""
    told = (node for node in section.findall(nodes.paragraph))
    runtime = next((node for node in told if node.astext().startswith(_RUNTIME)), None)
    if runtime is not None:
        runtime.parent.remove(runtime)
        section.append(drawn('<details class="rb-parameters"><summary>How long it takes</summary>'))
        section.append(runtime)
        section.append(drawn("</details>"))
