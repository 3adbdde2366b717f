"""What pages do by themselves: search, sort, filter, slide, enlarge, and say what is missing."""

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from robust_lib.config.papers import paper_keys

from .visit import DESK, forget, paint, requests, severe, wait

pytestmark = [pytest.mark.site, pytest.mark.browser]

# A page whose styles were not found has the browser's own fonts.
FONT_OF_TITLE = "Charter"
TITLE_FONTS = "return getComputedStyle(document.querySelector('article h1')).fontFamily"

LONG = "table[data-long][data-filterable]"
PAPERS = tuple(f"{key}_" for key in paper_keys())


@pytest.fixture
def desk(browser):
    paint(browser, "light", DESK)
    forget(browser)
    return browser


def chapter_with(site, marker: str) -> str:
    """Return the first chapter whose page holds some markup."""
    found = [page.name for page in sorted(site.glob("*.html")) if marker in page.read_text("utf-8")]
    chapters = [name for name in found if name[0].isdigit() or name.startswith(PAPERS)]
    if not chapters:
        pytest.skip(f"no chapter of this site holds {marker}")
    return chapters[0]


def first_cells(browser) -> list[str]:
    return browser.execute_script(
        f"return [...document.querySelector('{LONG}').tBodies[0].rows]"
        ".filter(r => !r.hidden).map(r => r.cells[0].textContent.trim())"
    )


def test_search_finds_a_page(desk, server):
    desk.get(server + "search.html?q=Clopper")
    assert wait(desk, "return document.querySelectorAll('#search-results li').length > 0")
    assert severe(desk) == []


def test_what_a_search_finds_is_told_in_sentences(desk, server, site):
    if not (site / "inc_2_mce.html").exists():
        pytest.skip("this site has no chapter on mCE")
    desk.get(server + "search.html?q=corruption+error")
    assert wait(desk, "return document.querySelectorAll('#search-results .context').length > 2")
    first = desk.find_element(By.CSS_SELECTOR, "#search-results li")
    assert "ImageNet-C · mCE: Mean corruption error" in first.find_element(By.TAG_NAME, "a").text
    told = [one.text for one in desk.find_elements(By.CSS_SELECTOR, "#search-results .context")]
    assert not any("Show the code" in one or "∑" in one for one in told)
    lens, field = (
        desk.find_element(By.CSS_SELECTOR, f".bd-search-container form.bd-search {one}")
        for one in (".fa-magnifying-glass", "input")
    )
    padding = "return parseFloat(getComputedStyle(arguments[0]).paddingLeft)"
    room = desk.execute_script(padding, field)
    assert lens.rect["x"] + lens.rect["width"] <= field.rect["x"] + room
    # The page that it leads to has the words marked until the reader hides them.
    first.find_element(By.TAG_NAME, "a").click()
    marks = "document.querySelectorAll('.bd-article .highlighted').length"
    assert wait(desk, f"return {marks} > 10")
    assert desk.execute_script("return !document.querySelector('svg .highlighted')")
    desk.find_element(By.CSS_SELECTOR, ".highlight-link button").click()
    assert desk.execute_script(f"return {marks}") == 0
    assert severe(desk) == []


def test_a_missing_page_is_styled_and_leads_back(desk, server):
    desk.get(server + "nowhere/at/all.html")
    assert "no page here" in desk.find_element(By.CSS_SELECTOR, "article h1").text
    assert FONT_OF_TITLE in desk.execute_script(TITLE_FONTS)
    link = desk.find_element(By.CSS_SELECTOR, "article a[href$='ledger.html']")
    desk.get(link.get_attribute("href"))
    assert desk.find_element(By.CSS_SELECTOR, "article h1").text.startswith("All claims")


def test_a_table_sorts_both_ways(desk, server):
    desk.get(server + "data.html")
    before = first_cells(desk)
    head = desk.find_element(By.CSS_SELECTOR, LONG + " th .rb-sort")
    head.click()
    up = first_cells(desk)
    head.click()
    down = first_cells(desk)
    assert len(before) >= 15
    assert sorted(before) == sorted(up)
    assert up == down[::-1]
    sort = desk.find_element(By.CSS_SELECTOR, LONG + " th").get_attribute("aria-sort")
    assert sort == "descending"


def test_a_long_table_filters_and_unfolds(desk, server):
    desk.get(server + "data.html")
    rows = f"[...document.querySelector('{LONG}').tBodies[0].rows]"
    shown = f"return {rows}.filter(r => r.offsetParent !== null)"
    assert len(desk.execute_script(shown)) == 10
    total = len(first_cells(desk))
    desk.find_element(By.CSS_SELECTOR, ".rb-filter input").send_keys("e")
    kept = first_cells(desk)
    assert len(desk.execute_script(shown)) == len(kept) > 10
    told = desk.find_element(By.CSS_SELECTOR, ".rb-filter output").text
    assert told.startswith(f"{len(kept)} ")
    assert told.endswith(f"{total} rows")
    desk.get(server + "data.html")
    desk.execute_script(
        f"document.querySelector('{LONG}').closest('.rb-scroll').nextElementSibling"
        ".querySelector('.rb-unfold').click()"
    )
    assert len(desk.execute_script(shown)) == total


def test_the_ledger_shows_one_verdict_alone(desk, server):
    desk.get(server + "ledger.html")
    word = "holds"
    button = desk.find_element(By.CSS_SELECTOR, f".rb-ledger-filters [data-verdict='{word}']")
    if not button.is_displayed():
        pytest.skip("no claim of this site holds")
    button.click()
    rows = desk.find_elements(By.CSS_SELECTOR, ".rb-ledger tbody tr")
    shown = {row.get_attribute("data-verdict") for row in rows if row.is_displayed()}
    assert shown == {word}
    assert desk.current_url.endswith(f"#show={word}")  # so that it can be passed on
    desk.back()
    assert all(row.is_displayed() for row in rows)
    desk.forward()
    assert not all(row.is_displayed() for row in rows)
    button.click()
    assert all(row.is_displayed() for row in rows)


def test_a_figure_enlarges_and_closes_with_the_keyboard(desk, server, site):
    desk.get(server + chapter_with(site, "rb-figure"))
    button = desk.find_element(By.CSS_SELECTOR, ".rb-figure .rb-enlarge")
    desk.execute_script("arguments[0].focus()", button)
    button.send_keys(Keys.ENTER)
    dialog = desk.find_element(By.CSS_SELECTOR, "dialog.rb-zoom")
    picture = dialog.find_element(By.CSS_SELECTOR, "svg, img")
    assert picture.size["width"] > 600
    desk.switch_to.active_element.send_keys(Keys.ESCAPE)
    assert wait(desk, "return document.querySelector('dialog.rb-zoom') === null")


def test_a_number_says_what_it_is(desk, server, site):
    desk.get(server + chapter_with(site, "rb-result"))
    number = desk.find_element(By.CSS_SELECTOR, ".rb-result")
    tip = number.find_element(By.CSS_SELECTOR, ".rb-tip")
    assert not tip.is_displayed()
    desk.execute_script("arguments[0].focus()", number)
    assert tip.is_displayed()
    assert tip.text


def test_the_site_opens_from_a_file(desk, site):
    maths = site / "conventions.html"
    for page in (site / "index.html", maths, site / "ledger.html"):
        desk.get(page.as_uri())
        assert FONT_OF_TITLE in desk.execute_script(TITLE_FONTS)
    desk.get(maths.as_uri())
    assert desk.execute_script("return document.querySelector('span.math svg use') !== null")
    desk.get((site / "search.html").as_uri() + "?q=Clopper")
    assert wait(desk, "return document.querySelectorAll('#search-results li').length > 0")
    assert severe(desk) == []
    assert requests(desk, site.as_uri()) == []


def test_icons_are_drawn_in_their_own_letters(desk, server):
    desk.get(server + "index.html")
    family = (
        "const look = getComputedStyle(arguments[0], '::before');"
        "return [look.fontFamily.includes('Font Awesome'), look.content.length > 2,"
        "  arguments[0].offsetWidth > 6]"
    )
    icons = desk.find_elements(By.CSS_SELECTOR, ".fa-solid, .fas, .fab")
    shown = [icon for icon in icons if icon.is_displayed()]
    assert len(shown) >= 4
    assert all(desk.execute_script(family, icon) == [True, True, True] for icon in shown)
    loaded = "return [...document.fonts].filter(one => one.status === 'loaded').length"
    assert wait(desk, f"{loaded} > 0")
