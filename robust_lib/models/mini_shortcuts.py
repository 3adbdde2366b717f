"""Small networks with shortcuts: residual, grouped, recalibrated, dense, and dual-path.

ResNet adds a block's output to its input; ResNeXt divides the block's middle convolution into
groups; squeeze-and-excitation scales each channel depending on the whole image; DenseNet appends
instead of adding; a dual-path network does both. The families are those of [nae, sec. 5.2], which
compares a smaller and a larger network of each: here, too, the larger network has more or wider
blocks. There are few groups, because narrow groups cost a processor more time than they save; first
stages are short, because their blocks cost three times as much as those of the third.
"""

from collections.abc import Sequence

import torch
from torch import nn
from torchvision.models import DenseNet
from torchvision.models.resnet import BasicBlock, Bottleneck
from torchvision.ops import SqueezeExcitation

SQUEEZE = 16  # times fewer channels between the two layers that weigh channels


def resnet18(classes: int, width: int) -> nn.Module:
    """Return a network like ResNet-18: four stages of two basic blocks."""
    return _resnet(BasicBlock, (2, 2, 2, 2), classes, width)


def resnet34(classes: int, width: int) -> nn.Module:
    """Return a network like ResNet-34: 3, 4, 6 and 3 basic blocks, which start as the identity."""
    network = _resnet(BasicBlock, (3, 4, 6, 3), classes, width)
    for part in network.modules():
        if isinstance(part, BasicBlock):
            nn.init.zeros_(part.bn2.weight)
    return network


def resnet50(classes: int, width: int) -> nn.Module:
    """Return a network like ResNet-50: four stages of 3, 4, 6 and 3 bottleneck blocks."""
    return _resnet(Bottleneck, (3, 4, 6, 3), classes, width)


def resnet152(classes: int, width: int, *, se: bool = False) -> nn.Module:
    """Return a network like ResNet-152: twenty bottlenecks, most of them in the third stage.

    Args:
        se: whether every block has squeeze-and-excitation.
    """
    return _resnet(Bottleneck, (1, 3, 14, 2), classes, width, se=se)


def resnext50(classes: int, width: int) -> nn.Module:
    """Return a network like ResNeXt-50 (32x4d): nine bottlenecks in four groups."""
    return _resnet(Bottleneck, (1, 2, 4, 2), classes, width, groups=4)


def resnext101(classes: int, width: int, *, groups: int = 4, se: bool = False) -> nn.Module:
    """Return a network like ResNeXt-101: 13 bottlenecks in four groups (32x4d) or eight.

    Args:
        groups: number of groups; twice as many make the middle convolutions twice as wide (64x4d).
        se: whether every block has squeeze-and-excitation.
    """
    return _resnet(Bottleneck, (1, 3, 7, 2), classes, width, groups=groups, se=se)


def densenet121(classes: int, width: int) -> nn.Module:
    """Return a network like DenseNet-121: four dense blocks; a layer uses all layers before it."""
    network: nn.Module = DenseNet(
        growth_rate=width,
        block_config=(2, 3, 4, 3),
        num_init_features=2 * width,
        bn_size=2,
        num_classes=classes,
    )
    return network


def dpn68(classes: int, width: int) -> nn.Module:
    """Return a network like DPN-68: six dual-path blocks, as narrow as in that network."""
    return _dual_path((1, 2, 2, 1), classes, width, kept=2)


def dpn98(classes: int, width: int) -> nn.Module:
    """Return a network like DPN-98: eight dual-path blocks, with 1.5 times the added channels."""
    return _dual_path((1, 2, 4, 1), classes, width, kept=3)


class DualPath(nn.Module):
    """A bottleneck that adds one part of its output to its input and appends the other part.

    Args:
        middle: channels of its 3x3 convolution, which has four groups.
        kept: number of channels that are added.
        grown: number of channels that are appended.
        stride: stride of its 3x3 convolution.
        begins: whether it begins a stage; a convolution then adapts its input to the stage's size.
    """

    def __init__(
        self, inputs: int, middle: int, kept: int, grown: int, stride: int, *, begins: bool
    ) -> None:
        super().__init__()
        self.kept = kept
        self.shortcut = (
            nn.Sequential(*_activated(inputs, kept + 2 * grown, 1, stride)) if begins else None
        )
        self.body = nn.Sequential(
            *_activated(inputs, middle, 1),
            *_activated(middle, middle, 3, stride, groups=4),
            *_activated(middle, kept + grown, 1),
        )

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return the sum in the added channels, the appended ones so far, and the new ones."""
        old = features if self.shortcut is None else self.shortcut(features)
        new = self.body(features)
        added = old[:, : self.kept] + new[:, : self.kept]
        return torch.cat([added, old[:, self.kept :], new[:, self.kept :]], 1)


def _resnet(
    block: type[BasicBlock | Bottleneck],
    depths: Sequence[int],
    classes: int,
    width: int,
    *,
    groups: int = 1,
    se: bool = False,
) -> nn.Module:
    """Return stages of residual blocks; those with groups have `groups` x width/4 channels each."""
    layers = _stem(width)
    inputs = width
    for stage, depth in enumerate(depths):
        planes, outputs = width * 2**stage, width * 2**stage * block.expansion
        for index in range(depth):
            stride = 2 if stage > 0 and index == 0 else 1
            shortcut = None
            if stride != 1 or inputs != outputs:
                shortcut = nn.Sequential(
                    nn.Conv2d(inputs, outputs, kernel_size=1, stride=stride, bias=False),
                    nn.BatchNorm2d(outputs),
                )
            share = 64 if groups == 1 else 16  # of 64: what a group has of the stage's channels
            made = block(inputs, planes, stride, shortcut, groups=groups, base_width=share)
            if se:
                made.bn3 = nn.Sequential(made.bn3, _excitation(outputs))
            layers.append(made)
            inputs = outputs
    return nn.Sequential(*layers, *_head(inputs, classes))


def _dual_path(depths: Sequence[int], classes: int, width: int, kept: int) -> nn.Module:
    """Return stages of dual-path blocks; `kept` widths are added to in the first stage."""
    layers = _stem(width)
    inputs = width
    for stage, depth in enumerate(depths):
        scale = 2**stage
        added, grown = kept * width * scale, width * max(1, scale // 2) // 2
        for index in range(depth):
            stride = 2 if stage > 0 and index == 0 else 1
            layers.append(
                DualPath(inputs, 2 * width * scale, added, grown, stride, begins=index == 0)
            )
            inputs = (added + 2 * grown if index == 0 else inputs) + grown
    return nn.Sequential(
        *layers, nn.BatchNorm2d(inputs), nn.ReLU(inplace=True), *_head(inputs, classes)
    )


def _stem(width: int) -> list[nn.Module]:
    return [
        nn.Conv2d(3, width, kernel_size=7, stride=2, padding=3, bias=False),
        nn.BatchNorm2d(width),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(kernel_size=3, stride=2, padding=1),
    ]


def _head(inputs: int, classes: int) -> tuple[nn.Module, ...]:
    return nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, classes)


def _excitation(channels: int) -> nn.Module:
    excitation: nn.Module = SqueezeExcitation(channels, max(8, channels // SQUEEZE))
    return excitation


def _activated(
    inputs: int, outputs: int, kernel: int, stride: int = 1, groups: int = 1
) -> tuple[nn.Module, ...]:
    """Return a convolution of what is normalised and rectified first."""
    return (
        nn.BatchNorm2d(inputs),
        nn.ReLU(inplace=True),
        nn.Conv2d(inputs, outputs, kernel, stride, padding=kernel // 2, groups=groups, bias=False),
    )
