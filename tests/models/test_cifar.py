"""The networks of the ICONS-50 experiments: sizes as published, and slim ones that learn."""

import pytest
import torch
from torch import nn

from robust_lib.config import manifests
from robust_lib.errors import InputError
from robust_lib.models import cifar, torch_models
from robust_lib.models.contract import check_classifier
from robust_lib.preprocessing import Preprocessing
from tests.toys import Swatches, count

ROWS = {
    name: manifests.load_model(name)
    for name in manifests.model_names()
    if manifests.load_model(name).builder == "cifar"
}
SLIM = sorted(name for name in ROWS if name.endswith("_mini"))
PAPERS = sorted(set(ROWS) - set(SLIM))


def parameters(network):
    return sum(value.numel() for value in network.parameters())


def build(name, classes=50, device="cpu"):
    with torch.device(device):  # "meta": tensors without numbers
        return cifar.build(classes=classes, **ROWS[name].arguments)


@pytest.mark.parametrize(
    ("family", "sizes", "published", "digits"),
    [
        ("resnet", {"depth": 20, "width": 16}, 0.27e6, 1e4),
        ("resnet", {"depth": 56, "width": 16}, 0.85e6, 1e4),
        ("resnet", {"depth": 110, "width": 16}, 1.7e6, 1e5),
        ("resnext", {"depth": 29, "cardinality": 8, "width": 64}, 34.4e6, 1e5),
        ("resnext", {"depth": 29, "cardinality": 16, "width": 64}, 68.1e6, 2e5),
        ("densenet", {"depth": 100, "growth": 12, "compression": 0.5}, 0.77e6, 1e4),
        # Gastaldi's first layer has 16 channels where the paper's code has as many as its stage.
        ("shake_shake", {"depth": 26, "width": 32}, 2.9e6, 1e5),
        ("shake_shake", {"depth": 26, "width": 96}, 26.2e6, 3e5),
    ],
)
def test_sizes_are_those_published_for_cifar_10(family, sizes, published, digits):
    with torch.device("meta"):  # tensors without numbers
        network = cifar.build(family, classes=10, **sizes)
    size = parameters(network)
    if family == "resnet":  # the published shortcuts have no weights
        size -= sum(parameters(part) for name, part in projections(network))
    assert size == pytest.approx(published, abs=digits / 2)


def projections(network):
    return [(n, part) for n, part in network.named_modules() if n.endswith("downsample")]


def convolution(inputs, outputs, kernel, groups=1):
    return inputs * outputs * kernel**2 // groups


def densenet_by_hand(growth, blocks, classes):
    channels, total = 2 * growth, convolution(3, 2 * growth, 3)
    for stage in range(3):
        for _ in range(blocks):
            total += 2 * channels + convolution(channels, 4 * growth, 1)
            total += 8 * growth + convolution(4 * growth, growth, 3)
            channels += growth
        total += 2 * channels  # the normalisation of a transition, or of the end
        if stage < 2:
            total += convolution(channels, channels, 1)
    return total + (channels + 1) * classes


def resnext_by_hand(width, cardinality, blocks, classes):
    total, inputs = convolution(3, width, 3) + 2 * width, width
    for stage in range(3):
        between, outputs = cardinality * width * 2**stage, 4 * width * 2**stage
        for index in range(blocks):
            total += convolution(inputs, between, 1) + convolution(between, outputs, 1)
            total += convolution(between, between, 3, cardinality) + 4 * between + 2 * outputs
            if index == 0:
                total += convolution(inputs, outputs, 1) + 2 * outputs
            inputs = outputs
    return total + (inputs + 1) * classes


def test_sizes_of_the_papers_two_that_nobody_publishes():
    densenet, resnext = (build(n, device="meta") for n in ("densenet40_k24", "resnext29_8x32d"))
    assert parameters(densenet) == densenet_by_hand(24, 6, 50) == 998_354
    assert parameters(resnext) == resnext_by_hand(32, 8, 3, 50) == 8_644_562


def test_depth_is_the_number_of_weighted_layers_on_the_way():
    def depth(network):
        """Convolutions and linear layers; a projection lies beside the way."""
        layers = count(network, nn.Conv2d) + count(network, nn.Linear)
        return layers - len(projections(network))

    wanted = {"resnet20": 20, "resnext29_8x32d": 29, "densenet40_k24": 40}
    assert {name: depth(build(name, device="meta")) for name in wanted} == wanted


def test_each_stage_halves_the_picture_once():
    sides = []
    for name in ("resnet20", "resnext29_8x32d", "densenet40_k24", "shake_shake_mini"):
        network = build(name, device="meta").eval()
        pool = next(part for part in network.modules() if isinstance(part, nn.AdaptiveAvgPool2d))
        pool.register_forward_hook(lambda _, inputs, __: sides.append(inputs[0].shape[-1]))
        network(torch.empty(1, 3, 32, 32, device="meta"))
    assert sides == [8, 8, 8, 4]


def test_a_stride_in_the_stem_quarters_the_work_alone():
    one, two = (cifar.build("resnet", 5, depth=8, width=8, stem=stem).eval() for stem in (1, 2))
    assert parameters(one) == parameters(two)
    two.load_state_dict(one.state_dict())
    assert two[0](torch.rand(1, 3, 32, 32)).shape[-1] == 16


def test_dense_layers_keep_what_came_before():
    layer = cifar.DenseLayer(6, 4).eval()
    features = torch.rand(2, 6, 8, 8)
    assert torch.equal(layer(features)[:, :6], features)
    assert layer(features).shape[1] == 10


def test_there_is_a_slim_relative_of_each():
    assert PAPERS == ["densenet40_k24", "msdnet", "resnet20", "resnext29_8x32d", "shake_shake"]
    assert {f"{name}_mini" for name in PAPERS} == set(SLIM)
    for name in PAPERS:
        large, slim = (ROWS[row].arguments["family"] for row in (name, f"{name}_mini"))
        assert large == slim
        assert parameters(build(f"{name}_mini", device="meta")) < 0.4e6
        assert ROWS[name].mean == (0, 0, 0)
        assert ROWS[name].std == (1, 1, 1)


def test_each_row_makes_a_classifier_of_icons_and_the_slim_ones_keep_the_contract():
    for name in PAPERS:
        found = build(name, device="meta").eval()(torch.empty(2, 3, 32, 32, device="meta"))
        assert found.shape == (2, 50), name
        assert ROWS[name].classes == "icons50", name
    for name in SLIM:
        model = torch_models.load(name, source="random")
        assert (model.name, model.outputs, model.classes) == (name, 50, "icons50")
        check_classifier(model)


@pytest.mark.parametrize("name", SLIM)
def test_each_slim_one_learns_the_swatches(name):
    torch.manual_seed(0)
    data = Swatches(count=24, side=32)
    images = torch.stack(
        [torch.from_numpy(data.read(at, Preprocessing(None, None))) for at in range(24)]
    )
    images = (images.permute(0, 3, 1, 2) / 255 - 0.5) / 0.25
    labels = torch.from_numpy(data.labels)
    network = build(name, classes=3).train()
    optimiser = torch.optim.SGD(network.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    for step in range(40):
        logits = network(images)
        exits = logits if logits.ndim == 3 else logits[None]
        loss = torch.stack([nn.functional.cross_entropy(one, labels) for one in exits]).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if step % 10 == 9:
            right = (network.eval()(images).argmax(1) == labels).float().mean()
            if right > 0.9:
                break
            network.train()
    assert right > 0.9


def test_signals_neither_die_nor_explode_at_the_start():
    for name in SLIM:
        torch.manual_seed(0)
        network = build(name).train()
        logits = network((torch.rand(16, 3, 32, 32) - 0.5) / 0.25)
        assert 0.001 < logits.std() < 10, name
        exits = logits if logits.ndim == 3 else logits[None]
        sum(nn.functional.cross_entropy(one, torch.arange(16)) for one in exits).backward()
        gradients = [value.grad.norm() for value in network.parameters() if value.ndim > 1]
        assert all(torch.isfinite(norm) and norm > 1e-6 for norm in gradients), name


def test_wrong_names_and_sizes():
    with pytest.raises(InputError, match="family to be one of resnet, densenet, resnext"):
        cifar.build("lenet", classes=3)
    for family, depth, rule in (
        ("resnet", 21, r"6n \+ 2"),
        ("resnext", 30, r"9n \+ 2"),
        ("densenet", 41, r"6n \+ 4"),
        ("shake_shake", 27, r"6n \+ 2"),
        ("resnet", 2, r"6n \+ 2"),
    ):
        with pytest.raises(InputError, match=f"depth of {rule} for {family}.* got {depth}"):
            cifar.build(family, classes=3, depth=depth)
