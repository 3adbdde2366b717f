"""The leaderboard in a real browser: plots that know each other, filters, and dropped passports.

It is driven on a page of its own, opened as a file, with rows of a made-up run of the miniature;
the built site's own page is looked at where there is one.
"""

import base64
import io
import json
import unicodedata
from itertools import combinations

import pandas as pd
import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from robust_book.commands.pdf.browser import printer
from robust_book.sphinx_ext.leaderboard import draw
from robust_book.sphinx_ext.page import RESULTS, Page
from robust_lib.config.papers import papers
from robust_lib.passport.record import Headline, Made, Number, Passport, Section
from robust_lib.results.row import COLUMNS, Row

from . import visit
from .visit import DESK, PHONE, barriers, forget, own_page, paint, requests, severe, wait

pytestmark = [pytest.mark.site, pytest.mark.browser]

JPEG = "jpeg85 at the network's own size, divided by alexnet_mini, measured on the same images"
MASKED = "24 of 64 outputs, the others masked before the softmax"
SCENES, CLIPS = {"scenes_val": "ab" * 32}, {"clips_val": "cd" * 32}


def rows(model, error, mce, hard):
    shared = {"model": model, "n": 100, "n_full": 100}
    return [
        Row(**shared, item="inc-tab1", dataset="scenes_val", metric="error", value=error,
            low=error / 2, high=2 * error),
        Row(**shared, item="inc-tab1", dataset="scenes_val_c", metric="mce", value=mce,
            convention=JPEG),
        Row(**shared, item="nae-fig2", dataset="scenes_a_filtered", metric="accuracy", value=hard,
            convention=MASKED),
    ]  # fmt: skip


RUN = [*rows("alexnet_mini", 0.25, 1.0, 0.1), *rows("resnet18_mini", 0.125, 0.8, 0.2)]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A page with nothing but the leaderboard, of a site with a run of the miniature."""
    folder = tmp_path_factory.mktemp("leaderboard")
    (folder / RESULTS).mkdir(parents=True)
    frame = pd.DataFrame([{name: getattr(row, name) for name in COLUMNS} for row in RUN])
    frame.to_csv(folder / RESULTS / "inc_2_mce.csv", index=False)
    saved = {"profile": "mini", "words": "toys", "items": [], "provenance": {"datasets": SCENES}}
    made = draw(Page("leaderboard", folder, {"inc_2_mce": saved}, papers()))
    return own_page(folder, "Leaderboard", made)


@pytest.fixture
def opened(browser, page):
    visit.opened(browser, page)
    assert wait(browser, "return document.querySelector('.rb-board.rb-live .rb-dot') !== null")
    return browser


def passport(model="mine", *, dataset="scenes_val", n=100, convention=JPEG, digest="ab" * 32):
    """A passport of a classifier on the miniature, or on whatever the data set is."""
    shared = {"item": "inc-tab1", "n": n, "n_full": 100}
    numbers = (
        Number(**shared, metric="error", dataset=dataset, value=0.2, low=0.15, high=0.25),
        Number(**shared, metric="ce", dataset=f"{dataset}_c", corruption="fog", value=0.3),
        Number(**shared, metric="mce", dataset=f"{dataset}_c", value=0.9, convention=convention),
    )
    named = {"benchmark": "imagenet_c", "title": "C", "paper": "inc"}
    plate = (Headline(title="mCE", better="lower", number=numbers[2]),)
    return Passport(
        model=model, fingerprint="ef" * 32, asks="classifier", classes="scenes", outputs=64,
        sees="each image at its own size", profile="mini", words="toys",
        sections=(
            Section(**named, numbers=numbers, headlines=plate),
            Section(benchmark="nao", title="NAO", paper="nao", left_out="It is for detectors."),
        ),
        made=Made(commit="0" * 40, dirty=False, date="2026-01-02", seconds=1.5, device="cpu",
                  versions={}, datasets={dataset: digest}),
    )  # fmt: skip


PAINTS = """
Object.fromEntries([...document.querySelectorAll('[data-plot=mce] .rb-dot')].map(dot =>
  [dot.dataset.row, dot.style.getPropertyValue('--rb-way')]))"""


def give(browser, folder, **files):
    """Choose files, each the text of its content."""
    made = []
    for name, content in files.items():
        text = content if isinstance(content, str) else content.model_dump_json()
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
        made.append(str(folder / f"{name}.json"))
    before = len(said(browser))
    browser.find_element(By.CSS_SELECTOR, ".rb-drop input").send_keys("\n".join(made))
    assert wait(
        browser,
        f"return document.querySelectorAll('.rb-board-said li').length === {before + len(made)}"
        " && !document.querySelector('.rb-drop input').files.length",  # all are taken
    )
    return said(browser)[before:]


def said(browser):
    return [line.text for line in browser.find_elements(By.CSS_SELECTOR, ".rb-board-said li")]


def script(browser, body, *arguments):
    return browser.execute_script(f"return {body.strip()}", *arguments)


def dots(browser, plot, kind=""):
    return script(browser, f"document.querySelectorAll('[data-plot={plot}] .rb-dot{kind}').length")


def lines(browser):
    """The networks of the lines of the classifiers' table that are shown."""
    body = "[...document.querySelectorAll('#board-classifiers tbody tr')].filter(r => !r.hidden)"
    return script(browser, f"{body}.map(r => r.cells[0].innerText.trim())")


def names_of(browser, world):
    """The networks of a world, without blanks."""
    found = script(
        browser,
        "[...document.querySelectorAll('#board-classifiers tbody tr')]"
        ".filter(r => r.cells[1].textContent === arguments[0]).map(r => r.cells[0].textContent)",
        world,
    )
    return ["".join(unicodedata.normalize("NFKC", name).split()) for name in found]


def columns(browser):
    """Whose numbers the columns of the classifiers' table are that are shown."""
    heads = "[...document.querySelectorAll('#board-classifiers thead tr + tr th')]"
    return script(browser, f"{heads}.filter(h => !h.hidden).map(h => h.innerText.trim())")


def show(browser, name, value):
    """Click the filter whose words begin so."""
    labels = browser.find_elements(By.XPATH, f"//input[@name='{name}']/parent::label")
    (label,) = [one for one in labels if one.text.strip().startswith(value)]
    label.click()


def unfold(browser):
    button = browser.find_element(By.CSS_SELECTOR, "#board-classifiers .rb-small .rb-switch")
    if button.text.startswith("Show all"):
        button.click()


def test_it_begins_with_photographs_alone(opened):
    assert dots(opened, "mce") == 20  # one more has no clean accuracy, and is named below
    assert dots(opened, "mce", ".rb-in-miniature") == 0
    unfold(opened)
    assert set(columns(opened)) == {"paper", "public"}
    assert severe(opened) == []


def test_the_miniature_comes_alone_and_with_photographs_only_if_asked_for(opened):
    show(opened, "rb-board-world", "the miniature")
    assert lines(opened) == ["ResNet-18-like", "AlexNet-like"]
    assert set(columns(opened)) == {"run"}
    assert dots(opened, "mce") == dots(opened, "mce", ".rb-in-miniature") == 2
    show(opened, "rb-board-world", "all")
    assert dots(opened, "mce") == 22
    warned = opened.find_element(By.CSS_SELECTOR, "[data-plot=mce] .rb-warned")
    assert "other images and other networks" in warned.text


def test_what_a_reader_has_set_stands_in_the_address_and_is_there_again(opened):
    show(opened, "rb-board-source", "a paper")
    show(opened, "rb-board-world", "all")
    Select(opened.find_element(By.CSS_SELECTOR, "[data-plot=hard] select")).select_by_index(1)
    opened.find_element(By.CSS_SELECTOR, ".rb-find input").send_keys("resnet-18")
    opened.find_element(By.CSS_SELECTOR, "#board-classifiers tr:not([hidden]) .rb-pick").click()
    kept = """[document.querySelectorAll('.rb-board input:checked').length,
      [...document.querySelectorAll('.rb-board tbody tr')].filter(one => one.hidden).length,
      document.querySelector('[data-plot=hard] select').value,
      document.querySelector('.rb-find input').value,
      [...document.querySelectorAll('tr.rb-chosen')].map(one => one.cells[0].innerText)]"""
    before, address = script(opened, kept), opened.current_url
    assert "#off=paper&data=all&across-hard=" in address
    opened.get("about:blank")
    opened.get(address)
    assert script(opened, kept) == before
    opened.get(address.partition("#")[0])
    assert script(opened, kept) != before
    show(opened, "rb-board-world", "all")
    opened.back()
    wait(opened, "return !location.hash")
    assert script(opened, "document.querySelector('.rb-board input:checked').checked")
    assert "AlexNet-like" not in lines(opened)


def test_dots_that_compare_share_a_colour_and_others_do_not(opened):
    colours = """
      Object.fromEntries([...document.querySelectorAll('[data-plot=%s] .rb-dot')].map(dot =>
        [dot.dataset.row, dot.style.getPropertyValue('--rb-way')]))"""
    assert len(set(script(opened, colours % "mce").values())) == 1
    # Masked, and masked but normalised otherwise.
    assert len(set(script(opened, colours % "hard").values())) == 2
    # Of the sets that were evaluated, of those that were released, and normalised otherwise.
    assert len(set(script(opened, colours % "frames").values())) == 3
    show(opened, "rb-board-world", "all")
    assert len(set(script(opened, colours % "mce").values())) == 2


def test_a_dot_under_the_pointer_is_told_in_every_plot_and_in_the_table(opened):
    row = script(
        opened,
        "document.querySelector('[data-plot=hard] .rb-dot.rb-of-reference').dataset.row",
    )
    place = script(
        opened,
        """((row) => { const dot = document.querySelector(`[data-plot=hard] [data-row="${row}"]`);
        dot.scrollIntoView({block: 'center'}); const box = dot.getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2]; })(arguments[0])""",
        row,
    )
    opened.execute_cdp_cmd(
        "Input.dispatchMouseEvent",
        {"type": "mouseMoved", "x": place[0], "y": place[1], "pointerType": "mouse"},
    )
    near = script(
        opened, "[...document.querySelectorAll('.rb-near[data-row]')].map(one => one.dataset.row)"
    )
    assert set(near) == {row}
    assert len(near) >= 2  # plots, and the table
    line = opened.find_element(By.CSS_SELECTOR, "tr.rb-near")
    assert row in line.get_attribute("data-rows").split()
    title = line.find_element(By.TAG_NAME, "th").get_attribute("textContent")
    told = opened.find_element(By.CSS_SELECTOR, ".rb-board-near").text
    assert told.startswith(title)
    labels = opened.find_elements(By.CSS_SELECTOR, ".rb-labels text.rb-near")
    assert len(labels) >= 2
    assert all(label.text.startswith(f"{title}: ") for label in labels)


def tap(browser, place):
    touches = [{"x": place[0], "y": place[1]}]
    for kind, points in (("touchStart", touches), ("touchEnd", [])):
        browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def test_a_tap_beside_a_dot_marks_it_and_a_second_one_takes_the_mark_off(opened):
    paint(opened, "light", PHONE)
    opened.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    try:
        place = """(() => { const dot = document.querySelector('[data-plot=mce] .rb-dot');
            dot.scrollIntoView({block: 'center'}); const box = dot.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2]; })()"""
        marked = "document.querySelectorAll('[data-plot=mce] .rb-dot.rb-chosen').length"
        x, y = script(opened, place)
        tap(opened, (x + 3, y + 3))
        assert wait(opened, f"return {marked} === 1")
        told = opened.find_element(By.CSS_SELECTOR, ".rb-board-told")
        assert told.is_displayed()
        assert told.find_element(By.CSS_SELECTOR, "strong").text
        tap(opened, script(opened, place.replace(".rb-dot'", ".rb-dot.rb-chosen'")))
        assert wait(opened, f"return {marked} === 0")
    finally:
        opened.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})


def test_what_is_chosen_by_keyboard_is_marked_everywhere_until_it_is_taken_off(opened):
    stage = opened.find_element(By.CSS_SELECTOR, "[data-plot=mce] .rb-stage")
    stage.send_keys(Keys.END)
    assert opened.find_element(By.CSS_SELECTOR, ".rb-board-near strong").text == (
        "ResNeXt-101, size not printed"
    )
    stage.send_keys(Keys.ARROW_LEFT, Keys.ENTER)
    chosen = "document.querySelectorAll('%s .rb-dot.rb-chosen, tr.rb-chosen').length"
    assert script(opened, chosen % "[data-plot=mce]") == 2
    # The fold keeps what is marked.
    assert script(opened, "document.querySelector('tr.rb-chosen').hidden") is False
    pressed = opened.find_element(By.CSS_SELECTOR, "tr.rb-chosen .rb-pick")
    assert pressed.get_attribute("aria-pressed") == "true"
    opened.find_element(By.CSS_SELECTOR, ".rb-chip-off").click()
    assert script(opened, chosen % "") == 0


def on_paper(content):
    """The words of a PDF, without what separates them, and without ligatures."""
    reader = pytest.importorskip("pypdf").PdfReader(io.BytesIO(content))
    said = "".join(sheet.extract_text() for sheet in reader.pages)
    return "".join(unicodedata.normalize("NFKC", said).split())


def printed(browser):
    made = browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True, "scale": 0.6})
    return on_paper(base64.b64decode(made["data"]))


def test_a_reader_prints_every_row_that_the_filters_keep_and_how_many_they_leave_out(opened):
    worlds = script(
        opened,
        "[...document.querySelectorAll('#board-classifiers td.rb-data')].map(d => d.textContent)",
    )
    kept = worlds.count("photographs")
    assert 15 < kept < len(worlds)
    said = printed(opened)
    assert f"{kept}of{len(worlds)}rows:thefiltersofthispageleaveouttheothers." in said
    assert sum(name in said for name in names_of(opened, "photographs")) == kept
    assert "AlexNet-like" not in said
    assert len(lines(opened)) == 15  # on the screen it is folded again
    opened.find_element(By.CSS_SELECTOR, ".rb-find input").send_keys("densenet")
    said = printed(opened)
    assert "DenseNet" in said
    assert "ANT3x3" not in said


def test_the_book_on_paper_has_every_row_of_the_leaderboard(page, browser):
    with printer() as chromium:
        said = on_paper(chromium.page(page).pdf)
    browser.get(page.as_uri())
    worlds = script(
        browser,
        "[...document.querySelectorAll('.rb-board td.rb-data')].map(one => one.textContent)",
    )
    assert {worlds.count(world) > 1 for world in set(worlds)} == {True}
    for world in set(worlds):
        assert said.count(world) >= worlds.count(world)
    assert "AlexNet-like" in said
    assert "leaveouttheothers" not in said
    assert "Hollowdotsarefromtheminiature" in said


def test_the_best_the_worst_and_the_known_have_names_that_cover_no_other(opened):
    boxes = script(
        opened,
        """[...document.querySelectorAll('[data-plot=mce] .rb-names text')].map((one) => {
          const {left, right, top, bottom} = one.getBoundingClientRect();
          return [one.textContent, left, right, top, bottom];
        })""",
    )
    names = [name for name, *_ in boxes]
    assert "AlexNet" in names  # the worst, and what everybody looks for
    assert len(set(names)) == len(names) >= 2
    for one, other in combinations(boxes, 2):
        wide = min(one[2], other[2]) - max(one[1], other[1])
        high = min(one[4], other[4]) - max(one[3], other[3])
        assert min(wide, high) <= 3, (one[0], other[0])
    what = "document.querySelector('[data-plot=hard] .rb-board-legend .rb-soft')?.textContent"
    assert script(opened, what).startswith("Without clean accuracy")


def test_no_writing_of_a_plot_is_cut(opened):
    cut = """
    return [...document.querySelectorAll(".rb-stage")].flatMap((stage) => {
      const {left, right, top, bottom} = stage.getBoundingClientRect();
      const beyond = (one) => one.left < left - 1 || one.right > right + 1
        || one.top < top - 1 || one.bottom > bottom + 1;
      return [...stage.querySelectorAll(".rb-grid text")]
        .filter((one) => beyond(one.getBoundingClientRect())).map((one) => one.textContent);
    })"""
    assert opened.execute_script(cut) == []


def test_a_name_in_the_table_marks_its_dots(opened):
    unfold(opened)
    opened.find_element(By.XPATH, "//th//button[.='AlexNet']").click()
    plots = script(
        opened,
        "[...document.querySelectorAll('.rb-plot')].filter(p => p.querySelector('.rb-chosen'))"
        ".map(p => p.dataset.plot)",
    )
    assert plots == ["mce", "hard", "frames"]


def test_sources_and_ways_can_be_left_out(opened):
    before = dots(opened, "mce")
    show(opened, "rb-board-source", "a paper")
    assert 0 < dots(opened, "mce") < before
    show(opened, "rb-board-source", "a paper")
    opened.find_element(By.CSS_SELECTOR, ".rb-board-ways summary").click()
    labels = opened.find_elements(By.CSS_SELECTOR, ".rb-board-ways label")
    (label,) = [one for one in labels if "1,145 anchors" in one.text]
    count = dots(opened, "frames")
    label.click()
    assert dots(opened, "frames") < count
    assert script(opened, "document.querySelectorAll('td.rb-out').length") > 100


def test_the_table_sorts_and_keeps_its_fold(opened):
    heads = opened.find_elements(By.CSS_SELECTOR, "#board-classifiers .rb-sort")
    mce = next(
        head for head in heads if head.find_elements(By.XPATH, "../self::*[@data-key='mce']")
    )
    mce.click()
    assert wait(opened, "return !document.querySelector('tr[data-rows]').hidden")
    assert lines(opened)[0] == "ResNeXt-101, size not printed"
    assert len(lines(opened)) == 15


def test_an_axis_can_be_another(opened):
    select = Select(opened.find_element(By.CSS_SELECTOR, "[data-plot=hard] select"))
    select.select_by_value("ordinary")
    title = opened.find_element(By.CSS_SELECTOR, "[data-plot=hard] strong").text
    assert title == "ImageNet-A: hard images against ordinary images"


def test_a_dropped_passport_stands_among_the_rows_that_it_compares_with(opened, tmp_path):
    (told,) = give(opened, tmp_path, mine=passport())
    assert told.startswith("mine: 2 numbers, on the miniature (toys).")
    assert lines(opened)[0] == "mine"
    assert set(columns(opened)) == {"run", "yours"}
    assert len(lines(opened)) == 3
    colours = script(
        opened,
        "[...document.querySelectorAll('[data-plot=mce] .rb-dot')]"
        ".map(dot => dot.style.getPropertyValue('--rb-way'))",
    )
    assert len(colours) == 3
    assert len(set(colours)) == 1
    cells = script(
        opened,
        "[...document.querySelectorAll('tr.rb-yours [data-key]')]"
        ".map(cell => [cell.dataset.key, cell.textContent])",
    )
    assert cells == [["clean", "80.0"], ["mce", "90.0"]]
    opened.find_element(By.CSS_SELECTOR, ".rb-board-said .rb-switch").click()
    assert said(opened) == []
    assert len(lines(opened)) == 2
    assert severe(opened) == []
    assert requests(opened, "file://") == []


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (passport(n=50), "50 of 100"),
        (passport(convention="archive, divided by AlexNet's published errors"), "the archive's"),
        (passport(digest="ff" * 32), "other images than this run's"),
    ],
    ids=["part", "divisor", "pictures"],
)
def test_what_does_not_compare_has_another_colour_and_says_why(opened, tmp_path, made, words):
    give(opened, tmp_path, mine=made)
    legend = opened.find_elements(By.CSS_SELECTOR, "[data-plot=mce] .rb-board-legend li")
    assert len(legend) == 2
    assert words in legend[1].text


def test_dots_that_compare_upwards_but_not_across_have_two_colours(opened, tmp_path):
    made = passport()
    error, *others = made.sections[0].numbers
    section = made.sections[0].model_copy(
        update={"numbers": (error.model_copy(update={"n": 50}), *others)}
    )
    give(opened, tmp_path, mine=made.model_copy(update={"sections": (section, made.sections[1])}))
    legend = opened.find_elements(By.CSS_SELECTOR, "[data-plot=mce] .rb-board-legend li")
    assert [one.text for one in legend] == [
        "clean accuracy: all images (2)",
        "clean accuracy: 50 of 100 (1)",
    ]
    assert len(set(script(opened, PAINTS).values())) == 2


def test_what_no_colour_is_left_for_is_grey_and_compares_with_nothing(opened, tmp_path):
    made = {
        f"m{n}": passport(f"m{n}", n=n).model_copy(update={"fingerprint": f"{n:02}" * 32})
        for n in range(10, 90, 10)
    }
    give(opened, tmp_path, **made)
    paints = list(script(opened, PAINTS).values())
    # Six colours, for photographs' way, for the run's, and for four of eight parts.
    assert paints.count("var(--rb-soft)") == 4
    lines = opened.find_elements(By.CSS_SELECTOR, "[data-plot=mce] .rb-board-legend li")
    assert sum("grey is comparable with none" in line.text for line in lines) == 4
    assert len({one for one in paints if "way" in one}) == 5


def test_ones_own_pictures_are_a_world_of_their_own(opened, tmp_path):
    (told,) = give(opened, tmp_path, mine=passport(dataset="folder:mine"))
    assert "on images of your own" in told
    assert lines(opened) == ["mine"]


def test_several_files_at_once_each_with_its_own_answer(opened, tmp_path):
    other = passport("other").model_copy(update={"fingerprint": "12" * 32})
    wrong = json.dumps({**json.loads(passport().model_dump_json()), "asks": "people"})
    told = give(
        opened, tmp_path, a=passport(), b=other, c="a,b\n1,2", d=wrong, e='{"version": 7}', f="[1]",
        g=passport(),
    )  # fmt: skip
    assert told[0].startswith("mine: 2 numbers")
    assert told[1].startswith("other: 2 numbers")
    assert told[2].startswith("c.json: expected a model report, but the file is not JSON. Drop the")
    assert 'with asks to be one of classifier, detector, but got "people"' in told[3]
    assert "expected a model report of version 1, but got 7. Make it again" in told[4]
    assert "with the file to be of type object, but got array" in told[5]
    assert "but that of mine from the same run is already here" in told[6]
    assert len(lines(opened)) == 4


def test_a_number_of_the_wrong_kind_is_named_with_its_place(opened, tmp_path):
    wrong = json.loads(passport().model_dump_json())
    wrong["sections"][0]["numbers"][1]["value"] = "a lot"
    lacking = json.loads(passport().model_dump_json())
    del lacking["made"]["commit"]
    more = {**json.loads(passport().model_dump_json()), "grade": 1}
    empty = json.loads(passport().model_dump_json())
    empty["sections"][0] |= {"left_out": "no data", "numbers": [], "headlines": []}
    told = give(opened, tmp_path, **{k: json.dumps(v) for k, v in {
        "a": wrong, "b": lacking, "c": more, "d": empty}.items()})  # fmt: skip
    assert 'sections[0].numbers[1].value to be of type number, but got "a lot"' in told[0]
    assert "made.commit to be there, but it is not" in told[1]
    assert "no grade, but there is one" in told[2]
    assert "at least one number of this page, but it has none" in told[3]


def test_a_file_dropped_beside_the_zone_does_not_replace_the_page(opened):
    text = passport("dropped").model_dump_json()
    refused = script(
        opened,
        """(() => { const data = new DataTransfer();
        data.items.add(new File([arguments[0]], 'p.json', {type: 'application/json'}));
        const drop = new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true});
        document.querySelector('h1').dispatchEvent(drop); return drop.defaultPrevented; })()""",
        text,
    )
    assert refused is True
    assert wait(opened, "return document.querySelectorAll('.rb-board-said li button').length === 1")
    assert said(opened)[0].startswith("dropped: 2 numbers")


def test_markup_in_a_passport_stays_text(opened, tmp_path):
    (told,) = give(opened, tmp_path, mine=passport("<img src=x onerror=alert(1)>"))
    assert told.startswith("<img src=x onerror=alert(1)>: 2 numbers")
    assert script(opened, "document.querySelectorAll('.rb-board img').length") == 0


def test_without_a_script_the_tables_stand_plain(browser, page):
    paint(browser, "light", DESK)
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(page.as_uri())
        shown = browser.find_elements(By.CSS_SELECTOR, ".rb-board tbody tr")
        assert len(shown) > 90
        assert all(line.is_displayed() for line in shown[::20])
        assert browser.find_elements(By.CSS_SELECTOR, ".rb-plot, .rb-drop, .rb-board button") == []
        data = [line.find_element(By.CSS_SELECTOR, ".rb-data").text for line in shown[-3:]]
        assert set(data) <= {"photographs", "miniature"}
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_barrier_and_a_phone_does_not_scroll_sideways(opened, tmp_path, scheme):
    opened.execute_script(f"document.documentElement.dataset.theme = '{scheme}'")
    give(opened, tmp_path, mine=passport(), other="nothing")
    show(opened, "rb-board-world", "all")
    found = barriers(opened)
    assert found == []
    paint(opened, scheme, PHONE)
    wide = "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    assert wait(opened, wide)
    small = """return [...document.querySelectorAll('.rb-stage svg')].every(svg =>
      svg.getBoundingClientRect().right <= document.documentElement.clientWidth)"""
    assert wait(opened, small)


def test_the_sites_own_page_shows_its_plots_and_complains_of_nothing(browser, site):
    made = site / "leaderboard.html"
    if not made.exists():
        pytest.skip("this site was built before it had a leaderboard")
    paint(browser, "light", DESK)
    forget(browser)
    browser.get(made.as_uri())
    assert dots(browser, "mce") >= 18
    assert severe(browser) == []
    assert requests(browser, site.as_uri()) == []
