"""The review sheet in a real browser, opened as a file: keys, buttons, and what it saves."""

import json

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from robust_lib.curation import review_sheet, reviews
from tests.trees import save

from .reviewing import again, name, open_sheet, press, saved
from .visit import DESK, OVERFLOW, PHONE, barriers, paint, requests, severe, wait

pytestmark = [pytest.mark.site, pytest.mark.browser]

PICTURES = 60  # more than a page of the sheet
NAMES = ("one & <two>.jpg", "per%20cent #1?.png", "ä:b.jpg")
STATE = """
return [...document.querySelectorAll(".card")].map(c => c.dataset.word ?? "").slice(0, 6)"""
FOCUS = "return document.activeElement.dataset.index"
BROKEN = """
const images = [...document.images];
images.forEach(i => i.loading = "eager");
return images.every(i => i.complete) && images.filter(i => i.naturalWidth === 0).length === 0"""


@pytest.fixture
def sheet(tmp_path):
    """A sheet of many pictures, some of them with names that are no plain addresses."""
    folder = tmp_path / "pictures #1"
    for number in range(PICTURES - len(NAMES)):
        save(folder / f"c{number % 3}" / f"picture{number:03}.jpg", number)
    for number, odd in enumerate(NAMES):
        save(folder / "a odd" / odd, 100 + number)
    found = review_sheet.of_folder(folder)
    found.write(folder / "review.html")
    return found


@pytest.fixture
def opened(browser, sheet, tmp_path):
    return open_sheet(browser, sheet.folder / "review.html", tmp_path / "saved")


def test_decisions_by_keyboard_are_saved_and_read_back(opened, sheet, tmp_path):
    press(opened, "k", "d", "u", "k")
    assert opened.execute_script(STATE) == ["keep", "drop", "unsure", "keep", "", ""]
    press(opened, "z", "d")
    assert opened.execute_script(STATE) == ["keep", "drop", "unsure", "drop", "", ""]
    press(opened, Keys.ARROW_LEFT, Keys.ARROW_LEFT, Keys.ARROW_RIGHT)
    assert opened.execute_script(FOCUS) == "3"
    assert "4 of 60 decided: 1 keep, 2 drop, 1 unsure" in opened.find_element(By.ID, "count").text
    name(opened, "Ada L.")
    ada = saved(opened, tmp_path / "saved" / "decisions-Ada-L.json")
    assert json.loads(ada.read_text("utf-8"))["sheet"] == sheet.digest

    # The next person, in the same browser, begins with an empty sheet.
    name(opened, "Bob")
    assert opened.execute_script(STATE) == [""] * 6
    opened.find_element(By.CSS_SELECTOR, ".card").click()
    press(opened, "k", "d", "k", "d")
    bob = saved(opened, tmp_path / "saved" / "decisions-Bob.json")

    told = reviews.read(sheet, [ada, bob])
    assert [one.reviewer for one in told.reviews] == ["Ada L.", "Bob"]
    assert list(told.majority.values()) == ["keep", "drop", "unsure", "drop"]
    assert "agreement: 75.0 % of pairs of votes" in told.summary()
    assert severe(opened) == []
    assert requests(opened, "file://") == []


def test_decisions_outlive_the_page(opened):
    name(opened, "Ada")
    opened.find_element(By.CSS_SELECTOR, ".card").click()
    press(opened, "d", "k")
    again(opened)
    assert opened.execute_script(STATE) == ["drop", "keep", "", "", "", ""]
    assert opened.find_element(By.ID, "reviewer").get_attribute("value") == "Ada"
    press(opened, "u")  # it goes on with the first that is open
    assert opened.execute_script(STATE) == ["drop", "keep", "unsure", "", "", ""]


def test_buttons_do_what_keys_do_and_pages_turn(opened):
    opened.find_element(By.CSS_SELECTOR, '.card [data-word="drop"]').click()
    assert opened.execute_script(STATE)[:2] == ["drop", ""]
    opened.find_element(By.ID, "undo").click()
    assert opened.execute_script(STATE)[:2] == ["", ""]
    assert len(opened.find_elements(By.CLASS_NAME, "card")) == 48
    opened.find_element(By.ID, "after").click()
    assert len(opened.find_elements(By.CLASS_NAME, "card")) == 12
    assert opened.find_element(By.ID, "page").text == "49 to 60 of 60"
    press(opened, Keys.ARROW_LEFT)
    assert opened.execute_script(FOCUS) == "47"


def test_nothing_is_saved_without_a_name(opened, tmp_path):
    opened.find_element(By.ID, "save").click()
    assert "Enter your name first" in opened.find_element(By.ID, "told").text
    assert opened.execute_script("return document.activeElement.id") == "reviewer"
    press(opened, "d")  # a letter of a name is no decision
    assert opened.execute_script(STATE)[0] == ""
    assert list((tmp_path / "saved").iterdir()) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_picture_shows_and_nothing_stands_in_the_way(opened, scheme):
    paint(opened, scheme, DESK)
    assert wait(opened, BROKEN)
    press(opened, "k", "d", "u")
    assert barriers(opened) == []
    assert severe(opened) == []


def test_the_sheet_fits_a_phone(opened):
    paint(opened, "light", PHONE)
    press(opened, "k")
    assert opened.execute_script(OVERFLOW) == []
    assert opened.execute_script("return document.documentElement.scrollWidth") <= PHONE[0]
