"""A deepened network says what the shallow one says, and can learn to say something else."""

from itertools import permutations

import pytest
import torch
from torch import nn

from robust_lib.models import mini
from robust_lib.models.deepen import deepened, is_deeper


@pytest.fixture
def networks():
    torch.manual_seed(0)
    return mini.build("vgg11", 7).eval(), mini.build("vgg19", 7).eval()


def test_the_deep_network_says_what_the_shallow_one_says(networks):
    shallow, deep = networks
    images = torch.rand(4, 3, 64, 64)
    assert not torch.allclose(deep(images), shallow(images), atol=1e-3)
    deep.load_state_dict(deepened(shallow, deep))
    assert torch.allclose(deep(images), shallow(images), atol=1e-5)


def test_every_layer_of_it_learns(networks):
    shallow, deep = networks
    deep.load_state_dict(deepened(shallow, deep))
    nn.functional.cross_entropy(deep(torch.rand(4, 3, 64, 64)), torch.arange(4)).backward()
    assert all(one.grad.abs().max() > 0 for one in deep.parameters() if one.ndim == 4)


def test_no_other_network_of_the_miniature_is_a_deeper_one():
    networks = {family: mini.build(family, 7) for family in mini.FAMILIES}
    pairs = permutations(networks, 2)
    found = [pair for pair in pairs if is_deeper(*(networks[one] for one in pair))]
    assert found == [("vgg19", "vgg11")]
