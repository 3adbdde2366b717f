"""What enters the last layer: the pooled features, of every family, and clear words where none."""

import pytest
import torch
from torch import nn

from robust_lib.errors import ModelError
from robust_lib.models import builders, mini
from robust_lib.models.adapter import TorchClassifier, wrap_callable
from robust_lib.models.embedding import embedded, last_layer
from robust_lib.preprocessing import Preprocessing

SEEN = Preprocessing(None, None)


def network(module, outputs=10):
    return TorchClassifier(
        module=module, name="net", classes="toys", outputs=outputs, preprocessing=SEEN
    )


def pictures(count=3, side=64):
    return torch.rand(count, 3, side, side, generator=torch.Generator().manual_seed(0))


def test_the_last_layer_makes_the_logits_of_what_is_caught():
    for family in mini.FAMILIES:
        torch.manual_seed(0)
        model = network(mini.build(family, 10))
        layer, found = last_layer(model), embedded(model, pictures())
        weights = layer.weight.reshape(10, -1)
        assert found.shape == (3, weights.shape[1]), family
        # The mean of a linear layer's answers is its answer to the mean.
        with torch.inference_mode():
            own, logits = found @ weights.T + layer.bias, model(pictures())
        assert torch.allclose(own, logits, rtol=1e-5, atol=1e-5), family


def test_a_residual_network_gives_its_global_average():
    torch.manual_seed(0)
    module = mini.build("resnet50", 10)
    model = network(module)
    before = nn.Sequential(*list(module.children())[:-3])
    with torch.inference_mode():
        normalised = (pictures() - 0.45) / 0.22
    plain = TorchClassifier(
        module=module, name="n", classes="toys", outputs=10, preprocessing=SEEN,
        mean=(0.45,) * 3, std=(0.22,) * 3,
    )  # fmt: skip
    with torch.inference_mode():
        expected = before(normalised).mean((2, 3))
    torch.testing.assert_close(embedded(plain, pictures()), expected)
    assert embedded(model, pictures(side=96)).shape[1] == expected.shape[1]  # of any size


def test_bit_resnet50_has_2048_numbers_and_a_convolution_for_a_last_layer():
    torch.manual_seed(0)
    model = network(builders.build("timm", {"name": "resnetv2_50x1_bit"}, 7), outputs=7)
    layer = last_layer(model)
    assert isinstance(layer, nn.Conv2d)
    found = embedded(model, pictures(1))
    assert found.shape == (1, 2048)
    assert (found >= 0).all()  # after the last rectifier


def test_the_network_is_left_as_it_was():
    model = network(mini.build("resnet18", 10))
    before = model.fingerprint
    embedded(model, pictures())
    assert not last_layer(model)._forward_pre_hooks
    assert model.fingerprint == before


def test_a_layer_inside_the_network_is_not_taken_for_the_last():
    inside = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(3, 5), nn.Linear(5, 4))
    assert last_layer(network(inside, 4)).in_features == 5


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (wrap_callable(lambda x: x.mean((2, 3)), "mine", "toys", SEEN), "TorchClassifier"),
        (network(nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten()), 3), "has none"),
    ],
)
def test_networks_without_a_last_linear_layer_are_refused(model, words):
    with pytest.raises(ModelError, match=words):
        embedded(model, pictures())


class Tokens(nn.Module):
    def __init__(self, times):
        super().__init__()
        self.head, self.times = nn.Linear(3, 2), times

    def forward(self, images):
        answers = [self.head(images.flatten(2).transpose(1, 2)) for _ in range(self.times)]
        return sum(answer.mean(1) for answer in answers) if answers else images.mean((2, 3))[:, :2]


@pytest.mark.parametrize(("times", "words"), [(1, r"\(2, 16, 3\)"), (0, "nothing")])
def test_what_is_no_vector_an_image_is_refused(times, words):
    with pytest.raises(ModelError, match=words):
        embedded(network(Tokens(times), 2), pictures(2, side=4))
