"""What moves, moves by the keyboard, in reading order, and one sees where one is."""

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from .test_behaviour import chapter_with
from .visit import DESK, forget, paint

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


def test_no_button_is_deaf_to_the_keyboard(desk, server, pages):
    deaf = {}
    for page in pages:
        desk.get(server + page)
        deaf[page] = desk.execute_script(DEAF)
    assert {page: found for page, found in deaf.items() if found} == {}


@pytest.mark.parametrize(
    ("asked", "page"),
    [
        ("Figure 2", "inc_2_mce.html"),
        ("mCE", "inc_2_mce.html"),
        ("pm-10", "vid_2_classification.html"),
        ("AURRA", "nae_4_calibration.html"),
        ("overlap", "overlap_1_matrix.html"),
        ("NAO", "nao_2_map.html"),
    ],
)
def test_a_search_finds_the_words_of_the_field(desk, server, site, asked, page):
    if not (site / page).exists():
        pytest.skip(f"this site has no {page}")
    desk.get(f"{server}search.html?q={asked.replace(' ', '+')}")
    desk.implicitly_wait(10)
    try:
        desk.find_element(By.CSS_SELECTOR, f"#search-results li a[href*='{page}']")
    finally:
        desk.implicitly_wait(0)
