"""The scrubber of clips in a real browser: by mouse, by keyboard, and without a script.

It is driven twice: on a page of its own, opened as a file, and on the built site where that has it.
"""

import numpy as np
import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from robust_book.chapters.vid_1_dataset.reels import Moment, Reel, Said, scrubber
from robust_book.figures.image_grids import webp

from . import visit
from .visit import DESK, PHONE, barriers, forget, own_page, paint, requests, severe, wait

pytestmark = [pytest.mark.site, pytest.mark.browser]

SHOWN = """
return [...document.querySelectorAll(".rb-reel:not([hidden]) figure:not([hidden])")].map(one =>
  [one.querySelector("img").getAttribute("src").split("/").at(-1).split("?")[0],
   one.querySelector("strong").textContent,
   [...one.querySelectorAll("li")].map(line => line.innerText.replace(/\\s+/g, " ").trim())])"""
LOADED = """
return [...document.querySelectorAll(".rb-reel:not([hidden]) figure:not([hidden]) img")]
  .every(i => i.complete && i.naturalWidth > 0)"""


def reel(name, offsets, wrong):
    """A clip of a bear that one network takes for a dog on some frames, the last of them worst."""
    moments = [
        Moment(
            offset,
            f"{name}{offset}.webp",
            (
                Said(
                    "Mine",
                    "dog" if offset in wrong else "bear",
                    0.75,
                    offset not in wrong,
                    offset == max(wrong),
                ),
            ),
        )
        for offset in offsets
    ]
    return Reel(f"val/{name}", f"bear {name}", tuple(moments))


REELS = (
    reel("a", [offset for offset in range(-10, 11) if offset not in (2, 3)], [-1, 4]),
    reel("b", range(-4, 5), [1]),
)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A page with nothing but the scrubber."""
    folder = tmp_path_factory.mktemp("scrubber")
    results = folder / "_static" / "results"
    results.mkdir(parents=True)
    for moment in (moment for one in REELS for moment in one.moments):
        (results / moment.file).write_bytes(webp(np.full((64, 64, 3), 90, np.uint8)))
    made = scrubber(REELS, convention="64 pixels", side=64)
    return own_page(folder, "Scrubber", made)


@pytest.fixture
def opened(browser, page):
    return visit.opened(browser, page)


@pytest.fixture
def built(browser, site):
    """The chapter of the built site, opened as a file."""
    chapter = site / "vid_1_dataset.html"
    if not chapter.exists() or "rb-scrubber" not in chapter.read_text("utf-8"):
        pytest.skip("this site has no scrubber: its chapter of frames was not executed")
    paint(browser, "light", DESK)
    forget(browser)
    browser.get(chapter.as_uri())
    return browser


def shown(browser):
    assert wait(browser, LOADED)
    (only,) = browser.execute_script(SHOWN)
    return only


def slide(browser, *keys):
    browser.find_element(By.CSS_SELECTOR, ".rb-scrubber input[type=range]").send_keys(*keys)


def test_the_page_begins_at_the_anchor_of_the_first_clip(opened):
    assert shown(opened) == ["a0.webp", "anchor", ["Mine bear 75 %"]]
    assert severe(opened) == []


def test_arrow_keys_step_frame_by_frame_and_pass_over_what_was_dropped(opened):
    slide(opened, Keys.ARROW_LEFT)
    assert shown(opened) == ["a-1.webp", "−1", ["Mine → dog 75 %"]]
    slide(opened, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert shown(opened)[1:] == ["+4", ["Mine → dog 75 % worst"]]
    slide(opened, Keys.ARROW_LEFT)
    assert shown(opened)[1] == "+1"
    slide(opened, Keys.END)
    assert shown(opened)[1] == "+10"
    slide(opened, Keys.HOME)
    assert shown(opened)[1] == "−10"


def test_a_shorter_clip_shows_its_nearest_frame_and_no_farther(opened):
    slide(opened, Keys.END)
    opened.find_element(By.CSS_SELECTOR, 'input[value="val/b"]').click()
    assert shown(opened)[:2] == ["b4.webp", "+4"]
    slide(opened, Keys.ARROW_RIGHT)
    assert shown(opened)[1] == "+4"


def test_a_mark_leads_to_its_frame(opened):
    opened.find_element(By.CSS_SELECTOR, '.rb-cells i[data-at="-7"]').click()
    assert shown(opened)[1] == "−7"
    marked = opened.find_elements(By.CSS_SELECTOR, ".rb-reel:not([hidden]) i.rb-now")
    assert [one.get_attribute("data-at") for one in marked] == ["-7"]


def test_screen_readers_hear_which_frame_it_is(opened):
    slider = opened.find_element(By.CSS_SELECTOR, ".rb-scrubber input[type=range]")
    assert slider.accessible_name == "Frame"
    assert slider.get_attribute("aria-valuetext") == "anchor"
    slide(opened, Keys.ARROW_RIGHT)
    assert slider.get_attribute("aria-valuetext") == "+1"


def test_without_a_script_every_kept_frame_stands_there(browser, page):
    paint(browser, "light", DESK)
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(page.as_uri())
        figures = browser.find_elements(By.CSS_SELECTOR, ".rb-scrubber figure")
        assert len(figures) == 19 + 9
        assert all(figure.is_displayed() for figure in figures)
        assert "→ dog 75 %" in figures[9].text
        inputs = browser.find_elements(By.CSS_SELECTOR, ".rb-scrubber input")
        assert [one for one in inputs if one.is_displayed()] == []
        assert browser.find_element(By.CSS_SELECTOR, ".rb-still").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_barrier_and_a_phone_does_not_scroll_sideways(opened, scheme):
    opened.execute_script(f"document.documentElement.dataset.theme = '{scheme}'")
    slide(opened, Keys.ARROW_LEFT)
    assert barriers(opened) == []
    paint(opened, scheme, PHONE)
    wide = "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    assert opened.execute_script(wide)


def test_the_sites_scrubber_shows_every_frame_of_every_clip(built, site):
    files = site / "_static" / "results"
    every = "return [...document.querySelectorAll('.rb-scrubber img')]"
    pictures = [
        address.rpartition("/")[2].partition("?")[0]
        for address in built.execute_script(f"{every}.map(i => i.getAttribute('src'))")
    ]
    assert len(pictures) > 20
    assert [name for name in pictures if not (files / name).exists()] == []
    assert sum((files / name).stat().st_size for name in pictures) < 1.5e6
    assert shown(built)[1] == "anchor"
    for radio in built.find_elements(By.CSS_SELECTOR, 'input[name="scrubber-clip"]'):
        built.execute_script("arguments[0].scrollIntoView({block: 'center'})", radio)
        radio.click()
        slide(built, Keys.HOME)
        assert shown(built)[1].startswith("−")
    assert severe(built) == []
    assert requests(built, site.as_uri()) == []
