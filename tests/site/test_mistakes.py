"""The pictures behind a number in a real browser: by mouse, by keyboard, and without a script.

They are opened twice: on a page of its own, opened as a file, and on the built site where that has
them.
"""

import numpy as np
import pandas as pd
import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from robust_book.figures.image_grids import webp
from robust_book.html.mistakes import Behind, Mistake, mistakes
from robust_book.html.table import table

from . import visit
from .visit import DESK, PHONE, barriers, forget, own_page, paint, requests, severe, wait

pytestmark = [pytest.mark.site, pytest.mark.browser]

NETWORKS = ("Net F", "Net E", "Net D", "Net C", "Net B", "Net A")
SHOWN = """
return [...document.querySelectorAll(".rb-behind:not([hidden]) li")].map(one =>
  [one.querySelector("img").getAttribute("src").split("/").at(-1), one.querySelector("img").alt,
   one.querySelector("img").style.objectPosition, one.innerText.replace(/\\s+/g, " ").trim()])"""
LOADED = """
return [...document.querySelectorAll(".rb-behind:not([hidden]) img")]
  .every(i => i.complete && i.naturalWidth > 0)"""
STOPS = "return [...document.querySelectorAll('.rb-look')].filter(one => one.tabIndex === 0).length"
FOCUS = "return document.activeElement.ariaLabel"
WORDS = "return document.querySelector('.rb-mistakes output').textContent"


def behind(network, under, count=3):
    """A cell of a network that takes bells for hats, of which it is the less sure the later."""
    found = tuple(Mistake(f"bell {place}", "hat", 0.9 - place / 10) for place in range(count))
    file = f"{network[-1]}-{under}.webp" if count else None
    told = f"wrong on {count} of 9 images"
    return Behind(file, f"{network} under {under}", told, found)


CELLS = [
    [None, behind(name, "fog", 0 if name == "Net E" else 3), behind(name, "snow")]
    for name in NETWORKS
]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A page with nothing but a table and what lies behind it."""
    folder = tmp_path_factory.mktemp("mistakes")
    results = folder / "_static" / "results"
    results.mkdir(parents=True)
    for one in (one for row in CELLS for one in row if one and one.file):
        (results / one.file).write_bytes(webp(np.full((64, 192, 3), 90, np.uint8)))
    frame = pd.DataFrame({"Network": NETWORKS, "mCE": 80.0, "Fog": 70.0, "Snow": 90.0})
    block = f"{table(frame, caption='Errors')}{mistakes(CELLS, convention='severity 3')}"
    return own_page(folder, "Mistakes", f"<div>{block}</div>")


@pytest.fixture
def opened(browser, page):
    return visit.opened(browser, page)


def looks(browser):
    return browser.find_elements(By.CSS_SELECTOR, ".rb-look")


def shown(browser):
    assert wait(browser, LOADED)
    return browser.execute_script(SHOWN)


def press(browser, *keys):
    for key in keys:
        browser.switch_to.active_element.send_keys(key)


def test_a_click_shows_what_lies_behind_and_another_closes_it(opened):
    assert opened.find_elements(By.CSS_SELECTOR, ".rb-mistakes img") == []
    usual = opened.execute_script(WORDS)
    button = looks(opened)[1]
    button.click()
    assert button.get_attribute("aria-expanded") == "true"
    assert opened.execute_script(WORDS) == "Net F under snow: wrong on 3 of 9 images."
    assert shown(opened) == [
        ["F-snow.webp", "bell 0 under snow, taken for hat", "0% 0px", "bell 0 → hat 90 %"],
        ["F-snow.webp", "bell 1 under snow, taken for hat", "50% 0px", "bell 1 → hat 80 %"],
        ["F-snow.webp", "bell 2 under snow, taken for hat", "100% 0px", "bell 2 → hat 70 %"],
    ]
    looks(opened)[4].click()
    assert button.get_attribute("aria-expanded") == "false"
    assert shown(opened)[0][0] == "D-fog.webp"
    looks(opened)[4].click()
    assert shown(opened) == []
    assert opened.execute_script(WORDS) == usual
    assert severe(opened) == []


def test_a_column_without_pictures_stays_numbers(opened):
    assert len(looks(opened)) == 2 * len(NETWORKS)
    of_means = "tbody td:nth-of-type(1)"
    assert [one.text for one in opened.find_elements(By.CSS_SELECTOR, of_means)] == ["80.0"] * 6
    assert opened.find_elements(By.CSS_SELECTOR, f"{of_means} button") == []


def test_where_a_network_is_never_wrong_it_says_so(opened):
    looks(opened)[2].click()
    assert opened.execute_script(WORDS) == "Net E under fog: wrong on 0 of 9 images."
    assert shown(opened) == []


def test_the_table_is_one_stop_and_arrow_keys_enter_and_escape_do_the_rest(opened):
    assert opened.execute_script(STOPS) == 1
    opened.execute_script("document.querySelector('.rb-look').focus()")
    press(opened, Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
    assert opened.execute_script(FOCUS) == "90.0, mistakes of Net D under snow"
    assert opened.execute_script(STOPS) == 1
    press(opened, Keys.ENTER)
    assert shown(opened)[0][0] == "D-snow.webp"
    press(opened, Keys.ARROW_LEFT, Keys.ARROW_LEFT, Keys.ARROW_UP, Keys.SPACE)
    assert opened.execute_script(WORDS).startswith("Net E under fog")
    press(opened, Keys.ARROW_DOWN, Keys.ENTER, Keys.ESCAPE)
    assert shown(opened) == []
    assert opened.execute_script(FOCUS) == "70.0, mistakes of Net D under fog"


def test_closing_leads_back_to_the_number(opened):
    looks(opened)[5].click()
    opened.find_element(By.CSS_SELECTOR, ".rb-behind button").click()
    assert shown(opened) == []
    assert opened.execute_script(FOCUS) == "90.0, mistakes of Net D under snow"


def test_a_sorted_table_keeps_its_pictures(opened):
    opened.find_element(By.CSS_SELECTOR, ".rb-sort").click()
    assert opened.find_element(By.CSS_SELECTOR, "tbody th").text == "Net A"
    looks(opened)[0].click()
    assert shown(opened)[0][0] == "A-fog.webp"
    press(opened, Keys.ARROW_DOWN, Keys.ENTER)
    assert shown(opened)[0][0] == "B-fog.webp"


def test_without_a_script_the_table_is_as_it_was(browser, page):
    paint(browser, "light", DESK)
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(page.as_uri())
        cells = [one.text for one in browser.find_elements(By.CSS_SELECTOR, "tbody td")]
        assert cells == ["80.0", "70.0", "90.0"] * len(NETWORKS)
        buttons = browser.find_elements(By.TAG_NAME, "button")
        assert [one for one in buttons if one.is_displayed()] == []
        assert not browser.find_element(By.CSS_SELECTOR, ".rb-mistakes").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_barrier_and_a_phone_does_not_scroll_sideways(opened, scheme):
    opened.execute_script(f"document.documentElement.dataset.theme = '{scheme}'")
    assert barriers(opened) == []
    looks(opened)[1].click()
    assert barriers(opened) == []
    paint(opened, scheme, PHONE)
    wide = "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    assert opened.execute_script(wide)
    assert len(shown(opened)) == 3


def test_every_number_of_the_sites_table_opens(browser, site):
    chapter = site / "inc_2_mce.html"
    if not chapter.exists() or 'class="rb-mistakes"' not in chapter.read_text("utf-8"):
        pytest.skip("this site has no pictures behind its numbers: the chapter was not executed")
    paint(browser, "light", DESK)
    forget(browser)
    browser.get(chapter.as_uri())
    buttons = looks(browser)
    assert len(buttons) % 15 == 0 < len(buttons)
    for button in buttons:
        browser.execute_script("arguments[0].click()", button)
        found = shown(browser)
        told = browser.execute_script(WORDS)
        assert len(found) == 5 or f"wrong on {len(found)} of" in told, told
        assert len({alt for _, alt, *_ in found}) == len(found)
    files = [*(site / "_static" / "results").glob("inc-tab1-mistakes-*.webp")]
    assert sum(file.stat().st_size for file in files) < 1.5e6
    assert severe(browser) == []
    assert requests(browser, site.as_uri()) == []
