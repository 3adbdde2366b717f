"""Both copies of every notebook: no solution in the student's, and the same checks in both."""

import ast
import json
import re
from functools import cache
from itertools import product

import nbformat
import pytest

from robust_book.course import checks, copies, handed_in
from robust_book.course.checklists import CHECKLISTS
from robust_book.course.checks import EXERCISES
from robust_lib import paths
from robust_lib.errors import RunError
from tests.course.planted import run_of

NAMES = sorted(path.stem for path in paths.notebooks().glob("*.ipynb"))
TEXT = "1. **Count.** How many? Two or three?\n\n:::{dropdown} Solution\nThree.\n:::\n"


def source(name):
    return json.loads((paths.notebooks() / f"{name}.ipynb").read_text("utf-8"))


@cache
def made(name, whose):
    given = {"profile": "smoke", "numbers": {"a.b": "0.5"}, "chapters": NAMES}
    return copies.made(source(name), name, whose, **given)


BOTH = list(product(NAMES, ("student", "teacher")))


def texts(notebook, kind=None):
    cells = [cell for cell in notebook["cells"] if kind in (None, cell["cell_type"])]
    return ["".join(cell["source"]) for cell in cells]


def solutions(name):
    """Return the folded answers of a page."""
    whole = "\n\n".join(texts(source(name), "markdown"))
    _, _, after = whole.partition(copies.HEADING)
    return [part.answer for part in copies.parts(after, name)]


def test_a_copy_is_a_sound_notebook():
    for name, whose in BOTH:
        copy = made(name, whose)
        nbformat.validate(nbformat.from_dict(copy))
        ids = [cell["id"] for cell in copy["cells"]]
        assert len(ids) == len(set(ids)), name
        for code in texts(copy, "code"):
            compile(code, name, "exec")
        (parameters,) = [
            cell for cell in copy["cells"] if "parameters" in cell["metadata"].get("tags", ())
        ]
        assert 'profile = "smoke"' in "".join(parameters["source"]), name
        opening = copy["cells"].index(parameters) - 1
        assert "classroom.open_folder()" in "".join(copy["cells"][opening]["source"]), name


def test_the_student_has_the_questions_and_none_of_the_solutions():
    for name in NAMES:
        whole = "\n".join(texts(made(name, "student")))
        found = solutions(name)
        assert len(found) == len(EXERCISES.get(name, {})) + len(CHECKLISTS.get(name, {})), name
        for answer in found:
            for line in filter(lambda line: len(line) > 30, answer.splitlines()):
                imported = line.startswith(("from ", "import "))
                assert imported or line.strip() not in whole, (name, line)
        for number, answers in EXERCISES.get(name, {}).items():
            (check,) = re.findall(
                rf"^# Exercise {number}, [A-Z].*: checks your (.+)$", whole, re.MULTILINE
            )
            for one in answers.answers:
                assert re.search(rf"^{one.name} = None  # ", whole, re.MULTILINE), one.name
                assert f"`{one.name}`" in check, (name, number)


def test_what_a_check_says_is_found_in_both_copies():
    for name, whose in BOTH:
        assert handed_in.calls(made(name, whose)) == {*EXERCISES.get(name, {})}, (name, whose)


def test_an_answer_takes_no_name_that_the_chapter_uses():
    """Else a cell that is run again after an exercise would find the answer in its place."""
    for name in NAMES:
        used = set()
        for cell in source(name)["cells"]:
            if cell["cell_type"] == "code":
                tree = ast.walk(ast.parse("".join(cell["source"])))
                used |= {one.id for one in tree if isinstance(one, ast.Name)}
        asked = {one.name for each in EXERCISES.get(name, {}).values() for one in each.answers}
        assert used, name
        assert not asked & used, name


def test_a_copy_comes_without_outputs():
    for name, whose in BOTH:
        cells = [cell for cell in made(name, whose)["cells"] if cell["cell_type"] == "code"]
        assert not any(cell["outputs"] or cell["execution_count"] for cell in cells), name


def test_both_copies_have_the_same_checks():
    for name in NAMES:
        student, teacher = (
            {cell["id"]: cell["source"] for cell in made(name, whose)["cells"]}
            for whose in ("student", "teacher")
        )
        checks = {key for key in student if key.endswith(("-check", "-checklist"))}
        assert checks, name
        assert {key for key in teacher if key.endswith(("-check", "-checklist"))} == checks, name
        assert [key for key in checks if student[key] != teacher[key]] == [], name


def test_no_role_or_directive_of_the_site_is_left():
    for name, whose in BOTH:
        told = "\n".join(texts(made(name, whose), "markdown"))
        assert not re.search(r"\{\w+(?::\w+)?\}`|^:::|^```\{", told, re.MULTILINE), name
        assert not re.search(r"\]\([\w/-]+\.md", told), name


@pytest.mark.parametrize(
    ("name", "number"),
    [
        (name, number)
        for name, exercises in EXERCISES.items()
        for number, exercise in exercises.items()
        if not exercise.of_run
    ],
)
def test_the_pages_own_solution_passes_the_check(name, number, tmp_path, monkeypatch):
    """What the page calls a solution is held against the check, without a run."""
    monkeypatch.chdir(tmp_path)
    run = run_of(name)
    space = {"__name__": "teacher", "checks": checks, "run": run}
    cells = [cell for cell in made(name, "teacher")["cells"] if cell["cell_type"] == "code"]
    for cell in cells:
        if cell["id"].startswith(f"exercise-{number}-solution"):
            exec(compile("".join(cell["source"]), cell["id"], "exec"), space)
    names = [one.name for one in EXERCISES[name][number].answers]
    found = checks.check(run, number, **{one: space[one] for one in names})
    assert found.passed, found


def test_a_copy_says_the_runs_numbers_and_leads_to_chapters_that_it_has():
    cell = {
        "cell_type": "markdown",
        "id": "a",
        "source": ["It is {result}`a.b`, or {result}`c.d`; see [one](x.ipynb), [two](y.ipynb#z), ",
                   "[three](ledger.md#here) and {cite:p}`inc`."],
    }  # fmt: skip
    toy = {"cells": [cell], "metadata": {"kernelspec": {"name": "python3"}}}
    copy = copies.made(
        toy, "toy", "student", profile="smoke", numbers={"a.b": "0.5"}, chapters=["x"]
    )
    assert texts(copy) == [
        "It is 0.5, or …; see [one](x.ipynb), two, [three](../site/ledger.html#here) and "
        "[inc](../site/cite.html)."
    ]


def test_an_exercise_without_an_answer_or_a_check_is_refused():
    with pytest.raises(RunError, match="one folded answer"):
        list(copies.parts("1. **Count.** How many?", "toy"))
    cell = {"cell_type": "markdown", "id": "a", "source": [f"{copies.HEADING}\n{TEXT}"]}
    toy = {"cells": [cell], "metadata": {"kernelspec": {"name": "python3"}}}
    with pytest.raises(RunError, match=r"check.*checklist.*exercise 1"):
        copies.made(toy, "toy", "student", profile="smoke", numbers={}, chapters=[])


def test_a_command_of_an_exercise_takes_the_profile_of_the_course():
    for profile in ("mini", "smoke"):
        copy = copies.made(
            source("00_tour"), "00_tour", "student", profile=profile, numbers={}, chapters=[]
        )
        told = re.findall(r"--profile (\w+)", "\n".join(texts(copy)))
        assert told
        assert set(told) == {profile}
