"""The explorer of corruptions in a real browser: by mouse, by keyboard, and without a script.

It is driven twice: on a page of its own, opened as a file, and on the built site where that has it.
"""

import numpy as np
import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from robust_book.chapters.inc_1_corruptions import cards
from robust_book.chapters.inc_1_corruptions.explorer import explorer
from robust_book.chapters.inc_1_corruptions.showcase import FILE, Sample
from robust_book.figures.image_grids import webp
from robust_lib.config.corruption_cards import catalogue
from robust_lib.results.reported import alexnet_errors
from robust_lib.vocabulary import CATEGORIES, NAMES, SEVERITIES

from . import visit
from .visit import DESK, PHONE, barriers, forget, own_page, paint, requests, severe, wait

pytestmark = [pytest.mark.site, pytest.mark.browser]

SHOWN = {
    "china": Sample("China", np.full((224, 224, 3), 90, np.uint8)),
    "bell_0": Sample("Bell", np.full((64, 64, 3), 160, np.uint8)),
}
STAGE = """
return [...document.querySelectorAll(".rb-stage img")].map(image =>
  [image.getAttribute("src").split("showcase-")[1].split("?")[0], image.alt,
   image.naturalWidth > 0])"""
SHEET = """
return [...document.querySelectorAll(".rb-sheet img")].map(image =>
  image.getAttribute("src").split("showcase-")[1].split("?")[0])"""
LOADED = "return [...document.querySelectorAll('.rb-stage img')].every(i => i.complete)"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A page with nothing but the explorer and a card."""
    folder = tmp_path_factory.mktemp("explorer")
    results = folder / "_static" / "results"
    results.mkdir(parents=True)
    for name, one in SHOWN.items():
        for corruption, severity in [("clean", 0), *((n, s) for n in NAMES for s in SEVERITIES)]:
            file = FILE.format(picture=name, corruption=corruption, severity=severity)
            (results / file).write_bytes(webp(one.picture))
    made = {"picture": "china", "severity": 3}
    known = catalogue()
    told = explorer(SHOWN, known, CATEGORIES, corruption="pixelate", convention="n = 1", **made)
    card = cards(["fog"], known, (), alexnet_errors(), **made)
    return own_page(folder, "Explorer", f"<h2>Explore</h2>{told}<h2>Fog</h2>{card}")


@pytest.fixture
def opened(browser, page):
    return visit.opened(browser, page)


@pytest.fixture
def built(browser, site):
    """The chapter of the built site, opened as a file; its pictures are those of the run."""
    chapter = site / "inc_1_corruptions.html"
    if not chapter.exists() or "rb-explorer" not in chapter.read_text("utf-8"):
        pytest.skip("this site has no explorer: its chapter of corruptions was not executed")
    paint(browser, "light", DESK)
    forget(browser)
    browser.get(chapter.as_uri())
    return browser


def stage(browser):
    assert wait(browser, LOADED)
    return browser.execute_script(STAGE)


def choose(browser, value):
    """Click the words of a radio button, as a reader does."""
    radio = browser.find_element(By.CSS_SELECTOR, f'.rb-explorer input[value="{value}"]')
    label = radio.find_element(By.XPATH, "..")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", label)
    label.find_element(By.TAG_NAME, "span").click()


def slide(browser, *keys):
    browser.find_element(By.CSS_SELECTOR, ".rb-explorer input[type=range]").send_keys(*keys)


def test_the_page_begins_with_what_was_asked_for(opened):
    clean, corrupted = stage(opened)
    assert clean == ["china-clean-0.webp", "China, clean", True]
    assert corrupted == ["china-pixelate-3.webp", "China under Pixelate, severity 3 of 5", True]
    assert severe(opened) == []


def test_a_corruption_a_severity_and_a_picture_can_be_chosen(opened):
    choose(opened, "fog")
    assert stage(opened)[1][:2] == ["china-fog-3.webp", "China under Fog, severity 3 of 5"]
    slide(opened, Keys.ARROW_RIGHT)
    assert stage(opened)[1][:2] == ["china-fog-4.webp", "China under Fog, severity 4 of 5"]
    choose(opened, "bell_0")
    clean, corrupted = stage(opened)
    assert clean[:2] == ["bell_0-clean-0.webp", "Bell (64 px), clean"]
    assert corrupted[0] == "bell_0-fog-4.webp"
    told = opened.find_element(By.CSS_SELECTOR, ".rb-told")
    words = "trength 2.5, decay of the variations 1.5 (224 pixels). AlexNet errs on 87 % of images."
    assert words in told.text
    assert told.find_element(By.TAG_NAME, "a").get_attribute("href").endswith("#fog")
    slide(opened, Keys.HOME)
    assert opened.execute_script(SHEET) == [f"bell_0-{name}-1.webp" for name in NAMES]
    assert severe(opened) == []


def test_small_pictures_show_their_pixels(opened):
    drawn = "return getComputedStyle(document.querySelector('.rb-stage img')).imageRendering"
    assert opened.execute_script(drawn) == "auto"
    choose(opened, "bell_0")
    assert opened.execute_script(drawn) == "pixelated"


def test_everything_is_reached_by_the_keyboard(opened):
    opened.execute_script("document.querySelector('.rb-explorer input').focus()")
    focused = "return document.activeElement.name || document.activeElement.id"
    opened.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    assert stage(opened)[0][0] == "bell_0-clean-0.webp"
    opened.switch_to.active_element.send_keys(Keys.TAB)
    assert opened.execute_script(focused) == "explorer-severity"
    opened.switch_to.active_element.send_keys(Keys.END, Keys.TAB)
    assert opened.switch_to.active_element.text.endswith(": definition and formula")
    opened.switch_to.active_element.send_keys(Keys.TAB)
    assert opened.execute_script(focused) == "explorer-corruption"
    opened.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    assert stage(opened)[1][0] == "bell_0-jpeg_compression-5.webp"
    opened.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)  # on to the next family
    assert stage(opened)[1][0] == "bell_0-speckle_noise-5.webp"


def test_screen_readers_hear_what_the_controls_are(opened):
    slider = opened.find_element(By.CSS_SELECTOR, ".rb-explorer input[type=range]")
    assert slider.accessible_name == "Severity"
    assert slider.get_attribute("aria-valuetext") == "3 of 5"
    radio = opened.find_element(By.CSS_SELECTOR, 'input[value="glass_blur"]')
    assert (radio.aria_role, radio.accessible_name) == ("radio", "Glass blur")


def test_a_card_leads_to_the_explorer_with_its_corruption(opened):
    link = opened.find_element(By.CSS_SELECTOR, "#fog .rb-see")
    opened.execute_script("arguments[0].scrollIntoView()", link)
    link.click()
    assert stage(opened)[1][0] == "china-fog-3.webp"
    assert opened.current_url.endswith("#explorer")


def test_without_a_script_all_corruptions_stand_there(browser, page):
    paint(browser, "light", DESK)
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(page.as_uri())
        pictures = browser.find_elements(By.CSS_SELECTOR, ".rb-sheet img")
        assert len(pictures) == len(NAMES)
        assert all(picture.is_displayed() for picture in pictures)
        inputs = browser.find_elements(By.CSS_SELECTOR, ".rb-explorer input")
        assert [one for one in inputs if one.is_displayed()] == []
        assert browser.find_element(By.CSS_SELECTOR, ".rb-still").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_barrier_and_a_phone_does_not_scroll_sideways(opened, scheme):
    opened.execute_script(f"document.documentElement.dataset.theme = '{scheme}'")
    assert barriers(opened) == []
    paint(opened, scheme, PHONE)
    wide = "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    assert opened.execute_script(wide)


def test_the_sites_explorer_shows_every_version_of_every_picture(built, site):
    radios = built.find_elements(By.CSS_SELECTOR, 'input[name="explorer-picture"]')
    shown = [radio.get_attribute("value") for radio in radios]
    assert len(shown) >= 3
    files = site / "_static" / "results"
    every = [("clean", 0), *((name, severity) for name in NAMES for severity in SEVERITIES)]
    wanted = [
        FILE.format(picture=picture, corruption=corruption, severity=severity)
        for picture in shown
        for corruption, severity in every
    ]
    assert [name for name in wanted if not (files / name).exists()] == []
    assert sum((files / name).stat().st_size for name in wanted) < 6e6
    choose(built, "snow")
    slide(built, Keys.HOME)
    assert stage(built)[1] == [f"{shown[0]}-snow-1.webp", "China under Snow, severity 1 of 5", True]
    choose(built, shown[-1])
    slide(built, Keys.END)
    assert stage(built)[1][::2] == [f"{shown[-1]}-snow-5.webp", True]
    assert severe(built) == []
    assert requests(built, site.as_uri()) == []


def test_the_sites_cards_have_formulas_and_pictures(built):
    assert built.find_elements(By.CSS_SELECTOR, ".rb-corruption .math svg")
    eager = "document.querySelectorAll('img[loading=lazy]').forEach(i => i.loading = 'eager')"
    built.execute_script(eager)
    seen = "return [...document.querySelectorAll('.rb-seen img')]"
    assert wait(built, f"{seen}.every(i => i.complete && i.naturalWidth > 0)")
    assert built.execute_script(f"{seen}.length") == len(NAMES) * len(SEVERITIES)
    left = r"return document.querySelector('main').innerText.match(/\\[()[\]]/)"
    assert built.execute_script(left) is None
