"""Small networks with shortcuts: what is added, appended, grouped and weighed, and how often."""

import pytest
import torch
from torch import nn
from torchvision.models.resnet import BasicBlock, Bottleneck
from torchvision.ops import SqueezeExcitation

from robust_lib.models import mini
from robust_lib.models import mini_shortcuts as shortcuts
from robust_lib.models.mini_shortcuts import DualPath
from tests.toys import count


def groups(network):
    return {part.groups for part in network.modules() if isinstance(part, nn.Conv2d)}


def test_larger_ones_of_a_family_are_deeper_or_wider():
    small, large, recalibrated = (
        mini.build(family, classes=7) for family in ("resnet34", "resnet152", "resnet152_se")
    )
    assert (count(small, BasicBlock), count(small, Bottleneck)) == (16, 0)
    assert count(large, Bottleneck) == count(recalibrated, Bottleneck) == 20
    assert [count(network, SqueezeExcitation) for network in (large, recalibrated)] == [0, 20]
    names = ("resnext50_32x4d", "resnext101_32x4d", "resnext101_32x4d_se", "resnext101_64x4d")
    networks = [mini.build(name, classes=7) for name in names]
    assert [count(network, Bottleneck) for network in networks] == [9, 13, 13, 13]
    assert [groups(network) for network in networks] == [{1, 4}, {1, 4}, {1, 4}, {1, 8}]
    assert [count(network, SqueezeExcitation) for network in networks] == [0, 0, 13, 0]
    narrow, wide = (networks[place][4].conv2 for place in (1, 3))
    assert wide.out_channels == 2 * narrow.out_channels
    slim, large = (mini.build(name, classes=7) for name in ("dpn68", "dpn98"))
    assert [count(network, DualPath) for network in (slim, large)] == [6, 8]


def test_a_dual_path_adds_to_some_channels_and_appends_others():
    torch.manual_seed(0)
    block = DualPath(40, middle=16, kept=32, grown=8, stride=1, begins=False).eval()
    features = torch.rand(2, 40, 6, 6)
    made, new = block(features), block.body(features)
    assert made.shape == (2, 48, 6, 6)
    assert torch.equal(made[:, :32], features[:, :32] + new[:, :32])
    assert torch.equal(made[:, 32:40], features[:, 32:])
    assert torch.equal(made[:, 40:], new[:, 32:])
    first = DualPath(40, middle=16, kept=64, grown=8, stride=2, begins=True)
    assert first(features).shape == (2, 64 + 3 * 8, 3, 3)


def test_a_dense_block_appends_what_each_layer_grows():
    # 16 channels; 2, 3, 4 and 3 layers grow 8 each; after every block but the last, half of them.
    channels = 16
    for layers in (2, 3, 4):
        channels = (channels + 8 * layers) // 2
    network = shortcuts.densenet121(classes=7, width=8)
    assert network.classifier.in_features == channels + 8 * 3 == 50


def test_the_blocks_of_a_resnet34_start_as_the_identity():
    network = shortcuts.resnet34(classes=7, width=8).eval()
    features = torch.rand(2, 8, 6, 6)
    plain = [part for part in network if isinstance(part, BasicBlock) and part.downsample is None]
    assert len(plain) == 16 - 3  # the first of each later stage brings its input to a new size
    assert torch.equal(plain[0](features), features)


@pytest.mark.parametrize(
    ("make", "outputs"),
    [(shortcuts.resnet18, 64), (shortcuts.resnet50, 256), (shortcuts.resnet152, 256)],
)
def test_widths_double_from_stage_to_stage_and_bottlenecks_end_four_times_as_wide(make, outputs):
    network = make(classes=7, width=8)
    assert network[-1].in_features == outputs
    blocks = [part for part in network if isinstance(part, BasicBlock | Bottleneck)]
    assert sum(part.stride == 2 for part in blocks) == 3
