"""Wide ResNets: the size that is published, shapes, and what a block adds to."""

import pytest
import torch

from robust_lib.errors import InputError
from robust_lib.models.wide_resnet import WideBlock, wide_resnet


def parameters(network):
    return sum(part.numel() for part in network.parameters())


def test_40_2_has_the_published_size():
    """2.2 million; its authors count 2,243,546 for ten classes."""
    assert parameters(wide_resnet(10)) == 2_243_546


def test_28_10_has_the_published_size():
    assert parameters(wide_resnet(10, depth=28, widen=10)) == 36_479_194


@pytest.mark.parametrize("stem", [1, 2])
def test_pictures_of_32_pixels_become_one_score_a_class(stem):
    network = wide_resnet(20, depth=10, stem=stem).eval()
    assert network(torch.zeros(2, 3, 32, 32)).shape == (2, 20)


@pytest.mark.parametrize("depth", [4, 12, 39])
def test_another_depth_is_refused(depth):
    with pytest.raises(InputError, match=f"depth of 6n \\+ 4 for wide_resnet.*got {depth}"):
        wide_resnet(10, depth=depth)


def test_a_block_that_adds_nothing_returns_what_came():
    block = WideBlock(4, 4, 1, 0.0).eval()
    torch.nn.init.zeros_(block.new[-1].weight)
    features = torch.randn(2, 4, 8, 8, generator=torch.Generator().manual_seed(0))
    kept = features.clone()
    assert torch.equal(block(features), kept)
    assert torch.equal(features, kept)


def test_a_shortcut_sees_what_is_activated_already():
    block = WideBlock(2, 4, 2, 0.0).eval()
    torch.nn.init.zeros_(block.new[-1].weight)
    assert torch.equal(block(-torch.ones(1, 2, 8, 8)), torch.zeros(1, 4, 4, 4))


def test_features_are_dropped_in_training_only():
    block = WideBlock(4, 4, 1, 0.5)
    torch.manual_seed(0)
    features = torch.randn(2, 4, 8, 8)
    block.eval()
    assert torch.equal(block(features), block(features))
    block.train()
    assert not torch.equal(block(features), block(features))
