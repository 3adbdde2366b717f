"""The lecture view of a chapter in a real browser: by keyboard, by finger, by address, on paper."""

import base64
import re

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from .visit import DESK, PHONE, barriers, forget, paint, requests, severe, wait

pytestmark = [pytest.mark.site, pytest.mark.browser, pytest.mark.slow]

CHAPTER = "inc_2_mce"
SHIFT_SPACE = Keys.SHIFT + Keys.SPACE
OPEN = "return document.querySelector('.rb-slide:not([hidden])') !== null"
CLOSED = "return document.querySelector('.rb-lecture') === null"
SLIDES = "return document.querySelectorAll('.rb-slide').length"
PLACE = "return document.querySelector('.rb-place').textContent"
HEADING = "return document.querySelector('.rb-slide:not([hidden]) h2').textContent"
# What a script gave an element on its way, such as a class of the switch, is none of the lecture's.
ARTICLE = r"""
return document.querySelector(".bd-article").innerHTML
  .replace(/ open=""| loading="\w+"/g, "")"""
# A slide whose figure is there as a drawing.
FIGURES = """
return [...document.querySelectorAll(".rb-slide")].map((one, at) => [at + 1, one])
  .filter(([, one]) => one.querySelector(".rb-shown .rb-figure > svg")).map(([at]) => at)"""
BOX = """
const one = document.querySelector(".rb-slide:not([hidden]) .rb-figure > svg");
const {left, top, right, bottom} = one.getBoundingClientRect();
return [left, top, right, bottom]"""
TALL = """
const {width, height} =
  document.querySelector(".rb-slide:not([hidden]) .rb-figure > svg").viewBox.baseVal;
return width < 1.25 * height"""
BEYOND = """
return [...document.querySelectorAll(".rb-slide:not([hidden]), .rb-slide:not([hidden]) *, nav *")]
  .filter(one => one.getBoundingClientRect().right > innerWidth + 1 && one.checkVisibility())
  .filter(one => !one.closest(".rb-scroll, .rb-tip, pre, svg, math, iframe, .rb-wide"))
  .map(one => one.tagName + "." + one.className)"""


@pytest.fixture
def address(site):
    page = site / f"{CHAPTER}.html"
    if not page.exists() or "rb-lesson" not in page.read_text("utf-8"):
        pytest.skip("this site lacks the chapter, or was rendered before chapters were lessons")
    return page.as_uri()


@pytest.fixture
def desk(browser, address):
    """The chapter as a page, opened from a file."""
    paint(browser, "light", DESK)
    browser.get("about:blank")  # or another fragment of the same page is no new page
    forget(browser)
    browser.get(address)
    return browser


def lecture(browser, address, end="#lecture"):
    browser.get("about:blank")
    browser.get(f"{address}{end}")
    assert wait(browser, OPEN)


def press(browser, *keys):
    for key in keys:
        chain = ActionChains(browser)
        if key == SHIFT_SPACE:
            chain.key_down(Keys.SHIFT).send_keys(Keys.SPACE).key_up(Keys.SHIFT).perform()
        else:
            chain.send_keys(key).perform()


def go(browser, number):
    browser.execute_script(f"location.hash = 'lecture-{number}'")
    assert wait(browser, f"{PLACE}.startsWith('{number} /')")


def test_a_button_opens_the_chapter_as_a_lecture_and_back_closes_it(desk):
    (button,) = desk.find_elements(By.CSS_SELECTOR, ".rb-beside .rb-lesson button")
    assert button.text == "Lecture view"
    button.click()
    assert wait(desk, OPEN)
    title = desk.execute_script("return document.querySelector('.bd-main h1').innerText")
    assert desk.execute_script(HEADING) in desk.execute_script(
        "return document.querySelector('.bd-main h1').textContent.replace(': ', '')"
    )
    assert not desk.find_element(By.CSS_SELECTOR, ".bd-main").is_displayed(), title
    desk.back()
    assert wait(desk, CLOSED)
    assert desk.find_element(By.CSS_SELECTOR, ".bd-main").is_displayed()
    assert severe(desk) == []


def test_keys_turn_the_slides_and_the_address_goes_along(desk, address):
    lecture(desk, address)
    count = desk.execute_script(SLIDES)
    turns = [
        (Keys.ARROW_RIGHT, 2),
        (Keys.SPACE, 3),
        (Keys.PAGE_DOWN, 4),
        (Keys.ARROW_LEFT, 3),
        (Keys.PAGE_UP, 2),
        (Keys.HOME, 1),
        (Keys.ARROW_LEFT, 1),
        (Keys.END, count),
        (Keys.ARROW_RIGHT, count),
    ]
    for key, number in turns:
        press(desk, key)
        assert desk.execute_script(PLACE) == f"{number} / {count}"
        assert desk.current_url.endswith(f"#lecture-{number}")
        value = "return document.querySelector('.rb-lecture-bar progress').value"
        assert desk.execute_script(value) == number
    press(desk, SHIFT_SPACE)
    assert desk.execute_script(PLACE) == f"{count - 1} / {count}"


def lengthen(browser, number):
    """Make a slide longer than three screens; what stands last in it says so."""
    script = """
    const long = document.createElement("div");
    long.style = "flex: none; height: 300vh";
    long.append(Object.assign(document.createElement("p"), {textContent: "the very end"}));
    long.firstChild.style = "position: absolute; bottom: 0";
    long.style.position = "relative";
    document.querySelectorAll(".rb-slide")[arguments[0] - 1].append(long)"""
    browser.execute_script(script, number)


@pytest.mark.parametrize(
    ("onward", "backward"),
    [
        (Keys.PAGE_DOWN, Keys.PAGE_UP),
        (Keys.ARROW_RIGHT, Keys.ARROW_LEFT),
        (Keys.SPACE, SHIFT_SPACE),
    ],
)
def test_a_long_slide_is_read_to_its_end_before_it_turns(desk, address, onward, backward):
    lecture(desk, address)
    more = desk.find_element(By.CSS_SELECTOR, ".rb-below")
    assert not more.is_displayed()
    lengthen(desk, 2)
    go(desk, 2)
    assert wait(desk, "return document.querySelector('.rb-below').checkVisibility()")
    at = "return document.querySelector('.rb-slide:not([hidden])').scrollTop"
    tops = [0]
    while True:
        press(desk, onward)
        if not desk.execute_script(PLACE).startswith("2 /"):
            break
        tops.append(desk.execute_script(at))
        assert tops[-1] > tops[-2]
        assert tops[-1] - tops[-2] < DESK[1] - 100  # less than is seen: no line is skipped
    assert len(tops) > 3
    assert desk.execute_script(PLACE).startswith("3 /")
    go(desk, 2)
    assert desk.execute_script(at) == 0
    press(desk, onward)
    assert desk.execute_script(at) > 0
    while desk.execute_script(at):
        press(desk, backward)
        assert desk.execute_script(PLACE).startswith("2 /")
    press(desk, backward)
    assert desk.execute_script(PLACE).startswith("1 /")
    press(desk, *[onward] * len(tops))
    assert desk.execute_script(PLACE).startswith("2 /")
    assert wait(desk, "return !document.querySelector('.rb-below').checkVisibility()")


def test_the_buttons_turn_and_stop_at_the_ends(desk, address):
    lecture(desk, address)
    back, following, _, leave = desk.find_elements(By.CSS_SELECTOR, ".rb-lecture-bar button")
    assert [back.is_enabled(), following.is_enabled()] == [False, True]
    assert [one.accessible_name for one in (back, following, leave)] == [
        "Previous slide",
        "Next slide",
        "Leave the lecture",
    ]
    following.click()
    assert desk.execute_script(PLACE).startswith("2 /")
    press(desk, Keys.END)
    assert [back.is_enabled(), following.is_enabled()] == [True, False]
    leave.click()
    assert wait(desk, CLOSED)


def test_a_reload_and_a_link_find_the_slide_again(desk, address):
    lecture(desk, address, "#lecture-3")
    heading = desk.execute_script(HEADING)
    assert desk.execute_script(PLACE).startswith("3 /")
    desk.refresh()
    assert wait(desk, OPEN)
    assert desk.execute_script(HEADING) == heading
    lecture(desk, address, "?lecture")
    assert desk.execute_script(PLACE).startswith("1 /")
    press(desk, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    desk.refresh()
    assert wait(desk, OPEN)
    assert desk.execute_script(HEADING) == heading
    lecture(desk, address, "#lecture-999")
    count = desk.execute_script(SLIDES)
    assert desk.execute_script(PLACE) == f"{count} / {count}"


def test_escape_gives_the_page_back_as_it_was(desk, address):
    before = desk.execute_script(ARTICLE)
    desk.find_element(By.CSS_SELECTOR, ".rb-beside .rb-lesson button").click()
    assert wait(desk, OPEN)
    assert desk.execute_script(ARTICLE) != before  # figures are in the slides
    go(desk, desk.execute_script(FIGURES)[-1])
    press(desk, Keys.ESCAPE)
    assert wait(desk, CLOSED)
    # The theme measures a third of a second later which blocks of code scroll.
    desk.execute_script("window.before = arguments[0]", before)
    assert wait(desk, "return window.before === (() => {" + ARTICLE + "})()", 2)
    assert "lecture" not in desk.current_url
    # The reader stands where the slide was from.
    assert desk.execute_script("return scrollY") > 0
    lecture(desk, address, "?lecture")
    press(desk, Keys.ESCAPE)
    assert "lecture" not in desk.current_url


def test_a_slide_is_one_idea_with_its_figure_large(desk, address):
    lecture(desk, address)
    width, height = DESK
    numbers = desk.execute_script(FIGURES)
    assert len(numbers) >= 2
    for number in numbers:
        go(desk, number)
        left, top, right, bottom = desk.execute_script(BOX)
        assert left >= 0
        assert right <= width
        assert bottom <= height
        if desk.execute_script(TALL):  # beside the words
            assert bottom - top >= 0.6 * height
        else:
            assert bottom - top >= 0.25 * height
            assert right - left >= 0.6 * width
        words = "return document.querySelector('.rb-slide:not([hidden]) .rb-said')?.innerText || ''"
        assert len(desk.execute_script(words).split()) <= 90


def test_verdicts_are_readable_from_the_last_row(desk, address):
    lecture(desk, address)
    sizes = """
    const large = ".rb-claim .rb-chip, .rb-slide-verdicts .rb-chip, .rb-slide .rb-claim-says";
    return [...document.querySelectorAll(large)]
      .map(one => parseFloat(getComputedStyle(one).fontSize))"""
    found = desk.execute_script(sizes)
    assert found
    assert min(found) >= 18
    said = "return document.querySelector('.rb-slide-verdicts').textContent"
    chips = "return [...document.querySelectorAll('.rb-chips .rb-chip b')].map(b => b.textContent)"
    for word in desk.execute_script(chips):
        assert word in desk.execute_script(said)


def test_a_belief_stands_alone_before_its_cure_and_hints_stay_folded(desk, address):
    lecture(desk, address)
    headings = [
        one.get_attribute("textContent")
        for one in desk.find_elements(By.CSS_SELECTOR, ".rb-slide h2")
    ]
    alone = headings.index("A common misconception") + 1
    go(desk, alone)
    assert desk.find_elements(By.CSS_SELECTOR, ".rb-slide:not([hidden]) svg") == []
    belief = desk.find_element(By.CSS_SELECTOR, ".rb-slide:not([hidden]) blockquote").text
    # As a headline it must not be learnt.
    assert headings[alone] == f"Not so: “{belief}”"
    go(desk, alone + 1)
    assert desk.find_element(By.CSS_SELECTOR, ".rb-slide:not([hidden]) .rb-figure").is_displayed()
    assert headings.count("To discuss") == 3
    go(desk, headings.index("To discuss") + 1)
    hint = desk.find_element(By.CSS_SELECTOR, ".rb-slide:not([hidden]) details")
    assert hint.get_attribute("open") is None
    # Space on a hint unfolds it, and turns no slide.
    place = desk.execute_script(PLACE)
    desk.execute_script("arguments[0].querySelector('summary').focus()", hint)
    press(desk, Keys.SPACE)
    assert hint.get_attribute("open") is not None
    assert desk.execute_script(PLACE) == place


def test_arrows_in_a_field_are_the_fields(desk, address):
    lecture(desk, address)
    field = "const one = document.createElement('input'); one.type = 'range';"
    field += "document.querySelector('.rb-slide:not([hidden])').append(one); one.focus()"
    desk.execute_script(field)
    press(desk, Keys.ARROW_RIGHT, Keys.HOME, Keys.END)
    assert desk.execute_script(PLACE).startswith("1 /")
    assert desk.execute_script("return document.activeElement.value") == "100"


def test_a_question_that_was_tried_lets_the_keys_turn(desk, address):
    lecture(desk, address)
    (section,) = desk.find_elements(By.CSS_SELECTOR, ".rb-slide .rb-what-if")
    slides = desk.find_elements(By.CSS_SELECTOR, ".rb-slide")
    number = 1 + slides.index(section.find_element(By.XPATH, "ancestor::*[@aria-label][1]"))
    box = section.find_element(By.CSS_SELECTOR, "input[type=checkbox]")
    field = section.find_element(By.CSS_SELECTOR, "select")
    # By keyboard the control keeps the focus, and what it does with a key is its own.
    go(desk, number)
    desk.execute_script("arguments[0].focus()", box)
    was = box.is_selected()
    press(desk, Keys.SPACE)
    assert box.is_selected() != was
    assert desk.switch_to.active_element == box
    assert desk.execute_script(PLACE).startswith(f"{number} /")
    for control, key, place in [
        (box, Keys.ARROW_RIGHT, number + 1),
        (box, Keys.ARROW_LEFT, number - 1),
        (box, Keys.PAGE_DOWN, number + 1),
        (field, Keys.PAGE_UP, number - 1),
        (field, Keys.PAGE_DOWN, number + 1),
        (field, Keys.ARROW_RIGHT, number),
    ]:
        go(desk, number)
        desk.execute_script("arguments[0].focus()", control)
        press(desk, key)
        assert desk.execute_script(PLACE).startswith(f"{place} /"), key
    # A pointer gives the keys back.
    go(desk, number)
    was = box.is_selected()
    ActionChains(desk).click(box).perform()
    assert box.is_selected() != was
    assert desk.execute_script("return document.activeElement.tagName") == "H2"
    slider = """
    const one = Object.assign(document.createElement("input"), {type: "range"});
    arguments[0].prepend(one);
    return one"""
    slider = desk.execute_script(slider, section)
    press(desk, Keys.ARROW_RIGHT)
    go(desk, number)
    ActionChains(desk).move_to_element_with_offset(slider, 30, 0).click().perform()
    assert slider.get_attribute("value") != "50"
    assert desk.execute_script("return document.activeElement.tagName") == "H2"


def test_what_can_be_tried_and_what_is_small_grow_with_the_deck(browser, address):
    sizes = """
    const small = ".rb-what-if td, .rb-what-if label, .rb-what-if select, .rb-what-if h3, "
      + ".rb-slide-question summary, .rb-said .rb-badge, .rb-lecture-bar button";
    return [...document.querySelectorAll(small)]
      .map((one) => [one.className, parseFloat(getComputedStyle(one).fontSize)])"""
    found = []
    for size in ((1280, 720), (1920, 1080)):
        paint(browser, "light", size)
        lecture(browser, address)
        found.append(browser.execute_script(sizes))
    for (name, desk), (_, hall) in zip(*found, strict=True):
        assert hall >= 18, name
        assert hall > 1.15 * desk, name


def test_what_is_said_of_a_folded_chart_has_its_chart(desk, address):
    lecture(desk, address)
    folded = "return document.querySelectorAll('.rb-slide .rb-aside .rb-figure').length"
    assert desk.execute_script(folded) == 0
    headings = desk.find_elements(By.CSS_SELECTOR, ".rb-slide h2")
    names = [one.get_attribute("textContent") for one in headings]
    go(desk, names.index("The networks") + 1)
    (chart,) = desk.find_elements(By.CSS_SELECTOR, ".rb-slide:not([hidden]) .rb-figure > svg")
    assert chart.is_displayed()
    press(desk, Keys.ESCAPE)
    assert wait(desk, CLOSED)
    assert desk.find_elements(By.CSS_SELECTOR, "#the-networks details.rb-aside .rb-figure > svg")


def test_a_link_within_the_chapter_turns_to_the_slide_of_its_target(desk, address):
    lecture(desk, address)
    target = desk.execute_script(
        "return document.querySelector('.rb-slide .rb-item, .rb-slide [id]').id"
    )
    desk.execute_script(f"location.hash = '{target}'")
    holds = f"document.querySelector('.rb-slide:not([hidden])')?.contains({target!r}.length && "
    assert wait(desk, f"return {holds}document.getElementById({target!r}))")
    assert "#lecture-" in desk.current_url


def test_an_enlarged_figure_keeps_the_keys_to_itself(desk, address):
    lecture(desk, address)
    number = desk.execute_script(FIGURES)[0]
    go(desk, number)
    picture = ".rb-slide:not([hidden]) .rb-figure > svg"
    ActionChains(desk).click(desk.find_element(By.CSS_SELECTOR, picture)).perform()
    assert wait(desk, "return document.querySelector('dialog.rb-zoom[open]') !== null")
    press(desk, Keys.ARROW_RIGHT, Keys.ESCAPE)
    assert wait(desk, "return document.querySelector('dialog.rb-zoom') === null")
    assert desk.execute_script(PLACE).startswith(f"{number} /")


def test_a_figure_on_a_slide_offers_to_be_enlarged(desk, address):
    lecture(desk, address)
    number = desk.execute_script(FIGURES)[0]
    go(desk, number)
    button = desk.find_element(By.CSS_SELECTOR, ".rb-slide:not([hidden]) .rb-enlarge")
    desk.execute_script("arguments[0].focus()", button)
    assert button.is_displayed()
    press(desk, Keys.SPACE)
    assert wait(desk, "return document.querySelector('dialog.rb-zoom[open]') !== null")
    press(desk, Keys.ESCAPE)
    assert wait(desk, "return document.querySelector('dialog.rb-zoom') === null")
    assert desk.execute_script(PLACE).startswith(f"{number} /")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_question_mark_tells_the_keys_and_escape_closes_them(browser, address, scheme):
    paint(browser, scheme, DESK)
    lecture(browser, address)
    press(browser, "?")
    told = browser.find_element(By.CSS_SELECTOR, "dialog.rb-keys[open]")
    assert told.accessible_name == "Keys"
    assert "Page down" in told.text
    assert barriers(browser) == []
    press(browser, Keys.ARROW_RIGHT, Keys.ESCAPE)
    assert wait(browser, "return document.querySelector('dialog.rb-keys') === null")
    assert browser.execute_script(PLACE).startswith("1 /")
    browser.find_element(By.CSS_SELECTOR, ".rb-lecture-bar [aria-label=Keys]").click()
    assert browser.find_elements(By.CSS_SELECTOR, "dialog.rb-keys[open]")
    press(browser, Keys.ESCAPE)


def test_f_fills_the_screen_and_gives_it_back(desk, address):
    lecture(desk, address)
    full = "return document.fullscreenElement !== null"
    press(desk, "f")
    assert wait(desk, full)
    assert desk.execute_script("return document.querySelector('.rb-lecture').checkVisibility()")
    press(desk, "f")
    assert wait(desk, full.replace("!==", "==="))
    assert desk.execute_script(PLACE).startswith("1 /")


def swipe(browser, start, end):
    def touch(kind, *points):
        browser.execute_cdp_cmd(
            "Input.dispatchTouchEvent",
            {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]},
        )

    touch("touchStart", start)
    touch("touchMove", end)
    touch("touchEnd")


def test_a_finger_turns_the_slides_of_a_phone_and_nothing_is_cut(browser, address):
    paint(browser, "light", PHONE)
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    try:
        lecture(browser, address)
        swipe(browser, (320, 300), (60, 310))
        assert wait(browser, f"{PLACE}.startsWith('2 /')")
        swipe(browser, (200, 500), (190, 100))  # down the slide
        assert browser.execute_script(PLACE).startswith("2 /")
        swipe(browser, (60, 300), (320, 310))
        assert wait(browser, f"{PLACE}.startsWith('1 /')")
        for number in range(1, browser.execute_script(SLIDES) + 1):
            go(browser, number)
            assert browser.execute_script(BEYOND) == [], number
    finally:
        browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_lecture_prints_a_slide_a_page(browser, address, scheme):
    paint(browser, scheme, DESK)
    lecture(browser, address)
    made = browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})
    pages = re.findall(rb"/Type\s*/Page\b(?!s)", base64.b64decode(made["data"]))
    assert len(pages) == browser.execute_script(SLIDES)
    assert browser.execute_script("return document.documentElement.dataset.theme") == scheme


def test_paper_cuts_no_slide(browser, site, address):
    paint(browser, "light", DESK)
    lecture(browser, address)
    lengthen(browser, 2)
    made = browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})
    pages = re.findall(rb"/Type\s*/Page\b(?!s)", base64.b64decode(made["data"]))
    assert len(pages) >= browser.execute_script(SLIDES) + 2
    cut = """
    return [...document.querySelectorAll(".rb-slide")].flatMap((slide) => {
      const {bottom, right} = slide.getBoundingClientRect();
      const beyond = (one) => {
        const box = one.getBoundingClientRect();
        return box.bottom > bottom + 1 || box.right > right + 1;
      };
      return [...slide.querySelectorAll("*")]
        .filter((one) => one.checkVisibility() && !one.closest(".rb-tip, svg *, math"))
        .filter(beyond).map((one) => one.outerHTML.slice(0, 100));
    })"""
    paint(browser, "light", (1032, 703))  # a landscape page without its margins
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        for page in sorted(site.glob("*.html")):
            if "rb-lesson" not in page.read_text("utf-8"):
                continue
            lecture(browser, page.as_uri())
            assert browser.execute_script(cut) == [], page.name
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


@pytest.mark.parametrize(("wish", "moves"), [("reduce", "none"), ("no-preference", "rb-turn")])
def test_reduced_motion_is_honoured(desk, address, wish, moves):
    features = [{"name": "prefers-reduced-motion", "value": wish}]
    desk.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    lecture(desk, address)
    name = (
        "return getComputedStyle(document.querySelector('.rb-slide:not([hidden])')).animationName"
    )
    assert desk.execute_script(name) == moves


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_barrier_in_a_lecture(browser, address, scheme):
    paint(browser, scheme, DESK)
    lecture(browser, address)
    count = browser.execute_script(SLIDES)
    for number in {1, 2, *browser.execute_script(FIGURES)[:2], count - 3, count}:
        go(browser, number)
        assert barriers(browser) == [], number


def test_without_a_script_there_is_no_button_and_all_words_are_there(browser, address):
    paint(browser, "light", DESK)
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get("about:blank")  # or another fragment of the same page is no new page
        browser.get(f"{address}#lecture")
        assert browser.find_elements(By.CSS_SELECTOR, ".rb-lesson button") == []
        assert browser.find_element(By.CSS_SELECTOR, "#to-discuss").is_displayed()
        assert browser.find_element(By.CSS_SELECTOR, "#a-common-misconception").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_every_chapter_is_a_lecture(browser, site, address):
    paint(browser, "light", DESK)
    chapters = [
        page for page in sorted(site.glob("*.html")) if "rb-strip" in page.read_text("utf-8")
    ]
    assert chapters
    for page in chapters:
        forget(browser)
        lecture(browser, page.as_uri())
        headings = browser.execute_script(
            "return [...document.querySelectorAll('.rb-slide h2')].map(one => one.textContent)"
        )
        assert len(headings) >= 6, page.name
        assert all(one.strip() for one in headings), page.name
        spaced = "return [...document.querySelectorAll('.rb-said')].map(one => one.innerText)"
        said = " ".join(browser.execute_script(spaced))
        assert re.findall(r".{20}\s[.,;](?=\s|$)", said) == [], page.name
        empty = (
            "return [...document.querySelectorAll('.rb-slide')].filter(one => !one.querySelector("
        )
        empty += "'.rb-said > *, .rb-shown > *')).length"
        assert browser.execute_script(empty) == 0, page.name
        few = "return [...document.querySelectorAll('.rb-slide-claims, .rb-slide-verdicts')]"
        few += ".map(one => one.querySelectorAll('li').length)"
        assert all(1 <= count <= 4 for count in browser.execute_script(few)), page.name
        told = "return ['.rb-slide-verdicts li', '.rb-strip .rb-chips > li']"
        told += ".map(those => [...document.querySelectorAll(those)].map(one => one.textContent))"
        verdicts, chips = browser.execute_script(told)
        assert verdicts == chips, page.name
        assert severe(browser) == [], page.name
        assert requests(browser, site.as_uri()) == [], page.name


def test_the_page_for_teachers_leads_to_lectures_and_questions(browser, site, address):
    paint(browser, "light", DESK)
    browser.get((site / "for_teachers.html").as_uri())
    link = browser.find_element(By.CSS_SELECTOR, f'a[href="{CHAPTER}.html?lecture"]')
    assert browser.find_elements(By.CSS_SELECTOR, f'a[href="{CHAPTER}.html#to-discuss"]')
    browser.execute_script("arguments[0].click()", link)
    assert wait(browser, OPEN)


def test_n_shows_the_chapters_words_and_s_passes_over_what_may_be_skipped(desk, address):
    lecture(desk, address)
    press(desk, "n")
    notes = desk.find_element(By.CSS_SELECTOR, ".rb-notes")
    assert "0 min since the lecture began" in notes.text
    assert len(notes.text.split()) > 40
    spare = "return document.querySelector('.rb-spare').checkVisibility()"
    count = desk.execute_script(SLIDES)
    seen = 1
    while not desk.execute_script(PLACE).startswith(f"{count} /"):
        press(desk, "s")
        seen += 1
        at_end = desk.execute_script(PLACE).startswith(f"{count} /")
        assert at_end or not desk.execute_script(spare)
    assert 5 < seen < count
    press(desk, "n")
    assert not notes.is_displayed()
