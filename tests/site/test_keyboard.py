"""What moves, moves by the keyboard, in reading order, and one sees where one is."""

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from .test_behaviour import chapter_with
from .visit import DESK, forget, paint, wait

pytestmark = [pytest.mark.site, pytest.mark.browser, pytest.mark.slow]

# Where the focus is: its place among all elements, and whether one sees it there.
PLACE = """
const one = document.activeElement;
const look = getComputedStyle(one);
const all = [...document.querySelectorAll("*")];
const ring = look.outlineStyle !== "none" && parseFloat(look.outlineWidth) > 0;
return [all.indexOf(one), ring || look.boxShadow !== "none", one.outerHTML.slice(0, 90)]"""
START = """
const place = document.querySelector(".bd-article h1");
place.tabIndex = -1;
place.focus();"""
# What answers a click, and no key reaches; in a grid, arrow keys go on from its one stop.
DEAF = """
return [...document.querySelectorAll("main :is(button, summary, input, select, a[href])")]
  .filter(one => one.checkVisibility() && one.tabIndex < 0 && !one.closest(".headerlink"))
  .filter(one => !one.matches("[type=radio], .headerlink, [aria-hidden=true], [role=tab]"))
  .filter(one => !one.closest("[role=grid]")?.querySelector("td [tabindex='0']"))
  .map(one => one.outerHTML.slice(0, 120))"""


@pytest.fixture
def desk(browser):
    paint(browser, "light", DESK)
    forget(browser)
    return browser


@pytest.mark.parametrize("marker", ["rb-strip", "rb-explorer", "rb-scrubber", "rb-board"])
def test_tab_goes_through_a_page_as_it_is_read_and_is_seen(desk, server, site, marker):
    page = "leaderboard.html" if marker == "rb-board" else chapter_with(site, marker)
    if not (site / page).exists():
        pytest.skip("this site has no leaderboard")
    desk.get(server + page)
    desk.execute_script(START)
    places, unseen = [], []
    for _ in range(40):
        ActionChains(desk).send_keys(Keys.TAB).perform()
        place, ring, element = desk.execute_script(PLACE)
        places.append(place)
        if not ring:
            unseen.append(element)
    assert places == sorted(set(places))
    assert unseen == []


def test_the_buttons_above_a_page_show_where_the_focus_is(desk, server, site):
    desk.get(server + chapter_with(site, "rb-strip"))
    desk.execute_script("document.querySelector('.bd-header-article').tabIndex = -1")
    desk.execute_script("document.querySelector('.bd-header-article').focus()")
    seen = {}
    for _ in range(5):
        ActionChains(desk).send_keys(Keys.TAB).perform()
        place, ring, element = desk.execute_script(PLACE)
        seen[place] = "" if ring else element
    assert len(seen) == 5
    assert [element for element in seen.values() if element] == []


def test_no_button_is_deaf_to_the_keyboard(desk, server, pages):
    deaf = {}
    for page in pages:
        desk.get(server + page)
        deaf[page] = desk.execute_script(DEAF)
    assert {page: found for page, found in deaf.items() if found} == {}


@pytest.mark.parametrize(
    ("asked", "page"),
    [
        ("mCE", "inc_2_mce.html"),
        ("ICONS-50", "inc_4_icons50.html"),
        ("overlap", "overlap_1_matrix.html"),
        ("ImageNet-A", "nae_2_imagenet_a.html"),
        ("ImageNet-O", "nae_3_imagenet_o.html"),
        ("AURRA", "nae_4_calibration.html"),
        ("calibration", "nae_4_calibration.html"),
        ("pm-10", "vid_2_classification.html"),
        ("NAO", "nao_3_blind_spots.html"),
        ("mAP", "nao_2_map.html"),
    ],
)
def test_a_search_has_the_words_of_the_field_among_its_first_pages(desk, server, site, asked, page):
    if not (site / page).exists():
        pytest.skip(f"this site has no {page}")
    found = pages_found(desk, server, asked)
    assert page in list(dict.fromkeys(found))[:3], found


def test_a_search_for_a_figure_finds_a_chapter_that_has_it(desk, server, site):
    if not (site / "inc_2_mce.html").exists():
        pytest.skip("this site has no inc_2_mce.html")
    assert "inc_2_mce.html" in pages_found(desk, server, "Figure 2")


def pages_found(desk, server, asked):
    """Return the pages of a search's results in their order, when there are no more to come."""
    desk.get(f"{server}search.html?q={asked.replace(' ', '+')}")
    links = "[...document.querySelectorAll('#search-results li > a')]"
    done = "/finished|found/.test(document.querySelector('#search-results p')?.textContent)"
    assert wait(desk, f"return {done}")
    told = desk.execute_script(f"return {links}.map(one => one.pathname.split('/').pop())")
    return [str(page) for page in told]
