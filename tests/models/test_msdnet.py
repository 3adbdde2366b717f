"""MSDNet: features at all scales, a classifier after every few layers, the last one answers."""

import pytest
import torch

from robust_lib.errors import InputError
from robust_lib.models.msdnet import FACTORS, Layer, msdnet


@pytest.fixture
def network():
    torch.manual_seed(0)
    return msdnet(7, layers=6, first=2, step=2, width=8, growth=4, head=16)


IMAGES = torch.rand(5, 3, 32, 32, generator=torch.Generator().manual_seed(1))


def test_training_gives_all_exits_and_evaluation_the_last(network):
    assert network.train()(IMAGES).shape == (3, 5, 7)
    asked = []
    for name, classifier in network.classifiers.items():
        classifier.register_forward_hook(lambda *_, name=name: asked.append(name))
    assert network.eval()(IMAGES).shape == (5, 7)
    assert asked == [list(network.classifiers)[-1]]  # the others cost nothing


def test_the_answer_is_that_of_the_last_exit(network):
    for part in network.modules():
        if isinstance(part, torch.nn.BatchNorm2d):
            part.track_running_stats, part.running_mean, part.running_var = False, None, None
    torch.testing.assert_close(network.train()(IMAGES)[-1], network.eval()(IMAGES))


def test_every_exit_teaches_what_comes_before_it(network):
    for at in range(3):
        network.zero_grad()
        network.train()(IMAGES)[at].square().sum().backward()
        heads = [classifier[-1].weight.grad for classifier in network.classifiers.values()]
        assert [bool(head.any()) for head in heads] == [place == at for place in range(3)]
        assert network.first[0][0].weight.grad.abs().sum() > 0


def seen_by_layers(network):
    shapes = []
    for layer in network.layers:
        layer.register_forward_hook(
            lambda _, __, out: shapes.append([tuple(scale.shape[1:3]) for scale in out])
        )
    network.eval()(IMAGES)
    return shapes


def test_scales_are_left_and_channels_grow_as_designed(network):
    """Six layers in thirds: the finest scale goes at the third and at the fifth layer."""
    shapes = seen_by_layers(network)
    assert shapes == [
        [(12, 32), (24, 16), (48, 8)],
        [(16, 32), (32, 16), (64, 8)],
        [(40, 16), (80, 8)],  # 20 channels a factor ...
        [(20, 16), (40, 8)],  # ... halved
        [(28, 16), (56, 8)],
        [(72, 8)],  # 18 channels a factor ...
        [(36, 8)],  # ... halved
        [(52, 8)],
    ]


def test_the_papers_size_has_eleven_exits_of_twenty_four_layers():
    network = msdnet(50)
    assert len(network.classifiers) == 11
    assert sum(isinstance(layer, Layer) for layer in network.layers) == 24
    # As the paper's code has it with these sizes, less the biases that normalisation undoes.
    assert sum(value.numel() for value in msdnet(10).parameters()) == 6_086_802


def test_half_of_what_is_new_comes_from_the_finer_scale():
    layer = Layer(width=8, growth=4, left=0, dropped=False).eval()
    features = [
        torch.rand(1, 8 * factor, 32 // 2**at, 32 // 2**at) for at, factor in enumerate(FACTORS)
    ]
    before = layer(features)
    changed = [torch.zeros_like(features[0]), *features[1:]]
    after = layer(changed)
    assert torch.equal(before[2], after[2])  # two scales away
    differs = (before[1] != after[1]).any(dim=3).any(dim=2)[0]
    assert not differs[:16].any()
    assert differs[16:20].any()  # from the finer scale
    assert not differs[20:].any()  # from its own


def test_exits_must_end_with_the_last_layer():
    with pytest.raises(InputError, match=r"layer 7.*2.*steps.*2"):
        msdnet(3, layers=7, first=2, step=2)
    with pytest.raises(InputError, match="they come after none"):
        msdnet(3, layers=3, first=5, step=2)
