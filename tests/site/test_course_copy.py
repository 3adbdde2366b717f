"""The class's copy of the built site: no file tells a solution, and no button leads nowhere."""

import re

import pytest

from robust_book.course import site_copy
from tests.course import solutions

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
