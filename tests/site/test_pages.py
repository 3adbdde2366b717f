"""Every page of the built site in a real browser: light, whole, still, and without a barrier."""

import pytest

pytestmark = [pytest.mark.site, pytest.mark.browser, pytest.mark.slow]


def test_the_console_stays_empty(visits):
    assert {page: seen.complaints for page, seen in visits.items() if seen.complaints} == {}


def test_nothing_remote_is_requested(visits):
    assert {page: seen.remote for page, seen in visits.items() if seen.remote} == {}


def test_no_image_is_broken(visits):
    assert {page: seen.images for page, seen in visits.items() if seen.images} == {}


def test_maths_is_rendered(visits):
    assert [page for page, seen in visits.items() if not seen.maths] == []


@pytest.mark.parametrize("width", [390, 320])
def test_no_page_scrolls_sideways_on_a_phone(visits, width):
    found = {page: seen.overflow[width] for page, seen in visits.items()}
    assert {page: wide for page, wide in found.items() if wide} == {}


def test_no_page_weighs_more_than_a_megabyte_and_a_half_before_a_reader_opens_something(visits):
    weights = {page: seen.weight for page, seen in visits.items()}
    assert min(weights.values()) > 1e5  # pages, styles and scripts were counted
    assert {page: weight for page, weight in weights.items() if weight > 1.5e6} == {}


def test_no_page_weighs_more_than_three_and_a_half_megabytes_after_a_walk_to_its_end(visits):
    weights = {page: (seen.weight, seen.walked) for page, seen in visits.items()}
    assert all(walked >= first for first, walked in weights.values())
    assert {page: walked for page, (_, walked) in weights.items() if walked > 3.5e6} == {}


def test_nothing_moves_while_a_page_is_read(visits):
    assert {page: seen.shift for page, seen in visits.items() if seen.shift > 0.1} == {}


@pytest.mark.parametrize(("width", "screen"), [(1280, 720), (390, 2 * 844)])
def test_question_answers_and_figure_of_a_chapter_stand_in_order_on_its_first_screen(
    visits, width, screen
):
    ends = {page: seen.first_screen[width] for page, seen in visits.items()}
    chapters = {page: places for page, places in ends.items() if places}
    assert chapters
    for page, places in chapters.items():
        assert places == sorted(places), page
        assert len(places) > 2, page  # a run may lack the figure, never the words
        assert places[-1] <= screen, page


def test_nobody_stumbles(visits):
    assert {page: seen.stumbles for page, seen in visits.items() if seen.stumbles} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_barrier(visits, scheme):
    found = {page: seen.barriers[scheme] for page, seen in visits.items()}
    assert {page: barriers for page, barriers in found.items() if barriers} == {}
