"""The first screen of a chapter: its question, the paper's and this run's answer, one figure."""

import re
from collections.abc import Mapping
from typing import Any

from docutils import nodes

from robust_book.chapters.about import Answer, about
from robust_book.html.markup import Html, lines, text
from robust_book.sphinx_ext.findings import unbroken
from robust_book.sphinx_ext.light import once_more
from robust_book.sphinx_ext.nodes import drawn
from robust_book.sphinx_ext.page import Page
from robust_book.sphinx_ext.result import UNKNOWN, filled

WORDS = {
    "not decided": "This is not decided.",
    "premise fails": "This is not tested, as a premise fails.",
}
"""The answers to every question that a run leaves open."""
NOTHING = "This run has no number for this question."
_KEY = re.compile(r"\{([^{}]+)\}")


def first_screen(section: nodes.section, page: Page) -> None:
    """Put the question, both answers and the figure of the finding directly under the title."""
    found = about(page.name)
    if found is None:
        return
    question = _question(section)
    made = [*([question] if question else []), drawn(_answers(page, found.answer))]
    figure = once_more(page, section, found.finding, "finding")
    if figure is not None:
        made.append(drawn(_figure(page, found.finding, figure)))
    section[1:1] = made


def here(answer: Answer, numbers: Mapping[str, Mapping[str, Any]], chapter: str) -> str:
    """Return a run's answer to the question of a chapter as text.

    Args:
        numbers: the chapter's saved numbers, by keys that begin with its name and a dot.

    >>> answer = Answer(paper="", claim="a-claim-1", holds="Yes.", fails="No.", run=("It is {b}.",))
    >>> number = {"text": "80.1 %", "ends": "[77.2, 83.2]"}
    >>> here(answer, {"toy.a-claim-1": {"text": "holds"}, "toy.b": number}, "toy")
    'Yes. It is 80.1 % [77.2, 83.2].'
    >>> here(answer, {"toy.a-claim-1": {"text": "not decided"}, "toy.b": number}, "toy")
    'This is not decided. It is 80.1 % [77.2, 83.2].'
    >>> here(answer, {"toy.b": {"text": "not measured"}}, "toy")
    'This run has no number for this question.'
    """
    word = numbers.get(f"{chapter}.{answer.claim}", {}).get("text", "")
    by_word = {"holds": answer.holds, "by construction": answer.holds}
    told = (by_word | {"does not hold": answer.fails} | WORDS).get(word, "")
    sentences = [told, *(_filled(one, numbers, chapter) for one in answer.run)]
    return " ".join(filter(None, sentences)) or NOTHING


def _filled(sentence: str, numbers: Mapping[str, Mapping[str, Any]], chapter: str) -> str:
    """Return a sentence with its numbers filled in; empty if one of them was not measured."""
    saved = {key: numbers.get(f"{chapter}.{key}", {}) for key in _KEY.findall(sentence)}
    if any(one.get("text", UNKNOWN[0]) in UNKNOWN for one in saved.values()):
        return ""
    found = {
        key: " ".join(filter(None, (str(one["text"]), one.get("ends", ""))))
        for key, one in saved.items()
    }
    return _KEY.sub(lambda place: found[place[1]], sentence)


def _question(section: nodes.section) -> nodes.paragraph | None:
    """Remove the question from the paragraph that begins with it; its explanation stays there."""
    for told in section.findall(nodes.paragraph):
        first = next((one for one in told if one.astext().strip()), None)
        if not isinstance(first, nodes.strong) or not first.astext().endswith("?"):
            continue
        after = told[told.index(first) + 1 :]
        told.remove(first)
        if not told.astext().strip():
            told.parent.remove(told)
        elif isinstance(after[0], nodes.Text):
            told.replace(after[0], nodes.Text(after[0].astext().lstrip()))
        return nodes.paragraph("", "", first, classes=["rb-question"])
    return None


def _answers(page: Page, answer: Answer) -> Html:
    """Return the paper's answer and this run's, side by side."""
    _, saved = page.chapter()
    ours = here(answer, saved.get("numbers", {}), page.name)
    return lines(
        '<div class="rb-answers">',
        *(
            f'<p><span class="rb-label">{side}</span> {text(unbroken(words))}</p>'
            for side, words in (("The paper", filled(answer.paper)), ("This run", ours))
        ),
        "</div>",
    )


def _figure(page: Page, name: str, figure: Html) -> Html:
    place = page.place(name) or f"#{name.rpartition('.')[2]}"
    way = f'<a href="{text(place)}">How it was made, and what to see in it</a>'
    return lines(
        f'<figure class="rb-figure rb-finding">{figure}',
        f'<figcaption class="rb-small">{way}</figcaption></figure>',
    )
