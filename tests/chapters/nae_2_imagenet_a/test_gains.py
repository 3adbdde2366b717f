"""What training, attention and size gain: a block each, of known predictions."""

import pytest

from robust_book.chapters import nae_2_imagenet_a as chapter
from robust_book.chapters.nae_2_imagenet_a import gains
from robust_lib.protocols.nae import accuracy
from tests.chapters.pages import page as page_of
from tests.protocols.nae.toys import masked

RIGHT = {
    "resnext101_32x4d_mini": 2,
    "resnext101_32x4d_se_mini": 8,
    "resnext50_200_mini": 4,
    "resnext50_200_mini_fgsm": 5,
}
IMAGENET_A = masked("scenes_a_filtered", RIGHT)
IMAGENET_VAL = masked("scenes_val_a", dict.fromkeys(RIGHT, 20))
BLOCKS = {"nae-fig8": gains.robust_training, "nae-fig9": gains.attention, "nae-fig10": gains.size}


@pytest.fixture
def page(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    return page_of(chapter)


@pytest.mark.parametrize("name", BLOCKS)
def test_trainings_and_pairs_have_their_own_items(page, name):
    results = accuracy.results(IMAGENET_A, IMAGENET_VAL, page.run.paper_names)
    block = str(BLOCKS[name](page, results, IMAGENET_A, IMAGENET_VAL))
    assert f'id="{name}"' in block
