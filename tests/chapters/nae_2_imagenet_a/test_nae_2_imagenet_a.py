"""The chapter on accuracy: what its blocks show of known predictions."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from robust_book.chapters import nae_2_imagenet_a as chapter
from robust_book.chapters.nae_2_imagenet_a import difficulty, mask, mistakes, recolouring
from robust_lib.preprocessing import Preprocessing
from robust_lib.protocols.nae import accuracy
from tests.chapters.pages import page as page_of
from tests.chapters.toys import texts
from tests.protocols.nae.toys import masked
from tests.toys import brightest

RIGHT = {
    "resnet50_mini": 0,
    "resnet18_mini": 3,
    "resnext101_32x4d_mini": 2,
    "resnext101_32x4d_se_mini": 8,
    "resnext50_200_mini": 4,
    "resnext50_200_mini_fgsm": 5,
}
IMAGENET_A = masked("scenes_a_filtered", RIGHT)
IMAGENET_VAL = masked("scenes_val_a", dict.fromkeys(RIGHT, 20))


@pytest.fixture
def page(build):
    geometry = Preprocessing(None, 16)
    return page_of(chapter, resnet18_mini=(brightest("resnet18_mini", preprocessing=geometry),))


@pytest.fixture
def results(page):
    return accuracy.results(IMAGENET_A, IMAGENET_VAL, page.run.paper_names)


def test_all_networks_stand_on_both_sets(page, results):
    block = str(chapter.all_networks(page, results, IMAGENET_A, IMAGENET_VAL))
    assert 'id="nae-fig2"' in block
    assert "n = 30 hard and 30 ordinary images" in block
    assert "3 of 5 outputs, the others masked before the softmax" in block
    assert "ResNet-18-like" in block


def test_what_the_mask_does():
    assert "Nothing masked" in str(chapter.mask_effect(IMAGENET_A))


def test_candidates_that_nobody_published_leave_an_empty_figure(page):
    empty = pd.DataFrame(columns=list(difficulty.COLUMNS))
    assert "were not published" in str(chapter.candidates(page, empty))
    assert "Candidates by difficulty" in str(chapter.candidate_counts(empty))


def test_failures_are_confident_unstable_and_stretched(page):
    rows = mistakes.results(IMAGENET_A, page.run.images, "resnet18_mini")
    block = str(chapter.failures(page, rows, IMAGENET_A, "resnet18_mini"))
    assert block.count("<image") == 5 + 5 + 1
    assert "of 30 images examined" in block


def test_other_colours_are_judged_on_what_they_turn_right_and_wrong(page):
    recoloured = {"grey": masked("scenes_a_filtered/grey", {"resnet18_mini": 9})}
    rows = recolouring.results(IMAGENET_A, recoloured, "resnet18_mini")
    block = str(recolouring.other_colours(page, rows, IMAGENET_A, recoloured, "resnet18_mini"))
    assert "First seed of ResNet-18-like; hues rotated" in block
    assert 'data-verdict="holds"' in block  # the banana is one of these pictures


def test_the_prose_names_accuracies_and_both_ends_of_the_difficulty(page, results):
    empty = pd.DataFrame(columns=list(difficulty.COLUMNS))
    numbers = chapter.key_numbers(results, IMAGENET_A, IMAGENET_VAL, empty, page.run.paper_names)
    assert set(numbers) == {
        "best", "worst", "ordinary_low", "ordinary_high", "chance",
        "easy_all", "easy_left", "hard_all", "hard_left",
    }  # fmt: skip
    assert numbers["best"].text == "26.7 %"


def both(right):
    return masked("hard", right), masked("ordinary", dict.fromkeys(right, 24))


def test_it_begins_with_the_mask_on():
    hard, ordinary = both({"small": 3, "large": 9})
    assert texts(mask(hard, ordinary), "td") == ["10.0", "80.0", "70.0", "30.0", "80.0", "50.0"]


def test_seeds_are_averaged():
    hard, ordinary = (masked(name, {"small": 3}, seeds=2) for name in ("hard", "ordinary"))
    assert texts(mask(hard, ordinary), "td")[0] == "11.7"  # 3 and 4 of 30


def test_networks_without_other_classes_are_left_out():
    hard, ordinary = both({"small": 3, "large": 9})
    narrow = replace(hard, unmasked={"large": (0.1,)})
    assert texts(mask(narrow, ordinary), "th")[-1:] == ["large"]
    assert "no mask to remove" in str(mask(replace(hard, unmasked={}), ordinary))


def test_rivals_of_pictures_that_are_wrong_anyhow_do_not_count():
    hard, ordinary = both({"small": 3})
    rivals = {"small": (np.where(np.arange(30) < 2, 1, 0),)}
    stored = str(mask(replace(hard, rivals=rivals), ordinary))
    assert '"until":[[[0,1],[1,2]]]' in stored


@pytest.mark.parametrize(
    ("block", "name"),
    [
        (chapter.robust_training, "nae-fig8"),
        (chapter.attention, "nae-fig9"),
        (chapter.size, "nae-fig10"),
    ],
)
def test_trainings_and_pairs_have_their_own_items(page, results, block, name):
    assert f'id="{name}"' in str(block(page, results, IMAGENET_A, IMAGENET_VAL))
