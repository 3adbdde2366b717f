"""The chapter on enhancements: its blocks, of known predictions of all of its networks."""

from dataclasses import replace

import numpy as np
import pytest

from robust_book.chapters import inc_3_enhancements as chapter
from robust_book.page import Page
from robust_lib.models.enhance import denoise, equalise
from robust_lib.protocols.corruption_error import enhancements
from robust_lib.run.start import start
from tests.chapters import pages
from tests.chapters.toys import enhanced, texts

BLOCKS = {
    "inc-claim-stability": chapter.stability,
    "inc-claim-denoise": chapter.denoising,
    "inc-claim-small": chapter.small,
    "inc-claim-clahe": chapter.equalising,
    "inc-fig3": chapter.noises,
    "inc-fig4": chapter.aggregation,
    "inc-claim-tencrop": chapter.ten_crops,
}


@pytest.mark.parametrize("item", BLOCKS)
def test_every_item_has_its_block_with_verdicts_and_a_convention(page, known, item):
    block = str(BLOCKS[item](page, *known))
    assert f'id="{item}"' in block
    assert "Normaliser: alexnet_mini, measured on the same images; storage: jpeg85" in block
    assert "20 images per condition, severities 1, 2, 3, 4, 5" in block
    assert "differences are paired, image by image" in block
    assert "missing" not in block
    assert "no network of this item" not in block


def test_the_map_has_nine_cells_and_the_networks_without_beside(page, known):
    block = chapter.stability(page, *known)
    assert {"weight", "largest noise", "ResNet-18-like (tuned)"} <= set(texts(block, "text"))
    assert {"Noise 0.01, weight 0.01", "Noise 0.1, weight 0.1"} <= set(texts(block, "th"))
    assert "as printed" in str(block)


def test_the_table_counts_lower_errors_where_the_paper_does(page, known):
    heads = {item: texts(BLOCKS[item](page, *known), "th") for item in BLOCKS}
    counted = {item for item, found in heads.items() if "Lower CEs" in found}
    assert counted == set(enhancements.COUNTED)


def test_figures_are_judged_by_the_network_that_was_trained_alike(page, known):
    for block in (chapter.noises, chapter.aggregation):
        assert "ResNet-34-like is the stand-in for ResNet-50" in str(block(page, *known))


def test_a_network_of_ones_own_stands_in_figure_4(run):
    names = [run.paper_names[name] for name in (enhancements.ALIKE, "densenet121")]
    kept = [one for one in run.networks if one.model in names]
    own = replace(run, networks=(*kept, replace(kept[0], model="mine")))
    block = chapter.aggregation(Page(own), *enhanced(own))
    assert "mine for ResNet-34-like" in texts(block, "text")


def test_arrows_of_both_sources_go_by_their_titles(page, known):
    written = texts(chapter.aggregation(page, *known), "text")
    assert {"DenseNet-121-like for ResNet-34-like", "this run", "the paper"} <= set(written)


def test_remedies_stand_beside_the_papers(page, known):
    results, grid, _ = known
    block = chapter.remedies(page, results, grid)
    assert {"Denoised", "Stability training, best of 9", "the paper"} <= set(texts(block, "text"))


def test_a_profile_with_few_networks_says_what_it_lacks(build, page, known):
    assert "Not evaluated" not in str(chapter.small(page, *known))
    few = pages.page(chapter, "toys")
    known = enhanced(few.run)
    assert "Not evaluated: condensenet_4, condensenet_8." in str(chapter.small(few, *known))
    line = "This run evaluates no network of this item."
    for block in (chapter.denoising, chapter.ten_crops):
        shown = block(few, *known)
        assert line in texts(shown, "p")
        assert "<svg" not in str(shown)
    # The network without stability training, and one with it: clean error, difference of mCE.
    cells = texts(chapter.stability(few, *known), "td")
    assert cells[:2] == ["10.0 [1.2, 31.7]", "–"]
    assert texts(chapter.noises(few, *known), "text")[1:4] == [
        "Gaussian noise", "Shot noise", "Impulse noise",
    ]  # fmt: skip


@pytest.fixture
def toy_run(build):
    return pages.page(chapter, "toys").run


def test_pictures_are_shown_as_they_are_denoised_and_equalised(toy_run):
    pictures, captions = chapter.seen(toy_run)
    assert captions == [
        "clean", "clean, denoised", "clean, equalised",
        "Gaussian noise", "Gaussian noise, denoised", "Gaussian noise, equalised",
    ]  # fmt: skip
    clean, noisy = pictures[0], pictures[3]
    assert np.array_equal(clean, toy_run.pictures(1)[0])
    assert np.array_equal(pictures[1], denoise(clean))
    assert np.array_equal(pictures[2], equalise(clean, tiles=4))
    assert not np.array_equal(noisy, clean)
    assert np.array_equal(pictures[5], equalise(noisy, tiles=4))


def test_words_name_the_settings_of_the_profiles_networks():
    mini = start(chapter.CHAPTER, "mini")
    assert "patches of 3 pixels, at most 2 pixels apart" in chapter.denoiser_words(mini)
    assert "on 4 x 4 tiles, with a contrast limit of 2" in chapter.equaliser_words(mini)
    assert chapter.crop_words(mini) == "A crop has 56 pixels."
    full = start(chapter.CHAPTER, "full")
    assert "at most 6 pixels apart" in chapter.denoiser_words(full)
    assert chapter.crop_words(full) == "A crop has 196 pixels of the central 224."
