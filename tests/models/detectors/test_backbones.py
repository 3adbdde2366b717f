"""Backbones: the classifier's own layers, by the same names, at the resolutions that are said."""

import pytest
import torch

from robust_lib.errors import InputError
from robust_lib.models import mini
from robust_lib.models.detectors.backbones import OneLevel, Pyramid, SmallBody, dilated_resnet


@pytest.mark.parametrize("family", ["resnet18", "resnet50", "resnet152"])
def test_a_body_is_the_classifier_without_its_last_layer(family):
    torch.manual_seed(0)
    classifier = mini.build(family, 5, 8).eval()
    body = SmallBody(family, 8).eval()
    state = classifier.state_dict()
    body.load_state_dict({name: state[name] for name in body.state_dict()})
    left = set(state) - set(body.state_dict())
    assert {name.rpartition(".")[2] for name in left} == {"weight", "bias"}  # of the last layer
    images = torch.rand(2, 3, 64, 64)
    features = body(images)["2"].mean((2, 3))
    assert torch.allclose(classifier[-1](features), classifier(images), atol=1e-5)


@pytest.mark.parametrize("family", ["resnet18", "resnet50"])
def test_levels_are_an_eighth_a_sixteenth_and_a_thirty_second(family):
    body = SmallBody(family, 8)
    levels = body(torch.zeros(1, 3, 128, 96))
    assert [tuple(one.shape[2:]) for one in levels.values()] == [(16, 12), (8, 6), (4, 3)]
    assert tuple(one.shape[1] for one in levels.values()) == body.channels


def test_a_dilated_body_has_the_same_weights_at_twice_the_resolution():
    plain, dilated = SmallBody("resnet50", 8), SmallBody("resnet50", 8, dilated=True)
    dilated.load_state_dict(plain.state_dict())
    levels = dilated(torch.zeros(1, 3, 128, 128))
    assert [one.shape[2] for one in levels.values()] == [16, 8, 8]
    # Of a picture without detail, it is the same at the middle of each.
    flat = torch.ones(1, 3, 512, 512)
    one, other = plain.eval()(flat)["2"], dilated.eval()(flat)["2"]
    assert torch.allclose(one[..., 8, 8], other[..., 16, 16], atol=1e-4)


@pytest.mark.parametrize("family", ["alexnet", "densenet121", "vgg11"])
def test_families_without_residual_stages(family):
    with pytest.raises(InputError, match=f"{family} is none. Name a ResNet"):
        SmallBody(family)


def test_a_pyramid_and_one_level_have_the_channels_they_say():
    body = SmallBody("resnet18", 8)
    assert {
        one.shape[1] for one in Pyramid(body, body.channels, 12)(torch.zeros(1, 3, 64, 64)).values()
    } == {12}
    level = OneLevel(body, body.channels[-1], 12)(torch.zeros(1, 3, 64, 64))
    assert [(name, one.shape[1]) for name, one in level.items()] == [("0", 12)]


def test_the_real_backbone_keeps_a_sixteenth_and_freezes_what_is_early():
    body = dilated_resnet("resnet50")
    assert body(torch.zeros(1, 3, 64, 64))["0"].shape == (1, 2048, 4, 4)
    learning = {
        name.partition(".")[0] for name, one in body.named_parameters() if one.requires_grad
    }
    assert learning == {"layer2", "layer3", "layer4"}
