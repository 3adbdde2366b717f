"""Every page of the built site in a real browser: nothing broken, nothing remote, no barrier."""

import pytest

from .visit import Visit, visit

pytestmark = [pytest.mark.site, pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def visits(browser, server, pages) -> dict[str, Visit]:
    return {page: visit(browser, server + page) for page in pages}


def test_the_console_stays_empty(visits):
    assert {page: seen.complaints for page, seen in visits.items() if seen.complaints} == {}


def test_nothing_remote_is_requested(visits):
    assert {page: seen.remote for page, seen in visits.items() if seen.remote} == {}


def test_no_image_is_broken(visits):
    assert {page: seen.images for page, seen in visits.items() if seen.images} == {}


def test_maths_is_rendered(visits):
    assert [page for page, seen in visits.items() if not seen.maths] == []


def test_no_page_scrolls_sideways_on_a_phone(visits):
    assert {page: seen.overflow for page, seen in visits.items() if seen.overflow} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_barrier(visits, scheme):
    found = {page: seen.barriers[scheme] for page, seen in visits.items()}
    assert {page: barriers for page, barriers in found.items() if barriers} == {}
