"""Wide ResNets for images of 32 pixels: few layers, many channels (Zagoruyko and Komodakis).

"40-2" means 40 layers with twice a ResNet's channels. Normalisation and activation come before each
convolution, and the first of a stage shares its activation with the shortcut.
"""

from typing import cast

import torch
from torch import nn

from robust_lib.errors import InputError


def wide_resnet(
    classes: int, *, depth: int = 40, widen: int = 2, dropout: float = 0.0, stem: int = 1
) -> nn.Module:
    """Return an untrained Wide ResNet, with weights from torch's global generator.

    Args:
        depth: number of layers, 6n + 4.
        widen: factor for the 16, 32 and 64 channels of the three stages.
        dropout: share of features dropped between the two convolutions of a block.
        stem: stride of the first layer; 2 reduces the cost to a quarter.

    Raises:
        InputError: a different depth.

    >>> sum(p.numel() for p in wide_resnet(20).parameters())
    2244836
    """
    blocks, rest = divmod(depth - 4, 6)
    if rest or blocks < 1:
        raise InputError(
            f"Expected a depth of 6n + 4 for wide_resnet, such as 40, but got {depth}."
        )
    layers: list[nn.Module] = [nn.Conv2d(3, 16, 3, stride=stem, padding=1, bias=False)]
    inputs = 16
    for stage in range(3):
        outputs = 16 * widen * 2**stage
        for index in range(blocks):
            stride = 2 if stage > 0 and index == 0 else 1
            layers.append(WideBlock(inputs, outputs, stride, dropout))
            inputs = outputs
    network = nn.Sequential(
        *layers,
        nn.BatchNorm2d(inputs),
        nn.ReLU(inplace=True),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(inputs, classes),
    )
    for part in network.modules():
        if isinstance(part, nn.Conv2d):
            nn.init.kaiming_normal_(part.weight, mode="fan_out", nonlinearity="relu")
        elif isinstance(part, nn.Linear):
            nn.init.zeros_(part.bias)
    return network


class WideBlock(nn.Module):
    """Two convolutions, each after normalisation and activation, with a shortcut."""

    def __init__(self, inputs: int, outputs: int, stride: int, dropout: float) -> None:
        super().__init__()
        self.active = nn.Sequential(nn.BatchNorm2d(inputs), nn.ReLU(inplace=True))
        self.new = nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, stride=stride, padding=1, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU(inplace=True),
            nn.Dropout(dropout),
            nn.Conv2d(outputs, outputs, 3, padding=1, bias=False),
        )
        same = inputs == outputs
        self.shortcut = None if same else nn.Conv2d(inputs, outputs, 1, stride=stride, bias=False)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return the features plus the output of the block."""
        if self.shortcut is None:
            return cast(torch.Tensor, features + self.new(self.active(features)))
        active = self.active(features)
        return cast(torch.Tensor, self.shortcut(active) + self.new(active))
