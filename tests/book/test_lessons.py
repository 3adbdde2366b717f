"""The chapters as lessons: the manifest is whole and honest, and stands where readers look."""

import json
import re
import shutil
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import nbformat
import pytest

from robust_book import chapters
from robust_book.chapters import about
from robust_book.sphinx_ext import glossary, lessons
from robust_book.sphinx_ext.page import Page
from robust_lib import paths
from robust_lib.config.papers import paper_keys
from robust_lib.errors import InputError, ManifestError

BOOK = paths.book()
LESSONS = lessons.lessons()
NAMES = {path.stem for path in paths.notebooks().glob("*.ipynb")}
# Names of networks and data sets have digits; nothing else that is said of a misconception may.
_NAMED = re.compile(r"\b[A-Z][A-Za-z]*-\d+\w*|\bpm-\d+")


def cells(name):
    return nbformat.read(paths.notebooks() / f"{name}.ipynb", as_version=4).cells


def markdown(name):
    return "\n\n".join(cell.source for cell in cells(name) if cell.cell_type == "markdown")


def labels(name):
    return set(re.findall(r"^#\| label: (\S+)$", "\n".join(c.source for c in cells(name)), re.M))


def figures(name):
    """Return the figures that the chapter's own module names."""
    room, module = Path(chapters.__file__).parent, chapters.module_name(name)
    files = [room / f"{module}.py", *(room / module).glob("*.py")]
    said = "\n".join(file.read_text("utf-8") for file in files if file.exists())
    return {f"{name}.{key}" for key in re.findall(r'"(fig-[\w-]+)"', said)}


def content(sentence):
    """Return the words of a sentence that carry its meaning."""
    return {word for word in re.findall(r"[a-z]+", sentence.lower()) if len(word) > 3}


def test_every_notebook_is_a_lesson():
    assert set(LESSONS) == NAMES


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_lesson_is_whole(name):
    lesson = LESSONS[name]
    assert len(lesson.questions) == 3
    for question in lesson.questions:
        assert question.ask.endswith("?") or "?" in question.ask
        assert 15 <= len(question.hint.split()) <= 80
    assert 2 <= len(lesson.able) <= 3
    for one in lesson.able:  # each ends the sentence "You will be able to"
        assert re.fullmatch(r"[a-z][^.;]*[^.;,\s]", one), one
        assert 4 <= len(one.split()) <= 20
    mistake = lesson.misconception
    assert mistake.belief.endswith(".")
    assert len(f"{mistake.why} {mistake.cure}".split()) <= 110


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_misconception_is_cured_by_an_item_of_its_own_chapter(name):
    assert LESSONS[name].misconception.item in labels(name) | figures(name)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_no_number_of_a_run_is_typed_by_hand(name):
    mistake = LESSONS[name].misconception
    said = f"{mistake.belief} {mistake.why} {mistake.cure}"
    assert re.findall(r"\d", _NAMED.sub("", said)) == []


@pytest.mark.parametrize("name", sorted(NAMES))
def test_what_comes_before_a_chapter_stands_before_it(name):
    lesson, places = LESSONS[name], list(LESSONS)
    assert all(places.index(before) < places.index(name) for before in lesson.after)
    assert set(lesson.terms) <= {entry.term for entry in glossary.entries(BOOK)}


@pytest.mark.parametrize("name", sorted(NAMES))
def test_minutes_fit_the_words_that_there_are_to_read(name):
    words = len(markdown(name).partition("## Exercises")[0].split())
    assert words / 200 <= LESSONS[name].minutes.read <= words / 25
    exercises = len(re.findall(r"^\d+\. \*\*", markdown(name).partition("## Exercises")[2], re.M))
    assert 5 * exercises <= LESSONS[name].minutes.do <= 20 * exercises


def test_no_two_chapters_promise_the_same():
    promised = [one for lesson in LESSONS.values() for one in lesson.able]
    assert len(set(promised)) == len(promised)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_chapter_says_what_came_after_its_paper_with_a_reference(name):
    _, found, after = markdown(name).partition("\n## Later work\n")
    assert found
    told = re.split(r"^## ", after, maxsplit=1, flags=re.MULTILINE)[0]
    cited = [key for keys in re.findall(r"\{cite:p\}`([^`]+)`", told) for key in keys.split(",")]
    bibliography = (BOOK / "references.bib").read_text("utf-8")
    assert cited
    assert set(cited) <= set(re.findall(r"^@\w+\{(\w+),", bibliography, re.MULTILINE))


def test_no_question_repeats_another_or_an_exercise():
    asked = {question.ask: name for name, one in LESSONS.items() for question in one.questions}
    assert len(asked) == 3 * len(LESSONS)
    for ask, name in asked.items():
        tasks = re.findall(r"^\d+\. (.*)$", markdown(name).partition("## Exercises")[2], re.M)
        others = [*tasks, *(other for other in asked if other != ask)]
        alike = [
            other
            for other in others
            if len(content(ask) & content(other))
            > 0.5 * min(len(content(ask)), len(content(other)))
        ]
        assert alike == [], ask


def test_hints_leave_the_answer_open():
    """A hint asks back or names what to weigh; it does not say "the answer is"."""
    said = [question.hint for lesson in LESSONS.values() for question in lesson.questions]
    assert [hint for hint in said if re.search(r"\bthe answer is\b|\bcorrect\b", hint, re.I)] == []
    assert sum("?" in hint for hint in said) > 0.8 * len(said)


@pytest.fixture
def page(tmp_path):
    """A chapter of a site that has three of them."""
    for name in ("00_tour", "inc_1_corruptions", "inc_2_mce"):
        made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(f"# Title of {name}")])
        nbformat.write(made, tmp_path / f"{name}.ipynb")
    shutil.copy(BOOK / "glossary.yaml", tmp_path)
    return Page("inc_2_mce", tmp_path, {})


@pytest.fixture
def changed(tmp_path, monkeypatch):
    """Return a function that changes one text in what the book says of a chapter."""

    def change(old: str, new: str) -> None:
        text = (about.FOLDER / "inc_2_mce.yaml").read_text("utf-8")
        assert old in text
        (tmp_path / "inc_2_mce.yaml").write_text(text.replace(old, new, 1), "utf-8")
        monkeypatch.setattr(about, "FOLDER", tmp_path)

    return change


def test_the_box_names_minutes_and_links_what_comes_before(page):
    made = lessons.box(page).markup
    minutes = LESSONS["inc_2_mce"].minutes
    assert f"about {minutes.read} minutes to read, {minutes.do} for the exercises" in made
    for one in LESSONS["inc_2_mce"].able:
        assert one in made.partition("You will be able to")[2]
    assert '<a href="00_tour.html">Title of 00_tour</a>' in made
    assert '<a href="glossary.html#term-normaliser">normaliser</a>' in made
    assert 'href="#a-common-misconception"' in made
    assert 'href="#to-discuss"' in made


def test_a_chapter_that_the_site_lacks_is_not_linked(page):
    (page.folder / "00_tour.ipynb").unlink()
    assert "00_tour" not in lessons.box(page).markup


def test_a_page_without_a_lesson_has_no_box(page):
    assert lessons.box(replace(page, name="glossary")) is None


def test_the_table_has_a_row_a_chapter_with_its_lecture_and_its_questions(page):
    made = lessons.draw(replace(page, name="for_teachers")).markup
    assert made.count("?lecture") == 3
    assert 'href="inc_2_mce.html#to-discuss"' in made
    assert "overlap_1_matrix" not in made


def test_an_unknown_term_is_named_with_the_known_ones(page, changed):
    changed("[normaliser", "[normalizer")
    with pytest.raises(InputError, match=r"term of the glossary.* normaliser, .*got normalizer"):
        lessons.box(page)


def test_a_misspelt_key_is_named_with_its_line(changed):
    changed("hint:", "hnt:")
    with pytest.raises(ManifestError, match=r"inc_2_mce\.yaml:\d+: .*hnt"):
        lessons.about("inc_2_mce")


def test_words_stand_before_the_exercises_wherever_in_a_cell_these_begin():
    markdown, code = nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell
    some = [markdown("# A"), code("1"), markdown("## B\n\nWords.\n\n## Exercises\n\n1. Read.")]
    *kept, last = lessons.before_exercises(some, "## New")
    assert kept == some[:2]
    assert last["source"] == "## B\n\nWords.\n\n## New\n\n## Exercises\n\n1. Read."
    assert lessons.before_exercises(some[:2], "## New")[-1]["source"] == "## New"


def test_the_order_is_mistake_questions_exercises():
    made = lessons.prose(LESSONS["inc_2_mce"])
    places = [
        made.index(part) for part in ("## A common misconception", "> ", "## To discuss", "1. ")
    ]
    assert all(one < other for one, other in pairwise(places))
    assert made.count(":::{dropdown} Hint") == 3


def test_links_to_chapters_that_were_not_executed_become_words(page, changed):
    class App:
        srcdir = str(page.folder)

    changed("hint: >-\n", "hint: >-\n      See [the tour](00_tour.ipynb) and [x](nae_1.ipynb).\n")
    source = [(page.folder / "inc_2_mce.ipynb").read_text("utf-8")]
    lessons.insert(App(), "inc_2_mce", source)
    said = json.loads(source[0])["cells"][-1]["source"]
    assert "[the tour](00_tour.ipynb) and x." in said


@pytest.mark.parametrize("one", [*about.SESSIONS, *about.alone()], ids=lambda one: one.name)
def test_a_path_fits_its_time_and_has_what_each_chapter_presupposes_before_it(one):
    takes = sum(LESSONS[name].minutes.read for name in one.chapters)
    takes += sum(LESSONS[name].minutes.do for name in one.done)
    assert takes == one.read + one.do
    if one.minutes:
        assert one.minutes / 15 <= one.minutes - takes <= one.minutes / 3  # left to discuss
    assert set(one.done) <= set(one.chapters)
    for at, name in enumerate(one.chapters):
        assert set(LESSONS[name].after) <= set(one.chapters[:at]), name


def test_each_paper_has_a_path_with_all_of_its_chapters():
    done = [name for one in about.alone() for name in one.done]
    assert sorted(done) == sorted(NAMES - {"00_tour"})


def test_paths_link_what_the_site_has_and_mark_what_is_done(page):
    whole = lessons.paths(page).markup
    assert whole.count("<tr") == 1 + len(about.SESSIONS) + len(paper_keys())
    assert '<a href="inc_2_mce.html">Title of inc_2_mce</a><abbr' in whole
    papers = lessons.paths(page, "papers").markup
    assert papers.count("<li>") == len(paper_keys())
    first = [LESSONS[name].minutes for name in about.alone()[0].done]
    said = re.search(r"(\d+) h (\d+) min to read and (\d+) h (\d+) min for the exercises", papers)
    assert said is not None
    at = [60 * int(said[n]) + int(said[n + 1]) for n in (1, 3)]
    assert at == [sum(one.read for one in first), sum(one.do for one in first)]
