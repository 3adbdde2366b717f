"""`robust course` as a teacher calls it, and what its class does with the folder."""

import json
import shutil

import nbformat
import papermill
import pytest

from robust_book.commands import course
from robust_lib import paths
from robust_lib.errors import InputError, RunError
from tests import tiny

CHAPTER = "00_tour"
SITE = '<details class="sd-dropdown"><summary>Solution</summary>half</details>'


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A project in the small with the tour built, and a page of it."""
    home = tiny.copy(tiny.toured(tmp_path_factory), tmp_path_factory.mktemp("built") / "project")
    site = home / "build" / tiny.PROFILE / "site"
    site.mkdir()
    (site / "index.html").write_text(SITE)
    return home


@pytest.fixture
def project(built, tmp_path, monkeypatch):
    return tiny.enter(tiny.copy(built, tmp_path / "project"), monkeypatch)


@pytest.fixture(scope="module")
def unpacked(built, tmp_path_factory):
    """The folder of a course, moved to where a class has it; the book is no longer there."""
    home = tmp_path_factory.mktemp("course")
    project = tiny.copy(built, home / "project")
    done = tiny.robust(project, "course", "--profile", tiny.PROFILE, "--out", str(home / "made"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "IPKernelApp" not in done.stderr
    shutil.rmtree(project / "build")
    shutil.move(home / "made", home / "class")
    return project, home / "class"


def answered(unpacked, tmp_path, monkeypatch, answers):
    """Return the checks of a student's copy, executed with answers, id of the cell -> text.

    In kernels, the teacher's copy was executed.
    """
    project, home = unpacked
    tiny.enter(project, monkeypatch)
    tiny.without_kernel(monkeypatch)
    monkeypatch.chdir(home / "student")
    notebook = nbformat.read(home / "student" / f"{CHAPTER}.ipynb", as_version=4)
    for cell in notebook.cells:
        if cell.id.endswith("-answer") and cell.cell_type == "code":
            lines = [f"{name} = {value}" for name, value in answers.items()]
            cell.source = "\n".join([cell.source, *lines])
    given = home / "student" / f"answered-{tmp_path.name}.ipynb"
    nbformat.write(notebook, given)
    papermill.execute_notebook(
        str(given), str(tmp_path / "done.ipynb"), cwd=str(given.parent), progress_bar=False,
        kernel_name="python3",
    )  # fmt: skip
    done = nbformat.read(tmp_path / "done.ipynb", as_version=4)
    return {
        cell.id: "".join(out.data["text/plain"] for out in cell.outputs)
        for cell in done.cells
        if cell.id.endswith("-check")
    }


@pytest.mark.slow
def test_the_teachers_copy_was_run_and_every_check_passed(unpacked):
    _, home = unpacked
    teacher = nbformat.read(home / "teacher" / f"{CHAPTER}.ipynb", as_version=4)
    said = {
        cell.id: "".join(out.data["text/plain"] for out in cell.outputs)
        for cell in teacher.cells
        if cell.id.endswith("-check")
    }
    assert said
    for told in said.values():
        assert ": right" in told or "not in this run" in told
    assert "half" not in (home / "site" / "index.html").read_text()


@pytest.mark.slow
def test_a_student_without_answers_is_told_what_is_asked_for(unpacked, tmp_path, monkeypatch):
    said = answered(unpacked, tmp_path, monkeypatch, {})
    assert said
    assert any("no answer yet: the answer should be" in told for told in said.values()), said
    assert not any(": right" in told for told in said.values())


@pytest.mark.slow
def test_a_students_wrong_answer_is_named_and_the_right_one_passes(unpacked, tmp_path, monkeypatch):
    wrong = answered(unpacked, tmp_path, monkeypatch, {"ce": 50})
    assert any("in percent, but the answer is a fraction" in told for told in wrong.values()), wrong
    assert not any("0.5" in told for told in wrong.values())
    right = answered(unpacked, tmp_path, monkeypatch, {"ce": 0.5})
    assert any("ce = 0.5: right." in told for told in right.values())


@pytest.mark.slow
def test_a_class_trains_and_draws_nothing(unpacked):
    _, home = unpacked
    stored = home / "build" / "cache"
    assert not (stored / "checkpoints").exists()
    assert any(stored.rglob("*.json"))


def test_a_book_that_is_not_built_is_asked_for(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    status, _, told = tiny.command(monkeypatch, capsys, "course", "inc_2_mce", "--profile", "smoke")
    assert status == 1
    assert "inc_2_mce is missing" in told
    assert "make book PROFILE=smoke CHAPTERS=inc_2_mce" in told


def test_unknown_chapters_pictures_of_others_and_empty_wheelhouses_are_refused(
    project, tmp_path, monkeypatch, capsys
):
    with pytest.raises(InputError, match="chapter"):
        course.require_book(tiny.PROFILE, ["inc_9"])
    with pytest.raises(InputError, match="may be redistributed"):
        course.require_book("full", [])
    (tmp_path / "house").mkdir()
    words = ("course", "--profile", tiny.PROFILE, "--wheelhouse", str(tmp_path / "house"))
    status, _, told = tiny.command(monkeypatch, capsys, *words)
    assert status == 1
    assert "make wheelhouse WHEELHOUSE=" in told


def test_a_book_of_older_notebooks_is_made_again_first(project):
    assert course.require_book(tiny.PROFILE, []) == (CHAPTER,)
    path = paths.notebooks() / f"{CHAPTER}.ipynb"
    notebook = json.loads(path.read_text("utf-8"))
    notebook["cells"][-1]["source"].append("\nmore")
    path.write_text(json.dumps(notebook), "utf-8")
    with pytest.raises(RunError, match="made from the current notebooks"):
        course.require_book(tiny.PROFILE, [])


def test_a_notebook_that_fails_names_the_cell(tmp_path):
    cells = [nbformat.v4.new_code_cell("1 / 0")]
    toy = nbformat.v4.new_notebook(cells=cells)
    nbformat.write(toy, tmp_path / "toy.ipynb")
    with pytest.raises(RunError, match=r"copy.*failed.*ZeroDivisionError"):
        course.executed(tmp_path / "toy.ipynb", tmp_path / "done.ipynb")
    assert [path.name for path in tmp_path.iterdir()] == ["toy.ipynb"]
