"""CondenseNet's relative: which channels a group sees, how many parameters are left."""

import pytest
import torch

from robust_lib.errors import InputError
from robust_lib.models.condensenet import Interleave, Layer, condensenet

IMAGES = torch.rand(2, 3, 48, 48, generator=torch.Generator().manual_seed(0))


def parameters(network):
    return sum(one.numel() for one in network.parameters())


def test_channels_are_dealt_out_one_by_one():
    dealt = Interleave(4)(torch.arange(12.0).view(1, 12, 1, 1)).flatten().tolist()
    assert dealt == [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]
    assert torch.equal(Interleave(1)(IMAGES), IMAGES)


def test_a_layer_appends_and_leaves_what_came():
    torch.manual_seed(0)
    layer = Layer(16, 8, 4).eval()
    features = torch.rand(2, 16, 6, 6)
    found = layer(features)
    assert found.shape == (2, 24, 6, 6)
    assert torch.equal(found[:, :16], features)


def test_each_new_channel_sees_one_in_so_many_of_the_old_ones():
    torch.manual_seed(0)
    layer = Layer(16, 8, 4).eval()
    features = torch.rand(1, 16, 6, 6, requires_grad=True)
    narrow = layer.narrow(features)
    (gradient,) = torch.autograd.grad(narrow[0, 0].sum(), features)
    seen = gradient.abs().sum((0, 2, 3)).nonzero().flatten().tolist()
    assert seen == [0, 4, 8, 12]


def test_the_more_it_is_condensed_the_fewer_parameters_are_left():
    sizes = [parameters(condensenet(64, condensation=number)) for number in (1, 4, 8)]
    assert sizes[0] > sizes[1] > sizes[2]
    layers = [Layer(32, 8, number) for number in (1, 4, 8)]
    convolutions = [sum(p.numel() for p in layer.parameters() if p.ndim == 4) for layer in layers]
    assert convolutions[0] == 4 * convolutions[1] == 8 * convolutions[2]


def test_every_parameter_learns():
    torch.manual_seed(0)
    network = condensenet(5, condensation=4)
    network(IMAGES).square().sum().backward()
    assert all(one.grad is not None and one.grad.any() for one in network.parameters())


def test_channels_that_cannot_be_parted_are_refused():
    with pytest.raises(InputError, match=r"multiple.*groups.*growth=8"):
        condensenet(10, condensation=3)
    with pytest.raises(InputError, match="condensation=0"):
        condensenet(10, condensation=0)
