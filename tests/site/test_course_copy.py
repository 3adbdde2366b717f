"""The class's copy of the built site, and what its exercises say of the run behind it."""

import re

import pytest

from robust_book.course import site_copy
from robust_book.course.checks import EXERCISES
from robust_lib.results.table import Results
from tests.course import planted, solutions

pytestmark = pytest.mark.site


@pytest.fixture(scope="module")
def copy(site, tmp_path_factory):
    home = tmp_path_factory.mktemp("class")
    site_copy.copied(site, home / "site", solutions.students(home / "student"))
    return home / "site"


def test_no_file_of_the_copy_tells_a_solution(site, copy):
    assert {path for path, _ in solutions.told(site)} >= {"00_tour.html", "_sources/00_tour.ipynb"}
    assert solutions.told(copy) == []


def test_the_notebooks_that_a_page_offers_are_there(copy):
    offered = {
        link
        for page in copy.glob("*.html")
        for link in re.findall(r'href="([^"]+\.ipynb)"', page.read_text("utf-8"))
    }
    assert "_sources/00_tour.ipynb" in offered
    assert [link for link in sorted(offered) if not (copy / link).is_file()] == []


def test_nothing_odd_is_right_of_the_run_of_the_site(site):
    """NaN, no text, another number: those exercises whose answers need no run have it beside."""
    for chapter, exercises in EXERCISES.items():
        saved = site / "_static" / "results" / f"{chapter}.csv"
        asked = {number: one for number, one in exercises.items() if one.of_run}
        rows = Results.load(saved) if asked and saved.exists() else Results()
        for number, exercise in asked.items():
            assert [*planted.odd(exercise, rows)] == [], (chapter, number)
