"""What a reader computes in the page: the paper's setting, others, the keyboard, and no script.

Each question stands on a page of its own, made of drawn answers. What the scripts compute is
compared with what the library computes of the same answers.
"""

import json
from dataclasses import dataclass, replace

import numpy as np
import pytest
import torch
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from robust_book.chapters.inc_2_mce import normalisers_and_corruptions
from robust_book.chapters.nae_1_construction.funnel import thresholds as thresholds_of_filter
from robust_book.chapters.nae_2_imagenet_a import mask
from robust_book.chapters.nao_2_map.what_if import thresholds as thresholds_of_boxes
from robust_book.chapters.overlap_2_balance_and_cover import benchmark
from robust_book.chapters.vid_2_classification import distances
from robust_lib.curation.decisions import Filtration, adversarial_steps
from robust_lib.metrics.boxes import Detections
from robust_lib.metrics.corruption_error import (
    mean_corruption_error,
    relative_mean_corruption_error,
)
from robust_lib.predict.classify import predict
from robust_lib.predict.found_boxes import FoundBoxes
from robust_lib.predict.masked import predict_masked
from robust_lib.protocols.corruption_error.normaliser import measured
from robust_lib.protocols.objects.scored_boxes import Settings, scored
from robust_lib.protocols.overlap import benchmark as benchmarks
from robust_lib.protocols.overlap import judged
from robust_lib.protocols.pm_k.frame_predictions import FramePredictions
from robust_lib.vocabulary import COMMON
from tests import toys
from tests.chapters.toys import texts
from tests.layouts import Shapes
from tests.protocols.overlap.toys import table as accuracies
from tests.protocols.pm_k.toys import frame_sets

from . import visit
from .visit import DESK, PHONE, barriers, forget, own_page, paint, requests, severe, wait

pytestmark = [pytest.mark.site, pytest.mark.browser]

CELLS = """
return [...document.querySelectorAll(`#what-if-${arguments[0]} tbody tr`)]
  .map((row) => [...row.cells].slice(1).map((cell) => cell.textContent))"""
SET = """
const form = document.querySelector(`#what-if-${arguments[0]} form`);
for (const [name, value] of Object.entries(arguments[1])) {
  const controls = [...form.elements].filter((one) => one.name === name);
  for (const one of controls) {
    if (one.type === "checkbox") one.checked = value.includes(one.value);
    else one.value = value;
  }
  controls[0].dispatchEvent(new Event("input", {bubbles: true}));
}"""


@dataclass(frozen=True)
class Drawn:
    """Answers drawn at random, of networks and detectors that do not exist."""

    rng: np.random.Generator

    def grid(self):
        drawn = {}

        def right(model, corruption, severity, seed):
            key = model, corruption, severity, seed
            if key not in drawn:
                drawn[key] = self.rng.random(40) > 0.1 + 0.12 * severity
            return drawn[key]

        models = ("alexnet_mini", "resnet18_mini", "resnet50_mini")
        return toys.grid(right, models, (*COMMON, "spatter"), (1, 3, 5), seeds=2)

    def filtration(self):
        count = 300
        labels, said = self.rng.integers(0, 3, (2, count))
        said = np.where(said == labels, -1, said)
        sure = np.where(said < 0, np.nan, self.rng.random(count).round(2))
        return Filtration(
            rule="imagenet-a",
            filters=("one",),
            class_names=("key", "owl", "bee"),
            ids=tuple(f"image{place}" for place in range(count)),
            labels=labels,
            predicted=said[:, None],
            confidence=sure[:, None],
            in_truth=sure[:, None],
            # All that fool the filter are on the list, and the review drops some of them.
            steps=tuple(
                "correct" if one < 0 else ("review", "shortlisted")[self.rng.integers(2)]
                for one in said
            ),
            settings={"candidates": "pool"},
            is_reviewed=True,
        )

    def answers(self):
        sets = frame_sets()
        truth = np.array([labels[0] for labels in sets.labels])
        names = ("resnet50_mini", "resnet18_mini")
        said = {
            name: tuple(truth ^ (self.rng.random(len(truth)) < 0.04) for _ in range(2))
            for name in names
        }
        return FramePredictions("toys", sets, said, "all 2 outputs")

    def boxes(self, images: Shapes) -> FoundBoxes:
        """Boxes near the objects, some of them called otherwise, some on nothing."""
        told = []
        for place, one in enumerate(images.annotations):
            near = [*zip(one.boxes, one.classes, strict=True)]
            near += [(box, self.rng.integers(3)) for box in one.foreign.boxes]
            for box, label in near * 2:
                called = label if self.rng.random() < 0.7 else self.rng.integers(3)
                told.append((place, called, box + self.rng.normal(0, 2, 4)))
            for _ in range(3):
                corner = self.rng.random(2) * 30
                told.append((place, self.rng.integers(3), np.r_[corner, corner + 20]))
        pictures, classes, boxes = zip(*told, strict=True)
        scores = self.rng.random(len(told)).round(2)
        found = Detections(np.array(pictures), np.array(classes), np.array(boxes), scores)
        return FoundBoxes("mine", images.name, images.ids, found, 0.0, 100)

    def wide(self):
        """Pictures of three classes, and a network that knows six others."""
        swatches = toys.Swatches(count=60)
        layer = torch.nn.Linear(3, 9, bias=False)
        with torch.no_grad():
            layer.weight.zero_()
            layer.weight[list(OURS)] = torch.eye(3)
            layer.weight[5] = torch.tensor([2.0, -1.0, -1.0])  # a rival of the first class
        network = torch.nn.Sequential(torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), layer)
        model = toys.brightest("resnet18_mini", module=network, outputs=9)
        return swatches, model


def on_both(sets, found, least=0.0, **settings):
    """Detectors' boxes in both sets, matched; those less sure than `least` are gone."""

    def surer(one):
        kept = one.detections.scores >= least
        of = one.detections
        fewer = Detections(of.images[kept], of.classes[kept], of.boxes[kept], of.scores[kept])
        return replace(one, detections=fewer)

    return {
        "mine": tuple(
            scored([surer(one)], images.ids, images.annotations, Settings(samples=9, **settings))
            for images, one in zip(sets, found, strict=True)
        )
    }


OURS = (4, 0, 7)
DRAWN = Drawn(np.random.default_rng(7))
GRID, FILTRATION, ANSWERS = DRAWN.grid(), DRAWN.filtration(), DRAWN.answers()
SHAPES = Shapes(count=30, name="coco_val"), Shapes(count=30, name="nao")
BOXES = tuple(DRAWN.boxes(images) for images in SHAPES)
PICTURES, NETWORK = DRAWN.wide()
MASKED = predict_masked(
    {NETWORK.name: (NETWORK,)}, PICTURES, {NETWORK.name: [(one,) for one in OURS]},
    store=None, progress=False,
)  # fmt: skip
NAMES = ("gaussian_noise", "shot_noise", "fog", "snow", "pixelate", "border")
SCORES = np.triu(DRAWN.rng.random((6, 6)), 1)
OVERLAPS = judged({"resnet18": accuracies(SCORES + SCORES.T, NAMES)})

BLOCKS = {
    "mce": normalisers_and_corruptions(GRID, measured(GRID, "alexnet_mini")),
    "filter": thresholds_of_filter(FILTRATION),
    "pm_k": distances(ANSWERS, "resnet18_mini", ("owl", "key")),
    "map": thresholds_of_boxes(on_both(SHAPES, BOXES)),
    "mask": mask(MASKED, MASKED),
    "benchmark": benchmark(OVERLAPS),
}


def mce(normaliser, corruption):
    """Clean error, mCE, relative mCE and mean error of each network, percent."""
    base = measured(GRID, GRID.models[int(normaliser)])
    divisor = {name: base.errors[name] for name in corruption}
    for model in GRID.models:
        errors = {name: GRID.errors(model, name) for name in corruption}
        clean = measured(GRID, model).clean
        yield [
            clean,
            mean_corruption_error(errors, divisor, over=corruption),
            relative_mean_corruption_error(errors, clean, divisor, base.clean, over=corruption),
            np.mean([*errors.values()]),
        ]


def filtered(confidence, most):
    """Candidates left, their share in percent, and their classes, step by step."""
    labels, said, sure = FILTRATION.labels, FILTRATION.predicted, FILTRATION.in_truth
    steps = adversarial_steps(labels, said, sure, confidence / 100, most)
    kept = np.array([step == "shortlisted" for step in FILTRATION.steps])
    order = np.array([("correct", "confident", "confusion", "shortlisted").index(s) for s in steps])
    left = [order >= 0, order >= 1, order >= 2, order >= 3, (order >= 3) & kept]
    before = [left[0], *left]
    for now, then in zip(left, before, strict=False):
        yield [now.sum(), 100 * now.sum() / then.sum(), len(set(labels[now]))]


def pm_k(k, anchor):
    """Accuracy on anchors and on worst frames, their difference, and sets that fall at k."""
    answers = replace(ANSWERS, anchor=anchor)
    for name in ANSWERS.by_network:
        hits = answers.hits(name)
        first, worst = (np.mean([one[:, at].mean() for one in hits]) for at in (0, k))
        falls = np.mean([(one[:, k - 1] & ~one[:, k]).mean() for one in hits])
        yield [first, worst, first - worst, falls]


def maps(iou, least, is_foreign_out):
    """mAP on both sets and what is lost."""
    ordinary, adversarial = on_both(SHAPES, BOXES, least, iou=iou)["mine"]
    before = ordinary.map().value
    after = (adversarial.map("overlap") if is_foreign_out else adversarial.map()).value
    yield [before, after, before - after, 1 - after / before]


def let_in(others):
    """Accuracy with the first of the other classes, by the whole network."""
    whole = predict(NETWORK, PICTURES, keep="logits", progress=False)
    rest = [one for one in range(9) if one not in OURS][:others]
    columns = [*OURS, *rest]
    share = (whole.logits[:, columns].argmax(1) == whole.labels).mean()
    yield [share, share, 0.0]


def balanced(members):
    """Mean overlap with the others, and the largest."""
    overlaps = benchmarks.average(OVERLAPS)
    balance, cover = (of(overlaps, members) for of in (benchmarks.balance, benchmarks.coverage))
    for name in NAMES:
        inside = name in members
        yield [
            balance["mean"][name] / 100 if inside else None,
            (balance if inside else cover)["overlap"][name] / 100,
        ]


FEW = ("fog", "contrast", "spatter")
ASKED = [
    ("mce", {"normaliser": "2", "corruption": FEW}, mce("2", FEW), 100),
    ("mce", {"normaliser": "1", "corruption": COMMON}, mce("1", COMMON), 100),
    ("filter", {"confidence": "40", "most": "20"}, filtered(40, 20), 1),
    ("filter", {"confidence": "3", "most": "2"}, filtered(3, 2), 1),
    ("pm_k", {"k": "3"}, pm_k(3, True), 100),
    ("pm_k", {"k": "2", "anchor": []}, pm_k(2, False), 100),
    ("map", {"iou": "5"}, maps(0.75, 0.0, False), 100),
    ("map", {"iou": "mean", "score": "40"}, maps("coco", 0.4, False), 100),
    ("map", {"iou": "0", "score": "25", "foreign": ["foreign"]}, maps(0.5, 0.25, True), 100),
    ("mask", {"others": "6"}, let_in(6), 100),
    ("mask", {"others": "2"}, let_in(2), 100),
    ("benchmark", {"corruption": ["fog", "border", "pixelate"]},
     balanced(["fog", "border", "pixelate"]), 100),
]  # fmt: skip


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A page with every question."""
    folder = tmp_path_factory.mktemp("what_if")
    blocks = "\n".join(map(str, BLOCKS.values()))
    return own_page(folder, "What if", f"<h2>Try it</h2>{blocks}")


@pytest.fixture
def opened(browser, page):
    return visit.opened(browser, page)


def cells(browser, kind):
    return browser.execute_script(CELLS, kind)


def told(browser, kind):
    return browser.find_element(By.CSS_SELECTOR, f"#what-if-{kind} .rb-told").text


def numbers(rows):
    return [
        [None if text == "–" else float(text.replace("−", "-").replace(",", "")) for text in row]
        for row in rows
    ]


@pytest.mark.parametrize("kind", BLOCKS)
def test_at_the_papers_setting_the_script_finds_what_the_library_found(opened, kind):
    found = cells(opened, kind)
    assert [cell for row in found for cell in row] == texts(BLOCKS[kind], "td")
    assert told(opened, kind)
    assert severe(opened) == []


@pytest.mark.parametrize(("kind", "settings", "expected", "unit"), ASKED)
def test_at_other_settings_it_finds_what_the_library_would(opened, kind, settings, expected, unit):
    before = told(opened, kind)
    opened.execute_script(SET, kind, settings)
    wanted = [[None if one is None else unit * float(one) for one in row] for row in expected]
    found = numbers(cells(opened, kind))
    assert len(found) == len(wanted)
    for row, right in zip(found, wanted, strict=True):
        assert [one is None for one in row] == [one is None for one in right]
        pairs = [pair for pair in zip(row, right, strict=True) if None not in pair]
        assert all(one == pytest.approx(other, abs=0.0501) for one, other in pairs), (row, right)
    assert told(opened, kind) != before


@pytest.mark.parametrize("kind", BLOCKS)
def test_one_button_leads_back_to_the_paper(opened, kind):
    first, words = cells(opened, kind), told(opened, kind)
    settings = next(settings for name, settings, *_ in ASKED if name == kind)
    opened.execute_script(SET, kind, settings)
    assert cells(opened, kind) != first
    opened.find_element(By.CSS_SELECTOR, f"#what-if-{kind} button[type=reset]").click()
    rows = [cell for row in first for cell in row]
    shown = f"#what-if-{kind} tbody td"
    joined = f"return [...document.querySelectorAll('{shown}')].map(one => one.textContent).join()"
    assert wait(
        opened, f"{joined} === {json.dumps(','.join(rows))}".replace("return ", "return (", 1) + ")"
    )
    assert told(opened, kind) == words


def test_the_keyboard_moves_all_of_it(opened):
    slider = opened.find_element(By.CSS_SELECTOR, "#what-if-pm_k input[name=k]")
    assert slider.accessible_name.startswith("Counted frames on either side, k")
    slider.send_keys(Keys.ARROW_LEFT)
    assert slider.get_attribute("aria-valuetext") == "9"
    assert "k = 9" in told(opened, "pm_k")
    box = opened.find_element(By.CSS_SELECTOR, '#what-if-mce input[value="fog"]')
    box.send_keys(Keys.SPACE)
    assert told(opened, "mce").startswith("14 corruptions")
    every = opened.find_element(By.CSS_SELECTOR, "#what-if-mce [data-all]")
    every.send_keys(Keys.ENTER)
    assert told(opened, "mce").startswith("16 corruptions")
    every.send_keys(Keys.ENTER)
    assert told(opened, "mce").startswith("0 corruptions")
    assert {row[1] for row in cells(opened, "mce")} == {"–"}
    whose = opened.find_element(By.CSS_SELECTOR, "#what-if-pm_k select")
    whose.send_keys(Keys.ARROW_UP)
    assert told(opened, "pm_k").startswith("ResNet-50")


def test_a_mark_a_set_says_which_sets_fall(opened):
    opened.execute_script(SET, "pm_k", {"k": "3"})
    marks = opened.find_elements(By.CSS_SELECTOR, "#what-if-pm_k .rb-marks i")
    hits = ANSWERS.hits("resnet18_mini")[0]
    falls = (hits[:, 2] & ~hits[:, 3]).tolist()
    assert [one.get_attribute("class") == "rb-falls" for one in marks] == falls
    assert [one.get_attribute("class") == "rb-right" for one in marks] == hits[:, 3].tolist()
    assert marks[0].get_attribute("title").startswith("owl (clip_0000): ")


def test_a_sorted_table_keeps_its_networks(opened):
    heads = opened.find_elements(By.CSS_SELECTOR, "#what-if-benchmark .rb-sort")
    heads_of_rows = "document.querySelectorAll('#what-if-benchmark tbody th')"
    names = f"return [...{heads_of_rows}].map(one => one.textContent)"
    by_name = dict(zip(opened.execute_script(names), cells(opened, "benchmark"), strict=True))
    heads[-1].click()
    assert opened.execute_script(names) != list(by_name)
    opened.execute_script(SET, "benchmark", {"corruption": list(NAMES[:-1])})
    after = dict(zip(opened.execute_script(names), cells(opened, "benchmark"), strict=True))
    assert after == by_name


def test_without_a_script_the_papers_setting_stands_there(browser, page):
    paint(browser, "light", DESK)
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(page.as_uri())
        assert [
            one for one in browser.find_elements(By.TAG_NAME, "form") if one.is_displayed()
        ] == []
        still = browser.find_elements(By.CSS_SELECTOR, ".rb-still")
        assert len(still) == len(BLOCKS)
        assert all(one.is_displayed() for one in still)
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_barrier_and_a_phone_does_not_scroll_sideways(opened, scheme):
    opened.execute_script(f"document.documentElement.dataset.theme = '{scheme}'")
    assert barriers(opened) == []
    paint(opened, scheme, PHONE)
    wide = "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    assert opened.execute_script(wide)


def test_every_question_of_the_site_begins_at_the_papers_setting(browser, site):
    asked = 0
    for chapter in sorted(site.glob("*.html")):
        source = chapter.read_text("utf-8")
        if 'class="rb-what-if"' not in source:
            continue
        asked += 1
        paint(browser, "light", DESK)
        forget(browser)
        browser.get(chapter.as_uri())
        for section in browser.find_elements(By.CSS_SELECTOR, ".rb-what-if"):
            kind = section.get_attribute("data-kind")
            block = source.partition(f'id="what-if-{kind}"')[2].partition("</section>")[0]
            assert [cell for row in cells(browser, kind) for cell in row] == texts(block, "td"), (
                kind
            )
        assert severe(browser) == []
        assert requests(browser, site.as_uri()) == []
    if not asked:
        pytest.skip("this site has no questions: their chapters were not executed")
