"""The small networks: each is of its family, learns, and passes the check of classifiers."""

import pytest
import torch
from torch import nn
from torchvision.models.resnet import BasicBlock, Bottleneck

from robust_lib.config import manifests
from robust_lib.errors import InputError
from robust_lib.models import mini, torch_models
from robust_lib.models.contract import check_classifier
from robust_lib.preprocessing import Preprocessing
from tests.toys import Swatches, count

SIDES = (32, 56, 96)
ROWS = [name for name in manifests.model_names() if manifests.load_model(name).builder == "mini"]


def test_logits_for_pictures_of_other_sizes_than_64():
    for family in mini.FAMILIES:
        with torch.device("meta"):  # tensors without numbers
            network = mini.build(family, classes=7).eval()
            found = {side: network(torch.empty(2, 3, side, side)).shape for side in SIDES}
        assert found == dict.fromkeys(SIDES, (2, 7)), family


def test_families_keep_what_makes_them():
    alexnet, squeezenet, vgg11, vgg19, vgg19_bn, resnet18, resnet50 = (
        mini.build(family, classes=7)
        for family in (
            "alexnet", "squeezenet", "vgg11", "vgg19", "vgg19_bn", "resnet18", "resnet50",
        )
    )  # fmt: skip
    assert count(alexnet, nn.Conv2d) == 5
    assert (alexnet[0].kernel_size, alexnet[0].stride) == ((11, 11), (4, 4))
    assert count(alexnet, nn.Dropout) == 1
    assert count(squeezenet, mini.Fire) == 8
    assert count(squeezenet, nn.Linear) == 0
    assert [count(network, nn.Conv2d) for network in (vgg11, vgg19, vgg19_bn)] == [8, 16, 16]
    assert [count(network, nn.MaxPool2d) for network in (vgg11, vgg19)] == [5, 5]
    assert [count(network, nn.BatchNorm2d) for network in (vgg19, vgg19_bn)] == [0, 16]
    assert count(resnet18, BasicBlock) == 8
    assert count(resnet50, Bottleneck) == 16
    for network in (resnet18, resnet50):
        assert count(network, nn.Linear) == 1


def test_width_scales_the_network():
    for family in mini.FAMILIES:
        with torch.device("meta"):
            slim, wide = (mini.build(family, 10, width) for width in (8, 16))
        sizes = [sum(value.numel() for value in one.parameters()) for one in (slim, wide)]
        assert 2.5 < sizes[1] / sizes[0] < 4.2, family


def _is_shut(part):
    return isinstance(part, nn.BatchNorm2d) and not part.weight.any()


def _asleep(network):
    """Return the weights of blocks that start as the identity: at first only their gains learn."""
    return {
        part.weight
        for block in network.modules()
        if isinstance(block, BasicBlock | Bottleneck) and any(map(_is_shut, block.modules()))
        for name, part in block.named_modules()
        if isinstance(part, nn.Conv2d) and not name.startswith("downsample")
    }


def test_signals_neither_die_nor_explode_at_the_start():
    """Through sixteen plain layers, a badly scaled start leaves nothing to learn from."""
    for family in mini.FAMILIES:
        torch.manual_seed(0)
        network = mini.build(family, classes=10).train()
        logits = network((torch.rand(16, 3, 64, 64) - 0.5) / 0.25)
        assert 0.001 < logits.std() < 2, family
        nn.functional.cross_entropy(logits, torch.arange(16) % 10).backward()
        asleep = _asleep(network)
        awake = [value for value in network.parameters() if value.ndim > 1 and value not in asleep]
        awake += [part.weight for part in network.modules() if _is_shut(part)]
        norms = [value.grad.norm() for value in awake]
        assert all(torch.isfinite(norm) and norm > 1e-6 for norm in norms), family


@pytest.mark.parametrize("family", mini.FAMILIES)
def test_each_learns_the_swatches(family):
    torch.manual_seed(0)
    data = Swatches(count=18, side=64)
    images = torch.stack(
        [torch.from_numpy(data.read(at, Preprocessing(None, None))) for at in range(18)]
    )
    images = (images.permute(0, 3, 1, 2) / 255 - 0.5) / 0.25
    labels = torch.from_numpy(data.labels)
    network = mini.build(family, classes=3).train()
    optimiser = torch.optim.AdamW(network.parameters(), lr=1e-3)
    for step in range(60):
        loss = nn.functional.cross_entropy(network(images), labels)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        if step % 4 == 3:
            right = (network.eval()(images).argmax(1) == labels).float().mean()
            if right > 0.9:
                break
            network.train()
    assert right > 0.9


def test_there_is_a_row_for_each_family():
    families = {manifests.load_model(name).arguments["family"] for name in ROWS}
    assert families == set(mini.FAMILIES)


def test_each_row_makes_a_classifier_and_one_of_each_kind_keeps_the_contract():
    kinds = {}
    for name in ROWS:
        row = manifests.load_model(name)
        model = torch_models.load(name, source="random", outputs=12)
        assert model.name == name
        wrapper = row.wrapper and row.wrapper.name
        kinds.setdefault((row.arguments["family"], row.preprocessing, wrapper), model)
    for model in kinds.values():
        check_classifier(model)


def test_wrong_names_and_sizes():
    with pytest.raises(InputError, match="family to be one of alexnet, squeezenet"):
        mini.build("lenet", classes=3)
    with pytest.raises(InputError, match="classes=0"):
        mini.build("alexnet", classes=0)
    with pytest.raises(InputError, match="width=0"):
        mini.build("alexnet", classes=3, width=0)
