"""What a reader is promised: findings first, whole tables, words explained, figures that open."""

import re

import pytest
from selenium.webdriver.common.by import By

from robust_book.chapters.about import lessons

from .test_behaviour import chapter_with
from .visit import DESK, OVERFLOW, PHONE, forget, paint, wait

pytestmark = [pytest.mark.site, pytest.mark.browser, pytest.mark.slow]

FOLDED = "hide|rb-again|rb-provenance|rb-parameters|rb-more|rb-verdict|rb-aside|rb-counts"
UNREAD = re.compile(
    r"<(svg|script|style|pre|dialog|math|nav|table)\b.*?</\1>"
    rf'|<details class="(?:{FOLDED}).*?</details>|<span class="rb-tip".*?</span>|<[^>]*>',
    re.DOTALL,
)
CUT = """
return [...document.querySelectorAll(".rb-scroll")].filter(e => e.offsetParent !== null)
  .filter(e => e.scrollWidth > e.clientWidth + 2)
  .map(e => `${e.getAttribute("aria-label")}: ${e.scrollWidth} in ${e.clientWidth}`)"""
NO_WRAP = """
return [...document.querySelectorAll(".rb-table thead th")]
  .filter(e => getComputedStyle(e).whiteSpace === "nowrap").map(e => e.textContent)"""
IN_SIGHT = """
const box = arguments[0].getBoundingClientRect();
return box.top >= 0 && box.top < window.innerHeight"""

SMALL = """
document.querySelectorAll("details").forEach(one => one.open = true);
return [...document.querySelectorAll("svg.rb-svg")].flatMap(figure => {
  const width = figure.getBoundingClientRect().width;
  const scale = width / figure.viewBox.baseVal.width;
  return [...figure.querySelectorAll("text")]
    .filter(text => width && parseFloat(getComputedStyle(text).fontSize) * scale < 9.95)
    .map(text => text.textContent)})"""

# Figures that are files stand in the page as those that do not, as wide as they are shown.
AS_DRAWN = """
const done = arguments[arguments.length - 1];
document.querySelectorAll("details").forEach(one => one.open = true);
Promise.all([...document.querySelectorAll("img.rb-svg")].map(async one => {
  const {width} = one.getBoundingClientRect();
  if (!width) return one.remove();
  const text = await (await fetch(one.src)).text();
  const drawn = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  drawn.setAttribute("class", "rb-svg");
  drawn.style.width = `${width}px`;
  drawn.style.maxWidth = "none";
  one.replaceWith(drawn);
  return 1;
})).then(all => done(all.filter(Boolean).length), error => done(String(error)))"""
# Writing against the page, but for that on a picture or on a patch of colour.
PALE = """
const pen = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
const inks = colour => {
  pen.clearRect(0, 0, 1, 1); pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1);
  return [...pen.getImageData(0, 0, 1, 1).data].map(c => c / 255);
};
const light = colour => [0.2126, 0.7152, 0.0722].reduce((sum, weight, at) => sum + weight *
  (colour[at] <= 0.04045 ? colour[at] / 12.92 : ((colour[at] + 0.055) / 1.055) ** 2.4), 0);
const ground = inks(getComputedStyle(document.body).backgroundColor);
const within = (box, x, y) => box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;
return [...document.querySelectorAll("svg.rb-svg")].flatMap(figure => {
  const box = figure.getBoundingClientRect();
  if (!box.width) return [];
  const grounds = [...figure.querySelectorAll("image, path, rect, polygon")]
    .filter(one => !one.closest("defs, clipPath"))
    .filter(one => one.tagName === "image" || getComputedStyle(one).fill !== "none")
    .map(one => one.getBoundingClientRect());
  return [...figure.querySelectorAll("text")].flatMap(text => {
    const own = text.getBoundingClientRect();
    const [x, y] = [(own.left + own.right) / 2, (own.top + own.bottom) / 2];
    if (grounds.some(one => within(one, x, y))) return [];
    const look = getComputedStyle(text);
    const colour = inks(look.fill);
    let seen = colour[3] * look.fillOpacity;
    for (let one = text; one !== figure; one = one.parentElement)
      seen *= getComputedStyle(one).opacity;
    const mixed = [0, 1, 2].map(at => seen * colour[at] + (1 - seen) * ground[at]);
    const [dark, bright] = [light(mixed), light(ground)].sort((one, other) => one - other);
    const ratio = (bright + 0.05) / (dark + 0.05);
    return ratio < 4.5 ? [`${text.textContent}: ${look.fill}, ${ratio.toFixed(1)}`] : [];
  });
})"""

# Pictures that are seen with a ground of their own, and captions that are not seen.
PANELS = """
document.querySelectorAll("details").forEach(one => one.open = true);
const look = one => getComputedStyle(one);
const figures = [...document.querySelectorAll("img.rb-svg")].filter(one => one.checkVisibility());
const captions = [...document.querySelectorAll(".rb-figure > figcaption")];
return [
  ...figures.filter(one => look(one).padding !== "0px"
    || look(one).backgroundColor !== "rgba(0, 0, 0, 0)").map(one => one.alt),
  ...captions.filter(one => !one.checkVisibility()).map(one => one.textContent),
]"""
NARROW = """
return [...document.querySelectorAll(".rb-wide .rb-table tr > :not(:first-child)")]
  .filter(one => parseFloat(getComputedStyle(one).paddingLeft) < 8).map(one => one.textContent)"""


@pytest.fixture
def desk(browser):
    paint(browser, "light", DESK)
    forget(browser)
    return browser


@pytest.fixture
def phone(browser):
    paint(browser, "light", PHONE)
    forget(browser)
    return browser


def test_no_table_is_cut_at_a_desk_and_no_heading_keeps_one_line(desk, server, pages):
    cut, kept = {}, {}
    for page in pages:
        desk.get(server + page)
        cut[page] = desk.execute_script(CUT)
        kept[page] = desk.execute_script(NO_WRAP)
    assert {page: tables for page, tables in cut.items() if tables} == {}
    assert {page: heads for page, heads in kept.items() if heads} == {}


def test_columns_of_a_wide_table_stand_apart(desk, server, site):
    desk.get(server + chapter_with(site, "full-width rb-wide"))
    assert desk.execute_script(NARROW) == []


@pytest.mark.parametrize("size", [DESK, PHONE])
def test_no_page_scrolls_sideways_once_all_is_unfolded(browser, server, pages, size):
    paint(browser, "light", size)
    wide = {}
    for page in pages:
        browser.get(server + page)
        browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
        wide[page] = browser.execute_script(OVERFLOW)
    assert {page: names for page, names in wide.items() if names} == {}


def test_the_first_screen_says_what_was_found_and_where_to_go(desk, server):
    desk.get(server + "index.html")
    findings = desk.find_elements(By.CSS_SELECTOR, ".rb-brief > li")
    assert len(findings) == 5
    first, last = findings[0], findings[-1]
    assert desk.execute_script(IN_SIGHT, first)
    assert desk.execute_script(IN_SIGHT, last)
    assert any(letter.isdigit() for letter in first.text)
    button = desk.find_element(By.CSS_SELECTOR, "a.rb-button")
    assert desk.execute_script(IN_SIGHT, button)


def test_a_line_of_counts_opens_the_claims_of_a_chapter_in_words(desk, server, site):
    desk.get(server + chapter_with(site, "rb-chips"))
    strip = desk.find_element(By.CSS_SELECTOR, ".rb-strip")
    counts = strip.find_element(By.CSS_SELECTOR, ".rb-counts > summary")
    assert any(letter.isdigit() for letter in counts.text)
    counts.click()
    link = strip.find_element(By.CSS_SELECTOR, "a.rb-chip")
    target = link.get_attribute("href").partition("#")[2]
    assert desk.execute_script("return document.getElementById(arguments[0]) !== null", target)
    assert len(link.text.split()) > 2


def test_a_chapter_shows_the_figure_of_its_finding_before_its_sections(desk, server, site):
    desk.get(server + chapter_with(site, "rb-finding"))
    figure, section = (
        desk.find_element(By.CSS_SELECTOR, one) for one in (".rb-finding svg", ".bd-article h2")
    )
    assert figure.rect["y"] + figure.rect["height"] < section.rect["y"]
    assert figure.rect["y"] < DESK[1]


def test_no_writing_in_a_figure_is_smaller_than_ten_pixels(desk, server, site, pages):
    small, files = {}, 0
    for page in pages:
        desk.get(server + page)
        files += desk.execute_async_script(AS_DRAWN)
        small[page] = desk.execute_script(SMALL)
    held = any('<img class="rb-svg' in (site / page).read_text("utf-8") for page in pages)
    assert (files > 0) == held
    assert {page: words for page, words in small.items() if words} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_writing_in_every_figure_has_contrast_against_the_page(browser, server, pages, scheme):
    paint(browser, scheme, DESK)

    def pale():
        assert isinstance(browser.execute_async_script(AS_DRAWN), int)
        return browser.execute_script(PALE)

    assert faults(browser, server, pages, pale) == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_figure_stands_on_the_page_itself_and_keeps_its_caption(browser, server, pages, scheme):
    paint(browser, scheme, DESK)
    found = faults(browser, server, pages, lambda: browser.execute_script(PANELS))
    assert found == {}


def faults(browser, server, pages, look):
    """Return the pages on which something is found, and what."""
    found = {}
    for page in pages:
        browser.get(server + page)
        found[page] = look()
    return {page: names for page, names in found.items() if names}


def test_a_gallery_that_goes_on_fades_at_its_edge_on_a_phone_and_its_caption_does_not(
    phone, server, site
):
    phone.get(server + chapter_with(site, 'class="rb-svg rb-wide only-light"'))
    figure = phone.find_element(By.CSS_SELECTOR, ".rb-figure:has(> .rb-wide:not(.rb-desk))")
    phone.execute_script("arguments[0].scrollIntoView()", figure)
    mask = "return getComputedStyle(arguments[0]).maskImage"
    assert "linear-gradient" in phone.execute_script(mask, figure)
    caption = figure.find_elements(By.CSS_SELECTOR, "figcaption")
    solid = "return parseFloat(getComputedStyle(arguments[0]).getPropertyValue('--rb-caption'))"
    if caption:
        assert phone.execute_script(solid, figure) >= caption[0].rect["height"]
    phone.execute_script("arguments[0].scrollLeft = 9999", figure)
    assert wait(
        phone,
        "return !arguments[0].matches('.rb-more-right')".replace(
            "arguments[0]", "document.querySelector('.rb-figure:has(> .rb-wide:not(.rb-desk))')"
        ),
    )
    assert phone.execute_script(mask, figure) == "none"


def test_a_figure_that_is_drawn_for_a_phone_is_whole_there_and_not_seen_at_a_desk(
    phone, server, site
):
    phone.get(server + chapter_with(site, "rb-phone"))
    widths = """
    const wide = (name) => [...document.querySelectorAll(`.rb-figure > ${name}`)]
      .filter((one) => one.checkVisibility({visibilityProperty: true}))
      .map((one) => one.getBoundingClientRect().right);
    return [wide(".rb-phone"), wide(".rb-desk")]"""
    drawn, desk = phone.execute_script(widths)
    assert drawn
    assert max(drawn) <= PHONE[0]
    assert not desk
    paint(phone, "light", DESK)
    drawn, desk = phone.execute_script(widths)
    assert not drawn
    assert desk


def test_a_figure_outside_of_the_blocks_says_what_to_see(desk, server, site):
    desk.get(server + chapter_with(site, 'id="fig-'))
    for figure in desk.find_elements(By.CSS_SELECTOR, ".rb-figure[id^=fig-]"):
        own = figure.find_elements(By.CSS_SELECTOR, "figcaption")
        assert own or figure.find_elements(By.XPATH, "ancestor::details/summary")


def test_no_row_of_the_numbers_is_a_tower_on_a_phone(phone, server, site, pages):
    tall = """
    document.querySelectorAll(".rb-verdict").forEach(one => one.open = true);
    return Math.max(0, ...[...document.querySelectorAll(".rb-verdict tbody tr")]
      .map(row => row.offsetHeight))"""
    heights = {}
    for page in pages:
        if 'class="rb-verdict"' in (site / page).read_text("utf-8"):
            phone.get(server + page)
            heights[page] = phone.execute_script(tall)
    assert {page: pixels for page, pixels in heights.items() if pixels > 160} == {}


def test_a_term_is_explained_on_focus_and_leads_to_the_glossary(desk, server):
    desk.get(server + "ledger.html")
    term = desk.find_element(By.CSS_SELECTOR, ".rb-term")
    tip = term.find_element(By.CSS_SELECTOR, ".rb-tip")
    assert not tip.is_displayed()
    desk.execute_script("arguments[0].focus()", term)
    assert tip.is_displayed()
    link = tip.find_element(By.CSS_SELECTOR, "a").get_attribute("href")
    desk.get(link)
    assert desk.find_element(By.ID, link.partition("#")[2]).is_displayed()


def test_a_term_is_explained_on_a_tap(phone, server):
    phone.get(server + "ledger.html")
    term = phone.find_element(By.CSS_SELECTOR, ".rb-term")
    term.click()
    tip = term.find_element(By.CSS_SELECTOR, ".rb-tip")
    assert tip.is_displayed()
    assert 0 <= tip.rect["x"] <= tip.rect["x"] + tip.rect["width"] <= PHONE[0]


def test_one_switch_shows_the_code_of_a_page(desk, server, site):
    desk.get(server + chapter_with(site, "above-input"))
    cells = desk.find_elements(By.CSS_SELECTOR, "details.above-input")
    assert not any(cell.is_displayed() for cell in cells)
    desk.find_element(By.CSS_SELECTOR, ".rb-code .rb-switch").click()
    assert cells[0].is_displayed()
    assert all(cell.get_attribute("open") for cell in cells)


def test_an_enlarged_figure_is_wide_on_a_phone_and_pans(phone, server, site):
    phone.get(server + chapter_with(site, "rb-figure"))
    button = phone.find_element(By.CSS_SELECTOR, ".rb-figure .rb-enlarge")
    phone.execute_script("arguments[0].click()", button)
    pan = phone.find_element(By.CSS_SELECTOR, "dialog.rb-zoom .rb-pan")
    picture = pan.find_element(By.CSS_SELECTOR, "svg, img")
    assert picture.size["width"] >= 900
    assert pan.size["width"] <= PHONE[0]


def test_the_ledger_is_cards_on_a_phone(phone, server):
    phone.get(server + "ledger.html")
    row = phone.find_element(By.CSS_SELECTOR, ".rb-ledger tbody tr")
    tops = [cell.rect["y"] for cell in row.find_elements(By.CSS_SELECTOR, "th, td")]
    assert tops == sorted(set(tops))


def test_a_search_finds_an_item_at_its_place(desk, server, site):
    if "inc-tab1" not in (site / "searchindex.js").read_text("utf-8"):
        pytest.skip("this site has no chapter on mCE")
    desk.get(server + "search.html?q=How+far+did+mCE+fall+from+AlexNet")
    found = "return [...document.querySelectorAll('#search-results li a')].map(a => a.href)"
    assert wait(desk, f"{found}.some(a => a.endsWith('inc_2_mce.html#inc-tab1'))")


def test_the_menu_and_the_title_have_the_name_that_people_search_for(desk, server, site):
    page = chapter_with(site, "rb-kicker")
    desk.get(server + page)
    kicker = desk.find_element(By.CSS_SELECTOR, "h1 > .rb-kicker")
    assert kicker.is_displayed()
    assert desk.title.startswith(f"{kicker.text}: ")
    assert desk.find_element(By.CSS_SELECTOR, ".bd-links .rb-kicker").text


def test_the_minutes_of_a_chapter_are_those_of_its_page(site):
    """150 words, two figures or three tables per minute, as teachers are told."""
    off = {}
    for name, lesson in lessons().items():
        page = site / f"{name}.html"
        whole = page.read_text("utf-8") if page.exists() else ""
        read = whole.partition("<article")[2].partition('id="exercises"')[0]
        figures = read.count('<figure class="rb-figure')
        if figures < 3:  # a book that was made for tests
            continue
        minutes = len(UNREAD.sub(" ", read).split()) / 150 + figures / 2 + read.count("<table") / 3
        if not 2 / 3 < lesson.minutes.read / minutes < 3 / 2:
            off[name] = f"{lesson.minutes.read} instead of {minutes:.0f}"
    assert off == {}
