"""The site of a course: no solutions in any file, and the students' copies as what is offered."""

import html
import shutil

import pytest

from robust_book.commands import launch
from robust_book.course import site_copy
from robust_lib import paths
from tests.course import solutions

FOLDED = (
    '<details class="sd-sphinx-override sd-dropdown sd-card"><summary class="sd-summary-title">'
    '<span class="sd-summary-text">{}</span></summary><div>secret {}</div></details>'
)
ITEM = '<li><a href="{}" target="_blank">\n<span class="btn__text-container">{}</span>\n</a>\n</li>'
MENU = '<div class="dropdown dropdown-{}-buttons">\n<button>x</button>\n<ul>{}</ul>\n</div>'
REPOSITORY = "https://example.org/me/book"
PLACE = "_static/launch/0123456789ab"


def buttons(name):
    """Return the menus of a chapter's page as the site has them."""
    saved = [
        (f"{REPOSITORY}/raw/main/notebooks/{name}.ipynb", "Notebook as committed"),
        (f"_sources/{name}.ipynb", "Notebook as run here"),
        (f"{PLACE}/{name}.ipynb", "Notebook that installs what it needs"),
    ]
    run = [(f"https://host.example/blob/launch/0123456789ab/{name}.ipynb", "Open in Colab")]
    groups = {"run": run, "download": saved, "source": [(REPOSITORY, "Repository")]}
    return "".join(
        MENU.format(kind, "".join(ITEM.format(*item) for item in items))
        for kind, items in groups.items()
    )


@pytest.fixture
def site(tmp_path):
    folder = tmp_path / "site"
    (folder / "_sources").mkdir(parents=True)
    (folder / PLACE).mkdir(parents=True)
    page = "".join(FOLDED.format(name, name) for name in ("Solution", "Hint", "A way to look"))
    for name in ("inc_2_mce", "vid_1_dataset"):
        text = f"<p>question</p>{buttons(name)}{page}<p>end</p>"
        (folder / f"{name}.html").write_text(text)
        (folder / "_sources" / f"{name}.ipynb").write_text("all solutions")
        (folder / PLACE / f"{name}.ipynb").write_text("all solutions")
    return folder


@pytest.fixture
def copy(site, tmp_path):
    notebooks = tmp_path / "student"
    notebooks.mkdir()
    (notebooks / "inc_2_mce.ipynb").write_text("questions")
    site_copy.copied(site, tmp_path / "copy", notebooks)
    return tmp_path / "copy"


def test_a_course_has_the_pages_without_solutions(site, copy):
    page = (copy / "inc_2_mce.html").read_text()
    assert "secret Solution" not in page
    assert "secret A way to look" not in page
    assert "secret Hint" in page
    assert page.startswith("<p>question</p>")
    assert page.endswith("<p>end</p>")
    assert page.count(site_copy.LEFT) == 2
    assert "secret Solution" in (site / "inc_2_mce.html").read_text()


def test_the_only_notebooks_of_a_copy_are_the_students(copy):
    assert [path.relative_to(copy).as_posix() for path in copy.rglob("*.ipynb")] == [
        "_sources/inc_2_mce.ipynb"
    ]
    assert (copy / "_sources" / "inc_2_mce.ipynb").read_text() == "questions"
    assert not (copy / "_static").exists()


def test_a_button_gives_the_students_copy_or_is_not_there(copy):
    page = (copy / "inc_2_mce.html").read_text()
    assert page.count(".ipynb") == 1
    assert '<a href="_sources/inc_2_mce.ipynb"' in page
    assert "Notebook with exercises" in page
    assert "run-buttons" not in page
    assert "Repository" in page
    other = (copy / "vid_1_dataset.html").read_text()
    assert ".ipynb" not in other
    assert "download-buttons" not in other
    assert "Repository" in other


def whole(folder):
    """Make a site that tells every solution in each place where a built one does."""
    for name in solutions.NAMES:
        (folder / "_sources").mkdir(parents=True, exist_ok=True)
        committed = paths.notebooks() / f"{name}.ipynb"
        shutil.copyfile(committed, folder / "_sources" / committed.name)
        answers = "".join(
            FOLDED.format("Solution", html.escape(one)) for one in solutions.answers(name)
        )
        (folder / f"{name}.html").write_text(answers, "utf-8")
    records = [
        {"notebook": name, "provenance": {"commit": "0123456789abcdef", "dirty": False}}
        for name in solutions.NAMES
    ]
    launch.write(records, folder / "_static" / launch.FOLDER, REPOSITORY)
    return folder


def test_no_file_of_a_copy_tells_a_solution(tmp_path):
    site = whole(tmp_path / "site")
    found = solutions.told(site)
    for name in solutions.NAMES:
        where = {path.rpartition("/")[0] for path, chapter in found if chapter == name}
        assert where >= {"", "_sources", PLACE}, name
    site_copy.copied(site, tmp_path / "copy", solutions.students(tmp_path / "student"))
    assert solutions.told(tmp_path / "copy") == []
