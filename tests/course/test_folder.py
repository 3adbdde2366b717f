"""The folder for a class: whole or not there, tried out, and never over somebody's work."""

import hashlib
import json
import os
import shutil

import nbformat
import pytest

from robust_book.course import folder
from robust_book.course.answers import KEPT, Exercise
from robust_book.course.classroom import MARK
from robust_book.course.folder import Plan
from robust_lib import paths
from robust_lib.errors import InputError, RunError
from robust_lib.fetch.sums import NAME as SUMS
from tests import tiny

CHAPTERS = ("one", "two")


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project of two notebooks without exercises, and its built book."""
    root = tmp_path / "project"
    shutil.copytree(tiny.REPOSITORY / "data_manifests", root / "data_manifests")
    (root / "notebooks").mkdir()
    for name in CHAPTERS:
        cells = [
            nbformat.v4.new_code_cell('profile = "smoke"', metadata={"tags": ["parameters"]}),
            nbformat.v4.new_markdown_cell("It is {result}`a.b`."),
        ]
        made = nbformat.v4.new_notebook(
            cells=cells,
            metadata={"kernelspec": {"name": "python3", "display_name": "p", "language": "python"}},
        )
        nbformat.write(made, root / "notebooks" / f"{name}.ipynb")
    tiny.enter(root, monkeypatch)
    home = paths.profile("smoke")
    (home / "site").mkdir(parents=True)
    (home / "site" / "index.html").write_text("<p>the book</p>")
    (home / "results").mkdir()
    numbers = {"numbers": {"a.b": {"text": "0.5"}}}
    (home / "results" / "one.json").write_text(json.dumps(numbers))
    return root


def plan(**changes):
    return Plan(**{"profile": "smoke", "words": "a toy", "chapters": CHAPTERS} | changes)


class Executed:
    """Stands for papermill: remembers what it was asked for, and fails once if it is told to."""

    def __init__(self, fails=(), stores=False):
        self.asked, self.fails, self.stores = [], list(fails), stores

    def __call__(self, source, target):
        assert os.environ["ROBUST_CACHE_BEHIND"] == str(paths.cache())
        self.asked.append(source.stem)
        if source.stem in self.fails:
            self.fails.remove(source.stem)
            raise RunError("a cell failed")
        if self.stores:
            stored = target.parents[1] / "build" / source.stem
            stored.parent.mkdir(exist_ok=True)
            stored.write_text("an answer")


def make(target, execute=None, **changes):
    return folder.made(plan(**changes), target, execute or Executed(), lambda line: None)


def sums(made, where):
    """The checksums that stand in a file below a folder, path in the course -> digest."""
    lines = (made / where / SUMS).read_text().splitlines()
    return {where + name: digest for digest, _, name in (line.partition("  ") for line in lines)}


def digests(files, names):
    return {name: hashlib.sha256(files[name]).hexdigest() for name in names}


def test_a_course_is_whole_and_its_sums_are_right(project, tmp_path):
    execute = Executed()
    made = make(tmp_path / "class", execute)
    assert execute.asked == list(CHAPTERS)
    assert "ROBUST_CACHE_BEHIND" not in os.environ
    for name in ("README.md", MARK, "teacher/README.md", "site/index.html", "student/two.ipynb"):
        assert (made / name).is_file()
    assert len(list((made / "wheels").glob("robust_lib-*.whl"))) == 1
    assert "It is 0.5." in (made / "student" / "one.ipynb").read_text()
    files = tiny.files(made)
    taken_out = {name for name in files if name.startswith("teacher/")}
    assert sums(made, "") == digests(files, set(files) - taken_out - {SUMS})
    assert sums(made, "teacher/") == digests(files, taken_out - {f"teacher/{SUMS}"})
    assert "teacher" not in (made / "README.md").read_text()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".class")] == []


def test_what_was_stopped_goes_on_where_it_was_and_nothing_stands_in_its_place(project, tmp_path):
    execute = Executed(fails=["two"])
    with pytest.raises(RunError, match="a cell failed"):
        make(tmp_path / "class", execute)
    assert not (tmp_path / "class").exists()
    made = make(tmp_path / "class", execute)
    assert execute.asked == ["one", "two", "two"]
    fresh = make(tmp_path / "fresh")
    assert tiny.files(made) == tiny.files(fresh)


def test_another_plan_begins_anew(project, tmp_path):
    execute = Executed(fails=["two"])
    with pytest.raises(RunError):
        make(tmp_path / "class", execute)
    made = make(tmp_path / "class", execute, chapters=("two",))
    assert execute.asked == ["one", "two", "two"]
    assert [path.name for path in (made / "student").iterdir()] == ["two.ipynb"]


def test_an_older_course_is_replaced_as_a_whole(project, tmp_path):
    make(tmp_path / "class")
    made = make(tmp_path / "class", chapters=("two",))
    assert [path.name for path in (made / "student").iterdir()] == ["two.ipynb"]


def test_a_course_without_its_teachers_folder_is_replaced_and_one_with_other_notes_is_not(
    project, tmp_path
):
    made = make(tmp_path / "class")
    shutil.rmtree(made / "teacher")
    assert folder.changed(made) == []
    made = make(tmp_path / "class")
    (made / "teacher" / "README.md").write_text("my notes")
    assert folder.changed(made) == ["teacher/README.md"]


def test_nobodys_work_is_lost(project, tmp_path):
    made = make(tmp_path / "class")
    (made / "student" / "one.ipynb").write_text("my answers")
    (made / "student" / ".ipynb_checkpoints").mkdir()
    (made / "student" / ".ipynb_checkpoints" / "one.ipynb").write_text("a program's own")
    with pytest.raises(InputError, match=r"student/one\.ipynb were changed or added"):
        make(tmp_path / "class")
    assert (made / "student" / "one.ipynb").read_text() == "my answers"


def test_a_folder_with_something_else_is_left_alone(project, tmp_path):
    (tmp_path / "class").mkdir()
    assert make(tmp_path / "class")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "letter.txt").write_text("dear")
    with pytest.raises(InputError, match="it contains other files"):
        make(tmp_path / "home")


def test_wheels_of_other_packages_go_along(project, tmp_path):
    house = tmp_path / "house"
    house.mkdir()
    (house / "toy-1.0-py3-none-any.whl").write_bytes(b"wheel")
    made = make(tmp_path / "class", wheelhouse=house)
    assert (made / "wheels" / "toy-1.0-py3-none-any.whl").read_bytes() == b"wheel"
    assert "--no-index" in (made / "README.md").read_text()


@pytest.mark.parametrize(
    ("state", "named"),
    [
        ("right", None),
        ("not in this run", None),
        ("not yet", "it is a fraction"),
        ("no answer yet", "no answer yet"),
        (None, "nothing"),
    ],
)
def test_a_teachers_copy_whose_check_does_not_pass_is_no_course(state, named, monkeypatch):
    monkeypatch.setitem(folder.EXERCISES, "toy", {1: Exercise(())})
    told = [{"name": "ce", "state": state, "says": "it is a fraction."}] if state else []
    kept = {KEPT: {"exercise": 1, "answers": told}}
    outputs = [nbformat.v4.new_output("execute_result", metadata=kept)]
    notebook = {"cells": [nbformat.v4.new_code_cell("checks.check(run, 1)", outputs=outputs)]}
    if named is None:
        folder._require_passed(notebook, "toy")
    else:
        with pytest.raises(RunError, match=named):
            folder._require_passed(notebook, "toy")


def test_a_course_is_made_again_without_trying_out_what_did_not_change(project, tmp_path):
    made = make(tmp_path / "class", Executed(stores=True))
    before = tiny.files(made)
    again = Executed(stores=True)
    said = []
    folder.made(plan(), tmp_path / "class", again, said.append)
    assert again.asked == []
    assert said[0].startswith("0 of 2 chapters")
    assert tiny.files(made) == before
    (made / "build" / "one").write_text("touched")
    make(tmp_path / "class", again)
    assert again.asked == list(CHAPTERS)
    changed = project / "notebooks" / "two.ipynb"
    changed.write_text(changed.read_text("utf-8").replace("It is", "It was"), "utf-8")
    make(tmp_path / "class", again)
    assert again.asked == [*CHAPTERS, "two"]
    # What the other chapter reads would be packed, too.
    make(tmp_path / "class", again, chapters=("one",))
    assert again.asked == [*CHAPTERS, "two", "one"]
