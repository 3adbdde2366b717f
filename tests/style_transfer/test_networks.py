"""Encoder and decoder: the layouts of the public files, and pictures through both."""

import pytest
import torch

from robust_lib.style_transfer.adain import adain
from robust_lib.style_transfer.networks import LAYERS, decoder, encoder, first_layers, restyled
from tests.trees import DECODER, VGG

USED = {place: channels for place, channels in VGG.items() if place < LAYERS}


@pytest.mark.parametrize(("network", "layers"), [(encoder, USED), (decoder, DECODER)])
def test_weights_are_named_by_the_places_of_the_public_files(network, layers):
    state = network().state_dict()
    assert {int(name.partition(".")[0]) for name in state} == set(layers)
    for place, channels in layers.items():
        assert state[f"{place}.weight"].shape[:2] == channels


def test_the_whole_vgg_is_cut_after_relu4_1():
    whole = {f"{place}.weight": torch.zeros(1) for place in VGG}
    assert list(first_layers(whole)) == [f"{place}.weight" for place in USED]
    assert list(first_layers({"conv.weight": torch.zeros(1)})) == ["conv.weight"]


@pytest.mark.parametrize("size", [(32, 32), (20, 27)])
def test_pictures_keep_their_size_and_lie_in_range(size):
    found = restyled(torch.rand(2, 3, *size), torch.rand(2, 3, 16, 24), 1.0, encoder(), decoder())
    assert found.shape == (2, 3, *size)
    assert not found.requires_grad
    assert 0 <= float(found.min()) <= float(found.max()) <= 1


def test_the_features_between_have_the_styles_statistics():
    torch.manual_seed(0)
    encode, seen = encoder(), []

    class Keep(torch.nn.Module):
        def forward(self, features):
            seen.append(features)
            return decoder()(features)

    content, style = torch.rand(1, 3, 32, 32), torch.rand(1, 3, 48, 48)
    restyled(content, style, 0.6, encode, Keep())
    with torch.no_grad():
        assert torch.allclose(seen[0], adain(encode(content), encode(style), 0.6))
        assert encode(content).shape == (1, 512, 4, 4)
