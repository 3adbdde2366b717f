"""Shake-Shake: even in evaluation, random in training, keyed by torch's generator."""

import pytest
import torch

from robust_lib.models.shake_shake import Halving, Mix, ShakeBlock, shake_shake


@pytest.fixture
def block():
    torch.manual_seed(0)
    return ShakeBlock(4, 4, stride=1)


IMAGES = torch.randn(6, 4, 8, 8, generator=torch.Generator().manual_seed(1))


def branches(block):
    """What the two branches say, with the statistics of training."""
    return [branch(IMAGES).detach() for branch in block.branches]


def test_evaluation_takes_half_of_each_branch(block):
    block.eval()
    one, other = (branch(IMAGES) for branch in block.branches)
    torch.testing.assert_close(block(IMAGES), IMAGES + (one + other) / 2)
    assert torch.equal(block(IMAGES), block(IMAGES))


def test_training_mixes_each_pictures_branches_in_shares_that_sum_to_one(block):
    one, other = branches(block.train())
    torch.manual_seed(3)
    mixed = block(IMAGES).detach() - IMAGES - other
    shares = (mixed * (one - other)).sum((1, 2, 3)) / (one - other).square().sum((1, 2, 3))
    torch.testing.assert_close(mixed, shares[:, None, None, None] * (one - other))
    assert len(set(shares.tolist())) == 6
    assert ((shares > 0) & (shares < 1)).all()


def test_shares_are_uniform(block):
    one, other = branches(block.train())
    torch.manual_seed(0)
    found = []
    for _ in range(200):
        mixed = block(IMAGES).detach() - IMAGES - other
        found.append((mixed * (one - other)).sum((1, 2, 3)) / (one - other).square().sum((1, 2, 3)))
    shares = torch.cat(found)
    assert shares.mean() == pytest.approx(0.5, abs=0.03)
    assert shares.var() == pytest.approx(1 / 12, rel=0.1)


def test_the_way_back_has_shares_of_its_own():
    one, other = (torch.randn(2, 3, 2, 2, requires_grad=True) for _ in range(2))
    forth = torch.tensor([0.2, 0.9]).view(2, 1, 1, 1)
    back = torch.tensor([0.7, 0.1]).view(2, 1, 1, 1)
    mixed = Mix.apply(one, other, forth, back)
    torch.testing.assert_close(mixed, forth * one + (1 - forth) * other)
    mixed.sum().backward()
    torch.testing.assert_close(one.grad, back.expand_as(one))
    torch.testing.assert_close(other.grad, 1 - back.expand_as(one))


def test_the_seed_of_torchs_generator_decides_the_shares():
    def step(seed):
        torch.manual_seed(7)
        network = shake_shake(5, depth=8, width=8).train()
        torch.manual_seed(seed)
        logits = network(torch.ones(4, 3, 16, 16))
        logits.square().sum().backward()
        gradient = network[0].weight.grad
        return logits.detach(), gradient

    (one, down), (again, down_again), (other, down_other) = step(1), step(1), step(2)
    assert torch.equal(one, again)
    assert torch.equal(down, down_again)
    assert not torch.allclose(one, other)
    assert not torch.allclose(down, down_other)


def test_the_shortcut_sees_every_other_pixel_and_those_beside():
    shortcut = Halving(1).eval()
    torch.nn.init.ones_(shortcut.even.weight)
    torch.nn.init.ones_(shortcut.odd.weight)
    pixels = torch.arange(1.0, 17.0).view(1, 1, 4, 4)
    halved = shortcut(pixels).detach() * (1 + shortcut.normalise.eps) ** 0.5
    torch.testing.assert_close(halved[0, 0], torch.tensor([[1.0, 3.0], [9.0, 11.0]]))
    torch.testing.assert_close(halved[0, 1], torch.tensor([[6.0, 8.0], [14.0, 16.0]]))
    # Of an odd number of pixels, what would come in from beyond the edge is zero.
    assert shortcut(torch.ones(1, 1, 5, 5))[0, 1, 2, 2] == 0
