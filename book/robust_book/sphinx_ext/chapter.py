"""Common parts of all chapters: first screen, claims and lesson on top, provenance below."""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from robust_book.chapters.about import about
from robust_book.sphinx_ext import answers, citation, findings, lessons, provenance
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


_RUNTIME = "Runtime:"


def frame(app: Sphinx, doctree: nodes.document) -> None:
    """Insert first screen, strip and lesson under a chapter's title, and boxes at its end."""
    page = page_of(app, app.env.docname)
    if page.name not in page.results:
        return
    section = next(iter(doctree.findall(nodes.section)), None)
    if section is None:
        return
    _runtime_last(section)
    lessons.cure(section, page)
    below = [nodes.raw("", str(findings.strip(page)), format="html"), *_lesson(section, page)]
    section[1:1] = below
    answers.first_screen(section, page)
    section.append(nodes.raw("", str(citation.of_chapter(page)), format="html"))
    section.append(nodes.raw("", str(provenance.folded_parameters(page)), format="html"))
    section.append(nodes.raw("", str(provenance.draw(page)), format="html"))


_LESSON = re.compile(r'<div class="rb-lesson">.*?</div>', re.DOTALL)
_REFERENCE = re.compile(r'<p class="rb-reference">.*?</p>', re.DOTALL)


def _lesson(section: nodes.section, page: Page) -> list[nodes.Node]:
    """Return the lesson box with the reference to the paper, folded: for narrow screens."""
    box = lessons.box(page)
    if box is None:
        return []
    made: list[nodes.Node] = [
        drawn('<details class="rb-narrow"><summary>About this chapter</summary>'),
        nodes.raw("", str(box), format="html"),
    ]
    first = section[1] if len(section) > 1 else None
    if isinstance(first, nodes.paragraph) and isinstance(first[0], nodes.emphasis):
        section.remove(first)
        first["classes"].append("rb-reference")
        made.insert(1, first)
    return [*made, drawn("</details>")]


def beside(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """Insert the lesson box and the reference also below a chapter's contents, for wide screens."""
    body = context.get("body", "")
    found = [one[0] for one in (_REFERENCE.search(body), _LESSON.search(body)) if one]
    # What is there twice has its ids once.
    context["rb_beside"] = re.sub(r' id="[^"]*"', "", "\n".join(found))


def _runtime_last(section: nodes.section) -> None:
    """Fold the paragraph on the chapter's running time, and move it to the end."""
    told = (node for node in section.findall(nodes.paragraph))
    runtime = next((node for node in told if node.astext().startswith(_RUNTIME)), None)
    if runtime is not None:
        runtime.parent.remove(runtime)
        section.append(drawn('<details class="rb-parameters"><summary>How long it takes</summary>'))
        section.append(runtime)
        section.append(drawn("</details>"))
