"""The chapter on attribution: its blocks of known numbers, and claims that can fail."""

import numpy as np
import pytest

from robust_book.chapters import nao_4_attribution as chapter
from robust_book.chapters.nao_4_attribution.examples import Shown
from robust_book.chapters.nao_4_attribution.studies import grounds
from robust_lib.config.profiles import load_profile
from tests.chapters.nao_4_attribution.toys import study
from tests.chapters.toys import texts
from tests.protocols.attribution.toys import changes, shares

LABELS = [at % 2 for at in range(40)]
SETS = {"ordinary": "layouts_val", "adversarial": "layouts_nao"}


def changed(after):
    """Forty predictions a set, each with 80 % before and nearly so much in two versions."""
    rng = np.random.default_rng(0)
    made = {}
    for name, dataset in SETS.items():
        scores = np.clip(after + rng.normal(0, 0.02, (40, 2)), 0.01, 1)
        control = {f"{dataset}/noise": changes([0.8] * 40, [[0.0]] * 40, LABELS, dataset)}
        made[name] = study(changes([0.8] * 40, scores, LABELS, dataset), control)
    return made


def shared(inside):
    return {
        name: shares(np.clip(inside + np.linspace(-0.02, 0.02, 40), 0, 1), LABELS, dataset=dataset)
        for name, dataset in SETS.items()
    }


def verdicts(block):
    return [one for one in texts(block, "summary") if "holds" in one or "hold" in one]


@pytest.mark.parametrize(("after", "holds"), [(0.75, True), (0.4, False)])
def test_whether_backgrounds_hardly_matter(page, after, holds):
    studies = changed(after)
    places = grounds(page.run, "mine")
    rows = chapter.numbers.background_rows("mine", studies, places)
    block = str(chapter.replaced(page, rows, studies, places, "mine"))
    word = page._claims["nao-fig6-claim-1"].text
    assert word == ("holds" if holds else "does not hold")
    assert page._claims["nao-fig6-claim-2"].text == word
    assert "on none of the 6 backgrounds" in block.replace("On none", "on none")
    assert "the box under grey noise" in block


@pytest.mark.parametrize(("after", "holds"), [(0.5, True), (0.1, False)])
def test_whether_swaps_change_modestly(page, after, holds):
    studies = changed(after)
    rows = chapter.numbers.swap_rows("mine", studies, swaps=3, repeats=2)
    block = str(chapter.swapped(page, rows, studies, "mine", swaps=3, patch=1 / 3))
    assert page._claims["nao-fig8-claim-1"].text == ("holds" if holds else "does not hold")
    assert "a patch has 33 %" in block


@pytest.mark.parametrize(
    ("inside", "word"), [(0.8, "holds"), (0.4, "does not hold"), (0.2, "premise fails")]
)
def test_whether_most_classes_lie_mostly_inside(page, inside, word):
    """A box elsewhere holds a quarter: where the box has less, the question is none."""
    found = shared(inside)
    block = str(chapter.inside(page, chapter.numbers.inside_rows("mine", found), found, "mine"))
    assert page._claims["nao-fig7-claim-1"].text == word
    assert "random box" in block


def test_a_change_near_the_threshold_is_not_decided(page):
    studies = changed(0.6)
    rows = chapter.numbers.background_rows("mine", studies, grounds(page.run, "mine"))
    chapter.replaced(page, rows, studies, [], "mine")
    assert page._claims["nao-fig6-claim-1"].text == "not decided"


def test_backgrounds_are_shown_with_what_is_seen_in_them(page):
    places = grounds(page.run, "mine")
    rows = chapter.numbers.background_rows("mine", changed(0.7), places)
    cells = texts(chapter.checked(page, rows, places, changed(0.7)), "td")
    assert cells[:2] == ["0.0", "0"]


def test_pictures_stand_under_their_captions(page):
    shown = Shown((np.zeros((8, 8, 3), np.uint8),) * 2, ("cat 90 %", "sky\ncat 80 %"), 2)
    block = str(chapter.gallery(page, "fig-some", shown, "what", "Pictures."))
    assert block.count("<image") == 2
    assert "cat 90 %; sky, cat 80 %." in block


def test_the_papers_detectors_are_asked_where_there_are_some():
    mini = chapter.CHAPTER.evaluated_models(load_profile("mini"))
    assert set(mini) == {"maskrcnn_resnet50_fpn", "efficientdet_d4", "efficientdet_d7"}
    assert set(chapter.CHAPTER.evaluated_models(load_profile("smoke"))) == {"efficientdet_d7"}
