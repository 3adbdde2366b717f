"""The chapter on enhancements: its blocks, of known predictions of all of its networks."""

import pytest

from robust_book.chapters import inc_3_enhancements as chapter
from robust_book.chapters.inc_3_enhancements import architectures
from robust_lib.protocols.corruption_error import enhancements
from tests.chapters.toys import texts

BLOCKS = {
    "inc-claim-stability": chapter.stability,
    "inc-claim-denoise": chapter.denoising,
    "inc-claim-small": architectures.small,
    "inc-claim-clahe": chapter.equalising,
    "inc-fig3": architectures.noises,
    "inc-fig4": architectures.aggregation,
    "inc-claim-tencrop": chapter.ten_crops,
}


@pytest.mark.parametrize("item", BLOCKS)
def test_every_item_has_its_block_with_verdicts_and_a_convention(page, known, item):
    block = str(BLOCKS[item](page, *known))
    assert f'id="{item}"' in block
    assert "Normaliser: alexnet_mini, measured on the same images; storage: jpeg85" in block
    assert "differences are paired, image by image" in block
    assert "missing" not in block
    assert "No network of this item" not in block


def test_the_map_has_nine_cells_and_the_networks_without_beside(page, known):
    block = chapter.stability(page, *known)
    assert {"weight", "largest noise", "ResNet-18-like, tuned"} <= set(texts(block, "text"))
    assert {"Noise 0.01, weight 0.01", "Noise 0.1, weight 0.1"} <= set(texts(block, "th"))
    assert "as printed" in str(block)


def test_the_table_counts_lower_errors_where_the_paper_does(page, known):
    heads = {item: texts(BLOCKS[item](page, *known), "th") for item in BLOCKS}
    counted = {item for item, found in heads.items() if "Lower CEs" in found}
    assert counted == set(enhancements.COUNTED)
