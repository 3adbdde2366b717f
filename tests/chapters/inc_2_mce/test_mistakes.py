"""The pictures behind Table 1: which five, read from where the answers came from, and where not."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from robust_book.chapters.inc_2_mce import mistakes, numbers
from robust_book.page import Page
from robust_lib.config import withheld as shown
from robust_lib.datasets.imagenet_c import Corrupted
from robust_lib.predict.predictions import Predictions
from tests import toys
from tests.chapters import pages
from tests.chapters import toys as examples
from tests.chapters.pages import SIDE

CORRUPTIONS = ("gaussian_noise", "fog")
NETWORKS = ("alexnet_mini", "resnet18_mini")
TITLES = list(numbers.error_frame(examples.rows("inc-tab1", "ce", {"alexnet_mini": 1.0}))[1:])
FOG = TITLES.index("Fog") - 1


def said(labels, predicted, confidence):
    ids = tuple(f"swatch{place}" for place in range(len(labels)))
    arrays = np.array(labels), None, np.array(predicted), np.array(confidence, np.float32)
    return Predictions("net", "swatches", ids, *arrays)


@pytest.fixture
def page(build):
    """A page of two networks that know swatches."""
    models = {
        name: (toys.brightest(name, preprocessing=toys.Preprocessing(None, SIDE)),)
        for name in NETWORKS
    }
    return pages.page(pages.chapter_of("inc_2_mce"), "toys", **models)


def grid_of(page, wrong):
    """Answers under two corruptions: each network takes so many swatches for the next colour."""
    images = page.run.images
    cells = {}
    for network, count in zip(NETWORKS, wrong, strict=True):
        for name in CORRUPTIONS:
            for severity in (1, 3, 5):
                labels = images.labels
                told = np.where(np.arange(len(labels)) < count, (labels + 1) % 3, labels)
                sure = np.linspace(0.9, 0.5, len(labels), dtype=np.float32)
                cells[network, name, severity] = (
                    Predictions(network, images.name, images.ids, labels, None, told, sure),
                )
    made = toys.grid(lambda *_: [True], NETWORKS, CORRUPTIONS, (1, 3, 5))
    return replace(made, cells=cells)


ROWS = examples.rows("inc-tab1", "ce", dict.fromkeys(NETWORKS, 0.9), corruption="fog")


def cells(block):
    (found,) = re.findall(r'<script type="application/json">(.*?)</script>', str(block), re.DOTALL)
    return json.loads(found)


def test_the_surest_mistake_of_each_class_comes_before_a_second_of_any():
    labels = [0, 0, 0, 1, 1, 2, 2]
    confidence = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.99]
    mistaken = said(labels, [1, 1, 1, 0, 0, 0, 2], confidence)
    assert mistakes.surest(mistaken) == (0, 3, 5, 1, 4)
    assert mistakes.surest(mistaken, 2) == (0, 3)


def test_the_choice_hangs_on_no_order_of_the_pictures_but_among_equals():
    rng = np.random.default_rng(3)
    labels, told = rng.integers(0, 4, (2, 60))
    sure = rng.permutation(60) / 100
    order = rng.permutation(60)
    one = mistakes.surest(said(labels, told, sure))
    other = mistakes.surest(said(labels[order], told[order], sure[order]))
    assert [int(order[place]) for place in other] == list(one)
    assert mistakes.surest(said([0, 0, 0], [1, 1, 1], [0.5] * 3), 2) == (0, 1)


def test_right_answers_and_pictures_without_a_class_are_no_mistakes():
    assert mistakes.surest(said([0, -1, 1], [0, 1, 1], [0.9, 0.9, 0.9])) == ()


def test_a_cell_shows_the_pictures_that_its_answers_were_of(page):
    found = cells(mistakes.pictured(page, ROWS, grid_of(page, (4, 0))))
    cell = found[0][FOG]
    assert cell["title"] == "AlexNet-like under fog"
    assert cell["told"] == "wrong on 4 of 30 images"
    assert [[*names, sure.replace("\N{NO-BREAK SPACE}", " ")] for *names, sure in cell["seen"]] == [
        ["red", "green", "90 %"],
        ["green", "blue", "89 %"],
        ["blue", "red", "87 %"],
        ["red", "green", "86 %"],
    ]
    page.save()
    file = page.run.folder / "figures" / Path(cell["file"]).name
    row = np.asarray(Image.open(file).convert("RGB"))
    assert row.shape == (SIDE, 4 * SIDE, 3)
    storage = page.run.profile.storage
    corrupted = Corrupted(page.run.images, "fog", 3, storage=storage)
    for place in range(4):
        seen = row[:, place * SIDE : (place + 1) * SIDE].astype(float)
        # The file has lost a little, and less than sets two swatches apart.
        apart = [
            np.abs(seen - corrupted.read(other, page.run.geometry)).mean() for other in range(30)
        ]
        assert int(np.argmin(apart)) == place


def test_what_was_not_asked_stays_a_number_and_without_mistakes_there_is_no_file(page):
    found = cells(mistakes.pictured(page, ROWS, grid_of(page, (4, 0))))
    opens = {title for title, cell in zip(TITLES[1:], found[0], strict=True) if cell}
    assert opens == {"Gaussian noise", "Fog"}
    right = found[1][FOG]
    assert (right["file"], right["seen"]) == (None, [])
    assert right["told"] == "wrong on 0 of 30 images"
    page.save()
    assert len(list((page.run.folder / "figures").glob("*.webp"))) == len(CORRUPTIONS)


def test_networks_are_not_asked_again(page, monkeypatch):
    made = grid_of(page, (4, 2))

    def refuse(*_):
        raise AssertionError("a network was asked")

    monkeypatch.setattr(toys.Brightest, "forward", refuse)
    assert len(cells(mistakes.pictured(page, ROWS, made))) == len(NETWORKS)


def test_pictures_that_may_not_be_passed_on_are_not_written(page, monkeypatch):
    monkeypatch.delenv(shown.WITH_PICTURES, raising=False)
    profile = page.run.profile
    data = {**profile.data, page.run.chapter.role: "imagenet_val"}
    withheld = Page(replace(page.run, profile=profile.model_copy(update={"data": data})))
    assert mistakes.pictured(withheld, ROWS, grid_of(page, (4, 0))) is None
    withheld.save()
    assert not (page.run.folder / "figures").exists()
