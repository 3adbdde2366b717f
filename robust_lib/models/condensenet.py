"""A network like CondenseNet: dense layers whose convolutions use a part of their channels.

A layer of CondenseNet reduces the outputs of all earlier layers by a 1x1 convolution in G groups,
which keeps only one in C connections, and appends channels by a 3x3 convolution in G groups; later
stages append more. CondenseNet learns which connections to keep and prunes the others during
training. Here they are pruned from the start: each group uses every C-th channel, with a different
start in each group. [inc, sec. 3.4] uses C = G = 4 and C = G = 8.
"""

from collections.abc import Sequence

import torch
from torch import nn

from robust_lib.errors import InputError

BOTTLENECK = 2  # channels between both convolutions, times those that a layer adds


def condensenet(
    classes: int,
    *,
    condensation: int,
    depths: Sequence[int] = (2, 3, 4),
    growth: int = 8,
) -> nn.Module:
    """Return a network like CondenseNet.

    Args:
        condensation: number of groups of a convolution; also, one in this many connections is kept.
        growth: number of channels that a layer of the first stage appends; it doubles with each
            later stage.

    Raises:
        InputError: less than one group, or channels that cannot be divided in this way.
    """
    if condensation < 1 or growth % condensation:
        raise InputError(
            f"Expected a growth that is a multiple of the groups, but got growth={growth} and "
            f"condensation={condensation}."
        )
    channels = 2 * growth
    layers: list[nn.Module] = [
        nn.Conv2d(3, channels, kernel_size=3, stride=2, padding=1, bias=False),
        nn.BatchNorm2d(channels),
        nn.ReLU(inplace=True),
    ]
    for stage, depth in enumerate(depths):
        layers.append(nn.AvgPool2d(2))
        for _ in range(depth):
            added = growth * 2**stage
            layers.append(Layer(channels, added, condensation))
            channels += added
    network = nn.Sequential(
        *layers,
        nn.BatchNorm2d(channels),
        nn.ReLU(inplace=True),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(channels, classes),
    )
    for part in network.modules():
        if isinstance(part, nn.Conv2d):
            nn.init.kaiming_normal_(part.weight, nonlinearity="relu")
    return network


class Layer(nn.Module):
    """Appends channels to its input, by two grouped convolutions."""

    def __init__(self, inputs: int, added: int, groups: int) -> None:
        super().__init__()
        between = BOTTLENECK * added
        self.narrow = nn.Sequential(
            nn.BatchNorm2d(inputs),
            nn.ReLU(inplace=True),
            Interleave(groups),  # so that a group sees every so-manyth channel, of all layers
            nn.Conv2d(inputs, between, kernel_size=1, groups=groups, bias=False),
        )
        self.grow = nn.Sequential(
            nn.BatchNorm2d(between),
            nn.ReLU(inplace=True),
            Interleave(groups),
            nn.Conv2d(between, added, kernel_size=3, padding=1, groups=groups, bias=False),
        )

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return the features with the new channels appended."""
        return torch.cat([features, self.grow(self.narrow(features))], 1)


class Interleave(nn.Module):
    """Deals channels out to groups one by one, like cards.

    >>> Interleave(2)(torch.arange(4.0).view(1, 4, 1, 1)).flatten().tolist()
    [0.0, 2.0, 1.0, 3.0]
    """

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return the channels, sorted by group."""
        n, channels, height, width = features.shape
        parted = features.reshape(n, channels // self.groups, self.groups, height, width)
        return parted.transpose(1, 2).reshape(n, channels, height, width)
