"""The student's and the teacher's copy of a notebook, made from the book's notebook.

An exercise of a page is a numbered paragraph, and its answer a folded block below. The student's
copy has cells for the answer instead; the teacher's copy has the answer, with its code as an
executable cell. Both copies check the answer with the same call.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from robust_book.course.answers import KEPT, Exercise
from robust_book.course.checklists import CHECKLISTS
from robust_book.course.checks import EXERCISES
from robust_lib.errors import RunError
from robust_lib.results.notation import listed

Whose = Literal["student", "teacher"]
Notebook = dict[str, Any]
Cell = dict[str, Any]

HEADING = "## Exercises"
KERNEL, KERNEL_TITLE = "robust", "Robustness course"
"""The kernel that a course's README installs."""
_BEGIN = re.compile(r"^(?=\d+\. \*\*)", re.MULTILINE)
_NUMBER = re.compile(r"^(\d+)\. ")
_NAME = re.compile(r"\*\*(.+?)\.?\*\*")
_FOLDED = re.compile(r"^:::\{dropdown\} (.+?)$\n(.*?)^:::$\n?", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"^```python\n(.*?)^```$\n?", re.DOTALL | re.MULTILINE)
_RESULT = re.compile(r"\{result\}`([^`]+)`")
_CITE = re.compile(r"\{cite:p\}`([^`]+)`")
_PAGE = re.compile(r"\]\(([\w/-]+)\.md(#[^)]*)?\)")
_CHAPTER = re.compile(r"\[([^\]]+)\]\((\w+)\.ipynb(#[^)]*)?\)")
_COMMAND = re.compile(r"(\brobust [^`\n]*--profile )\w+")
_PROFILE = re.compile(r'^profile = "\w+"', re.MULTILINE)


@dataclass(frozen=True)
class Part:
    """An exercise of a page."""

    number: int
    text: str
    title: str
    answer: str


def made(
    notebook: Notebook,
    name: str,
    whose: Whose,
    *,
    profile: str,
    numbers: Mapping[str, str],
    chapters: Collection[str],
) -> Notebook:
    """Return a copy of a notebook, its outputs left out.

    Args:
        numbers: key in the prose -> text of the number.
        chapters: chapters of the course; links to others become plain text.

    Raises:
        RunError: an exercise has neither a check nor a checklist, or no folded answer.
    """
    cells: list[Cell] = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code":
            if "parameters" in cell["metadata"].get("tags", ()):
                first = OPENING if whose == "student" else _OF_TEACHER + OPENING
                cells.append(_code("open-course", first))
                source = _PROFILE.sub(f'profile = "{profile}"', source, count=1)
            cells.append({**_code(cell["id"], source), "metadata": cell["metadata"]})
            continue
        before, heading, after = source.partition(f"{HEADING}\n")
        told = _plain(before + heading + _BEGIN.split(after)[0], numbers, chapters)
        cells.append(_prose(cell["id"], told))
        for part in parts(after, name) if heading else ():
            plain = Part(
                part.number,
                _plain(part.text, numbers, chapters),
                part.title,
                _plain(part.answer, numbers, chapters),
            )
            cells += _exercise(plain, name, whose)
    for cell in cells:
        if cell["cell_type"] == "markdown":  # a command of an exercise reads what the course has
            text = _COMMAND.sub(rf"\g<1>{profile}", "".join(cell["source"]))
            cell["source"] = _lines(text)
    kernel = {**notebook["metadata"]["kernelspec"], "name": KERNEL, "display_name": KERNEL_TITLE}
    metadata = {"kernelspec": kernel, KEPT: {"chapter": name, "profile": profile}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def without_answers(notebook: Notebook) -> Notebook:
    """Return a notebook of the book without the folded answers to its exercises."""
    cells = []
    for cell in notebook["cells"]:
        before, heading, after = "".join(cell["source"]).partition(f"{HEADING}\n")
        if cell["cell_type"] == "markdown" and heading:
            source = before + heading + _FOLDED.sub("", after)
            cells.append({**cell, "source": _lines(source)})
        else:
            cells.append(cell)
    return {**notebook, "cells": cells}


OPENING = """from robust_book.course import checks, classroom

classroom.open_folder()  # images, networks and predictions are those of this folder"""
_OF_TEACHER = """import solutions  # solutions.py, which only this folder has
"""


def parts(text: str, name: str) -> Iterator[Part]:
    r"""Yield the exercises of a page.

    >>> text = "1. **Count.** How many?\n\n:::{dropdown} Solution\nThree.\n:::\n"
    >>> list(parts(text, "toy"))
    [Part(number=1, text='1. **Count.** How many?', title='Solution', answer='Three.')]
    """
    for piece in _BEGIN.split(text)[1:]:
        folded = _FOLDED.search(piece)
        number = _NUMBER.match(piece)
        if folded is None or number is None:
            raise RunError(
                f"Expected each exercise of {name} to be followed by one folded answer, but "
                f"{piece[:40]!r} is not. Add a folded answer as in the other exercises."
            )
        told = (_FOLDED.sub("", piece), folded[1], folded[2])
        yield Part(int(number[1]), *(one.strip() for one in told))


def _exercise(part: Part, name: str, whose: Whose) -> Iterator[Cell]:
    asked = EXERCISES.get(name, {}).get(part.number)
    ticks = CHECKLISTS.get(name, {}).get(part.number)
    if (asked is None) == (ticks is None):
        raise RunError(
            f"Expected either a check or a checklist for exercise {part.number} of {name}, but "
            "got both or neither. Add or remove an entry in the tables of book/robust_book/course."
        )
    key = f"exercise-{part.number}"
    title = _NAME.search(part.text)
    called = f"Exercise {part.number}" + (f", {title[1]}" if title else "")
    yield _prose(key, part.text)
    if whose == "teacher":
        yield from _solution(part, asked, key)
    elif asked is not None:
        lines = [f"# {called}: put your answer in place of None."]
        lines += [f"{one.name} = None  # {one.expects}" for one in asked.answers]
        if any(one.expects.startswith("your function") for one in asked.answers):
            lines.append("# Define it below this line.")
        yield _code(f"{key}-answer", "\n".join(lines))
    else:
        yield _prose(f"{key}-answer", "*Your answer:*")
    if asked is not None:
        given = ", ".join(f"{one.name}={one.name}" for one in asked.answers)
        names = listed([f"`{one.name}`" for one in asked.answers])
        call = f"checks.check(run, {part.number}, {given})"
        yield _code(f"{key}-check", f"# {called}: checks your {names}.\n{call}")
    for line in [ticks] if ticks else []:
        boxes = "\n".join(f"- [ ] {sentence}" for sentence in line)
        yield _prose(
            f"{key}-checklist", f"*No computer checks this one. Check it yourself:*\n\n{boxes}"
        )


def _solution(part: Part, asked: Exercise | None, key: str) -> Iterator[Cell]:
    """Yield the folded answer as cells: text as Markdown, code as code that defines the answer."""
    # Words and code by turns, words first.
    for place, piece in enumerate(_CODE.split(part.answer)):
        head = f"**{part.title}.**\n\n" if place == 0 else ""
        if place % 2:
            yield _code(f"{key}-solution-{place}", piece.rstrip())
        elif told := (head + piece.strip()).strip():
            yield _prose(f"{key}-words-{place}", told)
    if asked is not None and asked.of_run:
        lines = [
            f'{one.name} = solutions.right(run, {part.number}, "{one.name}")'
            for one in asked.answers
        ]
        yield _code(f"{key}-answer", "\n".join(lines))


def _plain(text: str, numbers: Mapping[str, str], chapters: Collection[str]) -> str:
    """Return a text of the site as plain Markdown, without roles."""

    def number(found: re.Match[str]) -> str:
        return numbers.get(found[1], "…")

    def chapter(found: re.Match[str]) -> str:
        return found[0] if found[2] in chapters else found[1]

    text = _RESULT.sub(number, text)
    text = _CITE.sub(lambda found: f"[{found[1]}](../site/cite.html)", text)
    text = re.sub(r"(^```\{measured\} .*\n```\n?)+", _MEASURED, text, flags=re.MULTILINE)
    text = _FOLDED.sub(lambda found: f"*{found[1]}.* {found[2]}", text)
    text = _PAGE.sub(lambda found: f"](../site/{found[1]}.html{found[2] or ''})", text)
    return _CHAPTER.sub(chapter, text).strip()


_MEASURED = "The table is on the chapter's page of the site.\n"


def _prose(key: str, text: str) -> Cell:
    return {"cell_type": "markdown", "id": key[:64], "metadata": {}, "source": _lines(text)}


def _code(key: str, text: str) -> Cell:
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": key[:64],
        "metadata": {},
        "outputs": [],
        "source": _lines(text),
    }


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
