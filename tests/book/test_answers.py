"""The first screens: each chapter has a question, two answers and a figure, and types no number."""

import re
from types import SimpleNamespace

import pytest
from docutils import nodes

from robust_book.sphinx_ext import answers, chapter, page
from robust_book.sphinx_ext.result import filled

from .test_lessons import LESSONS, NAMES, figures, labels, markdown

_KEY = re.compile(r"\{([^{}]+)\}")
_NAMED = re.compile(r"\b[A-Z][A-Za-z]*-\d+\w*|\bset[12]\b")  # networks and data sets have digits


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_chapter_names_its_question_its_answers_and_its_figure(name):
    lesson = LESSONS[name]
    assert re.search(r"^\*\*[^*]+\?\*\*", markdown(name), re.MULTILINE)
    assert lesson.finding in labels(name) | figures(name)
    answer = lesson.answer
    assert "{" not in filled(answer.paper)
    assert bool(answer.claim) == bool(answer.holds) == bool(answer.fails)
    assert not answer.claim or answer.claim.rpartition("-claim-")[0] in labels(name)
    said = " ".join((answer.holds, answer.fails, *answer.run))
    assert not re.search(r"\d", _NAMED.sub("", _KEY.sub("", said))), said


def test_what_a_run_leaves_open_is_said_to_be_open():
    answer = LESSONS["inc_2_mce"].answer
    numbers = {"inc_2_mce.inc-tab2-claim-1": {"text": "holds"}}
    assert answers.here(answer, numbers, "inc_2_mce") == answer.holds
    for word in ("not decided", "premise fails"):
        numbers["inc_2_mce.inc-tab2-claim-1"]["text"] = word
        assert answers.here(answer, numbers, "inc_2_mce") == answers.WORDS[word]
    assert answers.here(answer, {}, "inc_2_mce") == answers.NOTHING


def test_the_parts_of_the_first_screen_stand_in_order(monkeypatch, tmp_path):
    question = [nodes.Text(""), nodes.strong("", "Why so?"), nodes.Text(" Because.")]
    section = nodes.section(
        "",
        nodes.title("", "mCE"),
        nodes.paragraph("", "", nodes.emphasis("", "Section 3")),
        nodes.paragraph("", "", *question),
    )
    (tmp_path / "_static/results").mkdir(parents=True)
    svg = tmp_path / page.RESULTS / "inc-fig2.svg"
    (tmp_path / "inc_2_mce.ipynb").write_text('{"cells": []}', "utf-8")
    svg.write_text('<svg><g id="figure_1"></g></svg>', "utf-8")
    saved = {"words": "toys", "items": [], "numbers": {}, "provenance": {}}
    shown = page.Page("inc_2_mce", tmp_path, {"inc_2_mce": saved})
    monkeypatch.setattr(chapter, "page_of", lambda app, name: shown)
    monkeypatch.setattr(chapter.citation, "of_chapter", lambda page: "")
    monkeypatch.setattr(chapter.provenance, "folded_parameters", lambda page: "")
    monkeypatch.setattr(chapter.provenance, "draw", lambda page: "")
    monkeypatch.setattr(chapter.lessons, "box", lambda page: '<div class="rb-lesson"></div>')
    app = SimpleNamespace(env=SimpleNamespace(docname="inc_2_mce"))
    document = nodes.container("", section)
    chapter.frame(app, document)
    made = "".join(one["markup"] if "markup" in one else str(one) for one in section.children)
    parts = ("mCE</title>", "Why so?", "rb-answers", "rb-finding", "rb-strip", "rb-narrow",
             "Section 3", "rb-lesson", "Because.")  # fmt: skip
    places = [made.index(part) for part in parts]
    assert places == sorted(places)
