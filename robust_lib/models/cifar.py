"""The networks of the ICONS-50 experiments, for images of 32 pixels.

The paper names the versions that the authors of these networks built for CIFAR [inc, sec. 4.2]:
ResNet-20, DenseNet (L = 40, k = 24), ResNeXt-29 (8x32d), MSDNet, and Shake-Shake-26 2x96d. Each
keeps the full image size in its first stage and halves it twice. With a `stem` of 2, the first
layer halves it once more, at a quarter of the cost, for networks trained on a single processor
core.
"""

from collections.abc import Callable
from types import MappingProxyType

import torch
from torch import nn
from torchvision.models.resnet import BasicBlock, Bottleneck

from robust_lib.errors import InputError, one_of
from robust_lib.models.msdnet import msdnet
from robust_lib.models.shake_shake import shake_shake


def build(family: str, classes: int, **sizes: int | float) -> nn.Module:
    """Return an untrained network of a family, with weights from torch's global generator.

    Args:
        family: a key of `FAMILIES`.
        sizes: passed to the family's function, such as depth, width and stem.

    Raises:
        InputError: for an unknown family, or a depth that the family cannot have.

    >>> sum(p.numel() for p in build("resnet", classes=10).parameters())
    272474
    """
    if family not in FAMILIES:
        raise InputError(one_of("family", family, FAMILIES))
    network = FAMILIES[family](classes, **sizes)
    _initialise(network)
    return network


def resnet(classes: int, *, depth: int = 20, width: int = 16, stem: int = 1) -> nn.Module:
    """Return a ResNet for small images: three stages of basic blocks; depth is 6n + 2.

    Its shortcuts change the number of channels by a convolution, as in the paper's code, not by
    zero padding.
    """
    return _residual(BasicBlock, _blocks("resnet", depth, 6, 2), classes, width, stem)


def resnext(
    classes: int, *, depth: int = 29, cardinality: int = 8, width: int = 32, stem: int = 1
) -> nn.Module:
    """Return a ResNeXt for small images: bottlenecks of `cardinality` groups; depth is 9n + 2.

    8x32d means 8 groups of 32 channels in the first stage. The paper's code scales the whole
    network with that width, to half the channels of the published ResNeXt-29 8x64d.
    """
    blocks = _blocks("resnext", depth, 9, 2)
    return _residual(Bottleneck, blocks, classes, width, stem, groups=cardinality)


def densenet(
    classes: int,
    *,
    depth: int = 40,
    growth: int = 24,
    compression: float = 1.0,
    stem: int = 1,
) -> nn.Module:
    """Return a DenseNet with bottlenecks for small images: three dense blocks; depth is 6n + 4.

    A transition keeps the fraction `compression` of the channels. The paper's network has no
    compression.
    """
    blocks = _blocks("densenet", depth, 6, 4)
    channels = 2 * growth
    layers: list[nn.Module] = [nn.Conv2d(3, channels, 3, stride=stem, padding=1, bias=False)]
    for stage in range(3):
        for _ in range(blocks):
            layers.append(DenseLayer(channels, growth))
            channels += growth
        if stage < 2:
            kept = int(channels * compression)
            layers += [*_activated(channels), nn.Conv2d(channels, kept, 1, bias=False)]
            layers.append(nn.AvgPool2d(2))
            channels = kept
    return nn.Sequential(*layers, *_activated(channels), *_head(channels, classes))


class DenseLayer(nn.Module):
    """A layer that appends `growth` channels to its input, through a bottleneck."""

    def __init__(self, inputs: int, growth: int) -> None:
        super().__init__()
        self.new = nn.Sequential(
            *_activated(inputs),
            nn.Conv2d(inputs, 4 * growth, 1, bias=False),
            *_activated(4 * growth),
            nn.Conv2d(4 * growth, growth, 3, padding=1, bias=False),
        )

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return the input features with the new ones appended."""
        return torch.cat((features, self.new(features)), 1)


FAMILIES = MappingProxyType[str, Callable[..., nn.Module]](
    {
        "resnet": resnet,
        "densenet": densenet,
        "resnext": resnext,
        "msdnet": msdnet,
        "shake_shake": shake_shake,
    }
)


def _residual(
    block: type[BasicBlock | Bottleneck],
    blocks: int,
    classes: int,
    width: int,
    stem: int,
    groups: int = 1,
) -> nn.Module:
    layers: list[nn.Module] = [
        nn.Conv2d(3, width, 3, stride=stem, padding=1, bias=False),
        nn.BatchNorm2d(width),
        nn.ReLU(inplace=True),
    ]
    inputs = width
    for stage in range(3):
        planes, outputs = width * 2**stage, width * 2**stage * block.expansion
        for index in range(blocks):
            stride = 2 if stage > 0 and index == 0 else 1
            shortcut = None
            if inputs != outputs:
                shortcut = nn.Sequential(
                    nn.Conv2d(inputs, outputs, 1, stride=stride, bias=False),
                    nn.BatchNorm2d(outputs),
                )
            # With a base width of 64, torchvision's bottleneck has `planes` channels a group.
            layers.append(block(inputs, planes, stride, shortcut, groups=groups, base_width=64))
            inputs = outputs
    return nn.Sequential(*layers, *_head(inputs, classes))


def _activated(channels: int) -> tuple[nn.Module, nn.Module]:
    return nn.BatchNorm2d(channels), nn.ReLU(inplace=True)


def _head(channels: int, classes: int) -> tuple[nn.Module, ...]:
    return nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, classes)


def _blocks(family: str, depth: int, each: int, besides: int) -> int:
    blocks, rest = divmod(depth - besides, each)
    if rest or blocks < 1:
        raise InputError(
            f"Expected a depth of {each}n + {besides} for {family}, such as {each + besides}, but "
            f"got {depth}."
        )
    return blocks


def _initialise(network: nn.Module) -> None:
    """Draw convolutions as the paper's code does: normal, scaled to the fan of their outputs."""
    for part in network.modules():
        if isinstance(part, nn.Conv2d):
            nn.init.kaiming_normal_(part.weight, mode="fan_out", nonlinearity="relu")
        elif isinstance(part, nn.Linear):
            nn.init.zeros_(part.bias)
