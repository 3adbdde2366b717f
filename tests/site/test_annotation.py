"""The sheets of annotation in a real browser: questions, and boxes by mouse, touch and keys."""

import json

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.pointer_input import PointerInput
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from robust_book.chapters.nao_1_construction import sheets
from robust_lib.curation import annotation_files, annotation_sheet
from tests.chapters.nao_1_construction.constructions import CONSTRUCTION, SHAPES
from tests.curation.annotating import FILES, SIZES, found
from tests.trees import save

from .reviewing import again, open_sheet, press, saved
from .visit import DESK, OVERFLOW, PHONE, barriers, paint, requests, severe, wait

pytestmark = [pytest.mark.site, pytest.mark.browser]

SHOWN = """
const picture = document.getElementById("picture");
return picture.complete && picture.naturalWidth > 0"""
STAGE = """
const seen = document.getElementById("stage").getBoundingClientRect();
return [seen.left, seen.top, seen.width, seen.height]"""
BOXES = """
return [...document.querySelectorAll("#boxes [role=button]")]
  .map(group => group.getAttribute("aria-label"))"""
FOCUS = 'return document.activeElement.getAttribute("aria-label")'
PRESSED = """
return [...document.querySelectorAll("[aria-pressed=true]")].map(b => b.dataset.word).join(" ")"""


@pytest.fixture
def folder(tmp_path):
    for number, (file, size) in enumerate(zip(FILES, SIZES, strict=True)):
        save(tmp_path / "pictures #1" / file, number, *size)
    return tmp_path / "pictures #1"


@pytest.fixture
def stage_1(browser, folder, tmp_path):
    sheet = annotation_sheet.of_questions(found(), "toys")
    sheet.write(folder / "stage-1.html", folder)
    return sheet, open_sheet(browser, folder / "stage-1.html", tmp_path / "saved")


@pytest.fixture
def stage_2(browser, folder, tmp_path):
    sheet = annotation_sheet.of_boxes(found(), "toys")
    sheet.write(folder / "stage-2.html", folder)
    opened = open_sheet(browser, folder / "stage-2.html", tmp_path / "saved")
    assert wait(opened, SHOWN)
    return sheet, opened


def name(browser, annotator):
    field = browser.find_element(By.ID, "annotator")
    field.clear()
    field.send_keys(annotator, Keys.TAB)
    browser.execute_script("document.activeElement.blur()")


def label(browser, words):
    """Type a class into the list of labels, and go back to the box."""
    press(browser, "l")
    browser.switch_to.active_element.send_keys(words, Keys.ENTER)


def drag(browser, start, end, size=SIZES[0], *, kind="mouse", shift=False):
    """Drag from one place of the picture to another, both in its pixels."""
    left, top, width, height = browser.execute_script(STAGE)
    actions = ActionBuilder(browser, mouse=PointerInput(kind, f"a {kind}"))
    pointer = actions.pointer_action

    def move(place):
        x, y = (left + place[0] * width / size[0], top + place[1] * height / size[1])
        pointer.move_to_location(round(x), round(y))

    if shift:
        ActionChains(browser).key_down(Keys.SHIFT).perform()
    move(start)
    pointer.pointer_down()
    move([(a + b) / 2 for a, b in zip(start, end, strict=True)])
    move(end)
    pointer.pointer_up()
    actions.perform()
    if shift:
        ActionChains(browser).key_up(Keys.SHIFT).perform()


def read(browser, sheet, tmp_path):
    """Say done with both pictures, save, and read back: (class, box) of each picture."""
    while browser.find_element(By.ID, "before").is_enabled():
        browser.find_element(By.ID, "before").click()
    press(browser, "d", "d")
    told = annotation_files.read_boxes(sheet, saved(browser, tmp_path / "saved/boxes-Ada-L.json"))
    assert told.annotator == "Ada L."
    names = [one.name for one in sheet.categories]
    return [[(names[one.category], one.box) for one in of] for of in told.boxes]


def test_votes_by_keys_and_buttons_are_saved_and_read_back(stage_1, tmp_path):
    sheet, opened = stage_1
    name(opened, "Ada L.")
    assert "Does the box show this: cat?" in opened.find_element(By.ID, "side").text
    press(opened, *"yynn")
    assert opened.execute_script(PRESSED) == "yes yes no no"
    press(opened, "z", "z", "4", "y", "n", "n")  # two are taken back; the fourth comes first
    assert "1 of 3 boxes done" in opened.find_element(By.ID, "count").text
    assert "Does the box show this: person?" in opened.find_element(By.ID, "side").text
    press(opened, Keys.ARROW_LEFT)
    assert opened.execute_script(PRESSED) == "yes yes n yes n".replace("n", "no")
    press(opened, "4", "n", Keys.ARROW_RIGHT)
    again(opened)  # it goes on with the first that is open
    assert "Does the box show this: person?" in opened.find_element(By.ID, "side").text
    for button in ("class", "box", "blurry", "occluded", "depiction"):
        opened.find_element(By.CSS_SELECTOR, f'[data-question="{button}"][data-word="no"]').click()
    path = saved(opened, tmp_path / "saved" / "answers-Ada-L.json")
    assert "1 of 3 boxes are still open" in opened.find_element(By.ID, "told").text
    path.unlink()
    press(opened, *"nyynn")
    ada = saved(opened, path)

    # The next person, in the same browser, begins with an empty sheet.
    name(opened, "Bob")
    assert "0 of 3 boxes done" in opened.find_element(By.ID, "count").text
    press(opened, *"yynnn" * 3)
    bob = saved(opened, tmp_path / "saved" / "answers-Bob.json")

    told = annotation_files.read_answers(sheet, [ada, bob], annotators=2)
    assert told.annotators == ("Ada L.", "Bob")
    by_task = [[list(of.values()) for of in task] for task in told.answers]
    fair = [True, True, False, False, False]
    assert by_task == [
        [fair, fair],
        [[False] * 5, fair],
        [[False, True, True, False, False], fair],
    ]
    assert severe(opened) == []
    assert requests(opened, "file://") == []


def test_a_box_drawn_with_the_mouse_is_read_back_to_the_pixel(stage_2, tmp_path):
    sheet, opened = stage_2
    name(opened, "Ada L.")
    drag(opened, (20, 65), (61, 88))
    assert opened.execute_script(FOCUS) == "person: x 20, y 65, width 41, height 23"
    label(opened, "dog")
    drag(opened, (119, 89), (90, 70))  # from the lower right corner to the upper left
    label(opened, "c")
    press(opened, Keys.PAGE_DOWN)
    assert wait(opened, SHOWN)
    drag(opened, (0, 0), (80, 100), SIZES[1])  # the whole picture
    assert read(opened, sheet, tmp_path) == [
        [("dog", (20, 65, 61, 88)), ("cat", (90, 70, 119, 89))],
        [("cat", (0, 0, 80, 100))],
    ]
    assert severe(opened) == []
    assert requests(opened, "file://") == []


def test_a_box_is_moved_and_resized_by_its_handles(stage_2, tmp_path):
    sheet, opened = stage_2
    name(opened, "Ada L.")
    drag(opened, (20, 65), (50, 85))
    drag(opened, (35, 75), (45, 70))  # by its inside
    drag(opened, (60, 80), (70, 85))  # by its lower right corner
    drag(opened, (30, 70), (25, 70))  # by its left edge
    assert opened.execute_script(BOXES)[-1] == "person: x 25, y 60, width 45, height 25"
    drag(opened, (45, 70), (118, 89))  # no further than the picture reaches
    assert opened.execute_script(BOXES)[-1] == "person: x 75, y 65, width 45, height 25"
    press(opened, "z")
    drag(opened, (40, 70), (55, 80), shift=True)  # inside of another one
    press(opened, Keys.ESCAPE)
    drag(opened, (2, 2), (2, 2))  # a click draws nothing
    assert read(opened, sheet, tmp_path)[0] == [
        ("person", (25, 60, 70, 85)),
        ("person", (40, 70, 55, 80)),
    ]


def test_a_finger_draws_too(stage_2, tmp_path):
    sheet, opened = stage_2
    name(opened, "Ada L.")
    drag(opened, (20, 65), (61, 88), kind="touch")
    assert read(opened, sheet, tmp_path)[0] == [("person", (20, 65, 61, 88))]


def test_the_keyboard_alone_suffices(stage_2, tmp_path):
    sheet, opened = stage_2
    name(opened, "Ada L.")
    press(opened, "n")  # half as wide and as high as the picture: 30, 23, 90, 68
    press(opened, *[Keys.ARROW_RIGHT] * 3, *[Keys.ARROW_UP] * 2)
    ActionChains(opened).key_down(Keys.CONTROL).send_keys(Keys.ARROW_LEFT).perform()
    ActionChains(opened).key_up(Keys.CONTROL).key_down(Keys.SHIFT).send_keys(
        Keys.ARROW_LEFT, Keys.ARROW_DOWN, Keys.ARROW_DOWN
    ).key_up(Keys.SHIFT).perform()
    label(opened, "cat")
    assert opened.execute_script(FOCUS) == "cat: x 23, y 21, width 59, height 47"
    press(opened, "n", "x")  # a second one, which goes again
    press(opened, "z", "z")
    assert len(opened.execute_script(BOXES)) == 3
    press(opened, Keys.TAB)  # from nowhere to the first one
    assert opened.execute_script(FOCUS).startswith("proposed cat")
    press(opened, Keys.ENTER, Keys.ARROW_RIGHT)  # taken over, and moved
    assert opened.execute_script(FOCUS) == "cat: x 11, y 20, width 40.5, height 40"
    ActionChains(opened).key_down(Keys.SHIFT).send_keys(Keys.TAB).key_up(Keys.SHIFT).perform()
    assert opened.execute_script(FOCUS) == "cat: x 23, y 21, width 59, height 47"
    press(opened, Keys.TAB, "x", Keys.PAGE_DOWN, "n")
    again(opened)
    assert "0 of 2 images done" in opened.find_element(By.ID, "count").text
    told = read(opened, sheet, tmp_path)
    assert told[0] == [("cat", (23, 21, 82, 68))]
    assert told[1] == [("cat", (20, 25, 60, 75))]  # the label given last


def test_proposals_are_taken_over_as_they_are(stage_2, tmp_path):
    sheet, opened = stage_2
    name(opened, "Ada L.")
    assert opened.find_element(By.ID, "box").text == "0 boxes, 2 proposals left"
    press(opened, "A")
    assert opened.find_element(By.ID, "box").text == "2 boxes, 0 proposals left"
    assert read(opened, sheet, tmp_path) == [
        [("cat", (10, 20, 50.5, 60)), ("person", (70, 5, 110, 40))],
        [],
    ]


def test_what_is_saved_is_a_file_of_coco(stage_2, tmp_path):
    from pycocotools.coco import COCO

    sheet, opened = stage_2
    name(opened, "Ada L.")
    press(opened, "A", "d", "d")
    path = saved(opened, tmp_path / "saved" / "boxes-Ada-L.json")
    coco = COCO(str(path))
    (cat,) = coco.loadAnns(coco.getAnnIds(catIds=[17]))
    assert cat["bbox"] == [10, 20, 40.5, 40]
    assert cat["area"] == 40.5 * 40
    assert coco.loadImgs([2])[0]["file_name"] == FILES[1]
    assert json.loads(path.read_text())["info"]["sheet"] == sheet.digest


def test_zoom_moves_no_box(stage_2, tmp_path):
    sheet, opened = stage_2
    name(opened, "Ada L.")
    before = opened.execute_script(STAGE)
    press(opened, "+", "+")
    opened.execute_script("document.getElementById('view').scrollTo(0, 0)")
    after = opened.execute_script(STAGE)
    assert after[2] == pytest.approx(2.25 * before[2], rel=1e-3)
    drag(opened, (4, 3), (30, 25))
    press(opened, "0")
    assert opened.execute_script(STAGE) == before
    assert read(opened, sheet, tmp_path)[0] == [("person", (4, 3, 30, 25))]


def test_a_picture_of_another_size_is_noticed(browser, folder, tmp_path):
    save(folder / FILES[0], 0, 60, 45)
    annotation_sheet.of_boxes(found(), "toys").write(folder / "stage-2.html", folder)
    opened = open_sheet(browser, folder / "stage-2.html", tmp_path / "saved")
    assert wait(opened, 'return document.getElementById("told").textContent !== ""')
    assert "60 × 45 pixels here, not 120 × 90" in opened.find_element(By.ID, "told").text


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_stands_in_the_way(stage_1, folder, scheme):
    _, opened = stage_1
    paint(opened, scheme, DESK)
    press(opened, *"ynyn")
    assert barriers(opened) == []
    annotation_sheet.of_boxes(found(), "toys").write(folder / "stage-2.html", folder)
    opened.get((folder / "stage-2.html").as_uri())
    press(opened, "n", "A", "n")
    assert barriers(opened) == []
    assert severe(opened) == []


def test_the_sheets_fit_a_phone(stage_1, folder):
    _, opened = stage_1
    paint(opened, "light", PHONE)
    annotation_sheet.of_boxes(found(), "toys").write(folder / "stage-2.html", folder)
    for sheet in ("stage-1", "stage-2"):
        opened.get((folder / f"{sheet}.html").as_uri())
        assert opened.execute_script(OVERFLOW) == []
        assert opened.execute_script("return document.documentElement.scrollWidth") <= PHONE[0]


def test_the_sheets_work_inside_of_a_page_and_are_as_dark_as_it(browser, tmp_path):
    chosen = sheets.found(SHAPES, SHAPES.annotations, (0, 2), CONSTRUCTION.filtration.candidates)
    page = tmp_path / "page.html"
    page.write_text(
        '<!doctype html><html lang="en" data-theme="dark"><title>p</title><main>'
        f"{sheets.embedded(*chosen)}</main>"
    )
    opened = open_sheet(browser, page, tmp_path / "saved")
    opened.execute_script('document.querySelectorAll("iframe").forEach(f => f.loading = "eager")')
    colour = "return getComputedStyle(document.body).backgroundColor"
    backgrounds = []
    for theme in ("dark", "light"):
        opened.execute_script(f'document.documentElement.dataset.theme = "{theme}"')
        opened.switch_to.frame("stage-2")
        assert wait(opened, SHOWN)
        backgrounds.append(opened.execute_script(colour))
        opened.switch_to.default_content()
    assert backgrounds == ["rgb(19, 24, 27)", "rgb(253, 253, 251)"]
    opened.switch_to.frame("stage-1")
    assert wait(opened, SHOWN)
    opened.execute_script("document.body.tabIndex = -1; document.body.focus()")
    press(opened, *"nynnn")
    assert "1 of 2 boxes done" in opened.find_element(By.ID, "count").text
    opened.switch_to.default_content()
    assert severe(opened) == []
