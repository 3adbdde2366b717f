"""The sheet of pairs of frames in a real browser: one pair at a time, by keyboard, two rounds."""

import json

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from robust_lib.config.class_lists import load_classes
from robust_lib.curation import pair_rounds
from robust_lib.curation.review_sheet import ROUND_1
from tests.curation.pairs import record
from tests.trees import save

from .reviewing import again, begun, name, open_sheet, press, saved
from .visit import DESK, OVERFLOW, PHONE, barriers, paint, requests, severe, wait

pytestmark = [pytest.mark.site, pytest.mark.browser]

VID = load_classes("imagenet_vid")
FOUND = record(one=[8, 9, 11, 12], two=[5, 6, 14, 15])
HERE = 'return document.querySelector(".card .file").textContent'
WORD = 'return document.querySelector(".card").dataset.word ?? ""'
SHOWN = """
return [...document.images].map(i => [decodeURIComponent(i.src).split("/out #1/")[1] ?? i.src,
                                      i.complete && i.naturalWidth > 0])"""
SIDES = "return [...document.images].map(i => i.getBoundingClientRect()).map(b => [b.left, b.top])"
KEYS = "smblouw"


@pytest.fixture
def sheet(tmp_path):
    folder = tmp_path / "out #1"
    for place, frame in enumerate(FOUND.frames):
        save(folder / frame, place, 160, 90)
    whole = pair_rounds.first_round(folder, FOUND, VID)
    whole.write(folder / "round-1.html")
    return whole


@pytest.fixture
def opened(browser, sheet, tmp_path):
    return open_sheet(browser, sheet.folder / "round-1.html", tmp_path / "saved")


def order(browser):
    """Return the pairs in the order in which a reviewer meets them, and go back to the first."""
    press(browser, *[Keys.ARROW_LEFT] * len(FOUND.frames))
    found = []
    for _ in pair_rounds.pairs(FOUND):
        found.append(browser.execute_script(HERE))
        press(browser, Keys.ARROW_RIGHT)
    press(browser, *[Keys.ARROW_LEFT] * len(FOUND.frames))
    return found


def test_every_answer_by_keyboard_undo_reload_and_the_second_round(opened, sheet, tmp_path):
    name(opened, "Ada L.")
    opened.find_element(By.CLASS_NAME, "card").click()
    met = order(opened)
    press(opened, *KEYS[:4])
    press(opened, "z", "z", "o")  # the fourth and the third are taken back
    assert opened.execute_script(HERE) == met[3]
    assert "3 of 8 decided: 1 similar, 1 motion, 0 background, 0 blur, 1 other" in (
        opened.find_element(By.ID, "count").text
    )
    press(opened, "z", *KEYS[2:4])
    again(opened)
    assert opened.execute_script(HERE) == met[4]  # it goes on with the first that is open
    press(opened, *KEYS[4:])
    assert opened.find_element(By.ID, "page").text == "8 of 8"
    press(opened, "s")
    assert opened.execute_script(HERE) == met[7]
    assert opened.execute_script(WORD) == "similar"
    ada = saved(opened, tmp_path / "saved" / "round-1-Ada-L.json")
    decisions = json.loads(ada.read_text("utf-8"))["decisions"]
    assert decisions == dict(zip(met, (*ROUND_1.words, "similar"), strict=True))

    # The next person, in the same browser, begins anew and in another order.
    name(opened, "Bob")
    assert opened.execute_script(WORD) == ""
    theirs = order(opened)
    assert theirs != met
    assert sorted(theirs) == sorted(met)
    press(opened, *"ssssssss")
    bob = saved(opened, tmp_path / "saved" / "round-1-Bob.json")

    rounds = pair_rounds.read(sheet.folder, FOUND, VID, [ada, bob])
    assert sorted(rounds.doubted) == sorted(met[1:7])
    second = pair_rounds.second_round(sheet.folder, FOUND, VID, rounds.doubted)
    second.write(sheet.folder / "round-2.html")
    opened.get((sheet.folder / "round-2.html").as_uri())
    begun(opened)
    files = []
    for reviewer, keys in (("Ada L.", "ssbbuu"), ("Bob", "ssssss")):
        name(opened, reviewer)
        opened.find_element(By.CLASS_NAME, "card").click()
        press(opened, *[Keys.ARROW_LEFT] * 6)
        press(opened, *keys)
        slug = reviewer.replace(" L.", "-L")
        files.append(saved(opened, tmp_path / "saved" / f"round-2-{slug}.json"))
    both = pair_rounds.read(sheet.folder, FOUND, VID, [ada, bob, *files])
    assert both.is_complete
    # One of two is no strict majority.
    said = sorted(both.verdicts.values())
    assert said == ["background"] * 2 + ["similar"] * 4 + ["unsure"] * 2
    assert severe(opened) == []
    assert requests(opened, "file://") == []


def test_a_single_pair_is_shown_side_by_side(opened):
    assert wait(opened, "return [...document.images].every(i => i.complete)")
    anchor, neighbour = opened.execute_script(HERE).split(" ")
    shown = opened.execute_script(SHOWN)
    assert shown == [[anchor, True], [f"{anchor.rpartition('/')[0]}/{neighbour}", True]]
    (left, top), (right, other) = opened.execute_script(SIDES)
    assert left < right
    assert top == other
    captions = [one.text for one in opened.find_elements(By.TAG_NAME, "figcaption")]
    assert captions[0] == "anchor, frame 10"
    number = int(neighbour.split(".")[0])
    assert captions[1].startswith(f"frame {number}, {abs(number - 10)} ")
    assert opened.find_element(By.CSS_SELECTOR, ".classes").text == "dog"


def test_buttons_do_what_keys_do(opened):
    met = opened.execute_script(HERE)
    buttons = opened.find_elements(By.CSS_SELECTOR, ".choice button")
    assert [one.text.split()[-1] for one in buttons] == list(KEYS)
    buttons[1].click()
    assert opened.execute_script(HERE) != met
    opened.find_element(By.ID, "before").click()
    assert (opened.execute_script(HERE), opened.execute_script(WORD)) == (met, "motion")
    pressed = opened.find_elements(By.CSS_SELECTOR, '.choice [aria-pressed="true"]')
    assert [one.get_attribute("data-word") for one in pressed] == ["motion"]
    press(opened, "l", Keys.ARROW_LEFT)
    assert opened.execute_script(WORD) == "blur"
    opened.find_element(By.ID, "undo").click()  # gives back what was said before
    assert (opened.execute_script(HERE), opened.execute_script(WORD)) == (met, "motion")
    opened.find_element(By.ID, "undo").click()
    assert opened.execute_script(WORD) == ""


def test_shares_of_one_person_are_saved_together(opened, sheet, tmp_path):
    dealt = pair_rounds.shares(sheet, 2, 1, seed=0)
    for number, share in enumerate(dealt, start=1):
        share.write(sheet.folder / f"share-{number}.html")
        opened.get((sheet.folder / f"share-{number}.html").as_uri())
        name(opened, "Ada")
        opened.find_element(By.CLASS_NAME, "card").click()
        assert "0 of 4 decided" in opened.find_element(By.ID, "count").text
        press(opened, *"smsm")
        assert "4 of 4 decided: 2 similar, 2 motion" in opened.find_element(By.ID, "count").text
    ada = saved(opened, tmp_path / "saved" / "round-1-Ada.json")
    assert len(pair_rounds.read(sheet.folder, FOUND, VID, [ada]).doubted) == 4


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_stands_in_the_way(opened, scheme):
    paint(opened, scheme, DESK)
    for key in KEYS:
        press(opened, key, Keys.ARROW_LEFT)
        assert barriers(opened) == []
        press(opened, Keys.ARROW_RIGHT)
    assert severe(opened) == []


def test_the_sheet_fits_its_window(opened):
    # At a desk the answers are in sight without scrolling; on a phone nothing is too wide.
    bottom = 'return document.querySelector(".choice").getBoundingClientRect().bottom'
    assert opened.execute_script(bottom) <= DESK[1]
    paint(opened, "light", PHONE)
    press(opened, "s")
    assert opened.execute_script(OVERFLOW) == []
    assert opened.execute_script("return document.documentElement.scrollWidth") <= PHONE[0]
