"""A chapter as a lesson: minutes, prerequisites, a natural mistake, questions."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
from docutils import nodes
from sphinx.application import Sphinx

from robust_book.chapters.about import SESSIONS, About, Lesson, about, alone, lessons
from robust_book.commands.site import linked
from robust_book.html.markup import Html, lines, text
from robust_book.html.table import table
from robust_book.sphinx_ext import glossary
from robust_book.sphinx_ext.light import once_more
from robust_book.sphinx_ext.nodes import drawn
from robust_book.sphinx_ext.page import Page
from robust_lib.errors import InputError, one_of

MISTAKE, DISCUSS = "A common misconception", "To discuss"
_DONE = '<abbr title="with its exercises">*</abbr>'
_EXERCISES = re.compile(r"^## Exercises$", re.MULTILINE)


def insert(app: Sphinx, name: str, source: list[str]) -> None:
    """Insert a chapter's mistake and questions before its exercises, as a cell of prose."""
    folder = Path(app.srcdir)
    lesson = about(name)
    if lesson is None or not (folder / f"{name}.ipynb").exists():
        return
    notebook = json.loads(source[0])
    executed = {file.stem for file in folder.glob("*.ipynb")}
    notebook["cells"] = before_exercises(notebook["cells"], linked(prose(lesson), executed))
    source[0] = json.dumps(notebook)


def before_exercises(cells: Sequence[dict[str, Any]], words: str) -> list[dict[str, Any]]:
    """Return a notebook's cells with a text before its exercises, or at the end without any."""
    for at, cell in enumerate(cells):
        said = "".join(cell["source"])
        begins = _EXERCISES.search(said) if cell["cell_type"] == "markdown" else None
        if begins is not None:
            put = f"{said[: begins.start()]}{words}\n\n{said[begins.start() :]}"
            return [*cells[:at], {**cell, "source": put}, *cells[at + 1 :]]
    added = {"cell_type": "markdown", "id": "lesson", "metadata": {}, "source": words}
    return [*cells, added]


def prose(lesson: About) -> str:
    """Return the mistake and the questions of a lesson as Markdown; hints are folded."""
    mistake = lesson.misconception
    parts = [f"## {MISTAKE}", f"> {mistake.belief}", mistake.why, mistake.cure, f"## {DISCUSS}"]
    for number, question in enumerate(lesson.questions, start=1):
        parts += [f"{number}. {question.ask}", f":::{{dropdown}} Hint\n{question.hint}\n:::"]
    return "\n\n".join(parts)


def box(page: Page) -> Html | None:
    """Return the head of a chapter: minutes, prerequisites and learning goals."""
    lesson = about(page.name)
    if lesson is None:
        return None
    before = before_it(page, lesson)
    return lines(
        '<div class="rb-lesson">',
        f'<p><span class="rb-label">Time</span> <span>about {lesson.minutes.read} minutes to read, '
        f"{lesson.minutes.do} for the exercises</span></p>",
        f'<p><span class="rb-label">Before</span> <span>{before}</span></p>'
        if before.markup
        else None,
        '<p><span class="rb-label">You will be able to</span> '
        f"<span>{text('; '.join(lesson.able))}</span></p>",
        f'<p><span class="rb-label">For a class</span> <a href="#{_anchor(MISTAKE)}">a natural '
        f'mistake</a> and <a href="#{_anchor(DISCUSS)}">{len(lesson.questions)} questions to '
        "discuss</a></p>",
        '<p class="rb-open-lecture"></p>',
        "</div>",
    )


def before_it(page: Page, lesson: About) -> Html:
    """Return the prerequisites of a chapter, linked if this site has them."""
    known = {one.term: one for one in glossary.entries(page.folder)}
    chapters = [
        _link(page.to(f"{name}.html"), page.title(name)) for name in lesson.after if has(page, name)
    ]
    terms = []
    for term in lesson.terms:
        if term not in known:
            raise InputError(one_of("term of the glossary", term, known))
        terms.append(_link(page.to(f"glossary.html#{known[term].slug}"), term))
    linked_words = (", ".join(map(text, some)) for some in (chapters, terms))
    return Html("; ".join(filter(None, (*linked_words, text(lesson.besides)))))


def has(page: Page, chapter: str) -> bool:
    """Return whether a chapter is part of this site."""
    return (page.folder / f"{chapter}.ipynb").exists()


def cure(section: nodes.section, page: Page) -> None:
    """Insert the folded figure that corrects a mistake, with a link to it, below its text."""
    lesson = about(page.name)
    named = (one for one in section.findall(nodes.section) if one[0].astext() == MISTAKE)
    home = next(named, None)
    if lesson is None or home is None:
        return
    key = lesson.misconception.item
    place, figure = page.place(key), once_more(page, section, key, "cure")
    if place is None and figure is None:
        return  # this run has neither the item nor the figure
    there = _link(place or f"#{key.rpartition('.')[2]}", "Where this chapter shows it")
    if figure is None:
        home.append(drawn(f'<p class="rb-small">{there}</p>'))
        return
    home.append(
        drawn(
            '<details class="rb-aside"><summary>The figure</summary><figure class="rb-figure">'
            f'{figure}<figcaption class="rb-small">{there}</figcaption></figure></details>'
        )
    )


def draw(page: Page) -> Html:
    """Return a table of the lessons of all chapters on this site."""
    rows = []
    for name, lesson in lessons().items():
        if not has(page, name):
            continue
        home = page.to(f"{name}.html")
        title = f'<span class="rb-kicker">{text(lesson.kicker)}</span> {page.title(name)}'
        rows.append(
            {
                "Chapter": _link(home, Html(title)),
                "Read, min": lesson.minutes.read,
                "Do, min": lesson.minutes.do,
                "Before": before_it(page, lesson),
                "Show": _link(f"{home}?lecture", "Lecture"),
                "Talk": Html(
                    f"{_link(f'{home}#{_anchor(MISTAKE)}', 'Mistake')}, "
                    f"{_link(f'{home}#{_anchor(DISCUSS)}', 'questions')}"
                ),
            }
        )
    if not rows:
        return Html('<p class="rb-small">This site has no chapter.</p>')
    caption = "Chapters as lessons, with the minutes that a first reading takes"
    return table(pd.DataFrame(rows), caption=caption, decimals=0, filterable=False)


def paths(page: Page, which: str = "") -> Html:
    """Return a table of paths for 45 minutes, 90 minutes, a day, and each paper alone.

    Args:
        which: "papers" for each paper alone, one line each.
    """
    if which == "papers":
        listed = (
            f"<li>{text(one.name)}: {_steps(page, one.done, ())}, {_time(one.read)} to read and "
            f"{_time(one.do)} for the exercises</li>"
            for one in map(_own, alone())
        )
        return lines("<ul>", *listed, "</ul>")
    rows = [
        {
            "Time": one.name if one.minutes else f"{one.name} alone",
            "Chapters in this order": _steps(page, one.chapters, one.done),
            "Read, min": one.read,
            "Do, min": one.do,
            "To discuss, min": one.minutes - one.read - one.do if one.minutes else None,
        }
        for one in (*SESSIONS, *alone())
    ]
    caption = "Paths through the book; a star marks chapters whose exercises are done"
    return table(pd.DataFrame(rows), caption=caption, decimals=0, filterable=False)


def _own(lesson: Lesson) -> Lesson:
    """Return a path through a paper without the prerequisites of its chapters."""
    return replace(lesson, chapters=lesson.done)


def _steps(page: Page, chapters: Sequence[str], done: Sequence[str]) -> Html:
    named = (
        f"{_link(page.to(f'{name}.html'), page.title(name)) if has(page, name) else text(name)}"
        f"{_DONE if name in done else ''}"
        for name in chapters
    )
    return Html(", ".join(named))


def _time(minutes: int) -> str:
    """Return minutes as text.

    >>> _time(45), _time(145)
    ('45 min', '2 h 25 min')
    """
    hours, rest = divmod(minutes, 60)
    return " ".join([*([f"{hours} h"] if hours else []), *([f"{rest} min"] if rest else [])])


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


def _link(address: str, words: str | Html) -> Html:
    return Html(f'<a href="{text(address)}">{text(words)}</a>')
