"""A network like multigrid networks: each layer holds a pyramid of grids.

Every layer holds features at several scales, and each scale of the next layer is convolved from its
own scale, from the pooled finer one, and from the enlarged coarser one. Details and the whole image
are thus both present from the first layer on [inc, sec. 3.5]. Layers come in pairs with a shortcut
past both; between stages, all grids are halved and the channels doubled. The finest grid has a
quarter of the image's resolution.
"""

from collections.abc import Sequence

import torch
from torch import nn
from torch.nn.functional import interpolate, max_pool2d

from robust_lib.errors import InputError

Pyramid = list[torch.Tensor]
"""Features (n, channels, side, side), the finest first, each half as fine as the one before."""


def multigrid(
    classes: int, *, depths: Sequence[int] = (1, 1, 1), width: int = 16, grids: int = 3
) -> "Multigrid":
    """Return a small multigrid network.

    Args:
        depths: number of pairs of layers in each stage.

    Raises:
        InputError: less than one grid or stage.
    """
    if grids < 1 or not depths:
        raise InputError(f"Expected grids and stages, but got grids={grids} and depths={depths}.")
    return Multigrid(classes, depths, width, grids)


class Multigrid(nn.Module):
    """A pyramid of the image, residual units on it, and the mean of each grid at the end."""

    def __init__(self, classes: int, depths: Sequence[int], width: int, grids: int) -> None:
        super().__init__()
        self.stems = nn.ModuleList(_activated(3, width, stride=2) for _ in range(grids))
        self.stages = nn.ModuleList()
        inputs = width
        for stage, depth in enumerate(depths):
            outputs = width * 2**stage
            units = [
                Unit(inputs if unit == 0 else outputs, outputs, grids) for unit in range(depth)
            ]
            self.stages.append(nn.ModuleList(units))
            inputs = outputs
        self.head = nn.Linear(inputs * grids, classes)
        for part in self.modules():
            if isinstance(part, nn.Conv2d):
                nn.init.kaiming_normal_(part.weight, nonlinearity="relu")

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Return logits."""
        pyramid: Pyramid = []
        for stem in self.stems:
            pyramid.append(halved(stem(images)))
            images = halved(images)
        for number, stage in enumerate(self.stages):
            if number:
                pyramid = [halved(grid) for grid in pyramid]
            for unit in stage:  # type: ignore[attr-defined]
                pyramid = unit(pyramid)
        logits: torch.Tensor = self.head(torch.cat([grid.mean((2, 3)) for grid in pyramid], 1))
        return logits


class Unit(nn.Module):
    """Two layers with a shortcut past both."""

    def __init__(self, inputs: int, outputs: int, grids: int) -> None:
        super().__init__()
        self.first = Layer(inputs, outputs, grids)
        self.second = Layer(outputs, outputs, grids)
        self.shortcuts = nn.ModuleList(
            nn.Identity() if inputs == outputs else _conv(inputs, outputs, kernel=1)
            for _ in range(grids)
        )

    def forward(self, pyramid: Pyramid) -> Pyramid:
        """Return the pyramid after both layers, with the input added."""
        added = self.second([grid.relu() for grid in self.first(pyramid)])
        return [
            (shortcut(old) + new).relu()
            for shortcut, old, new in zip(self.shortcuts, pyramid, added, strict=True)
        ]


class Layer(nn.Module):
    """A normalised convolution to each grid, from the grid itself and its neighbours."""

    def __init__(self, inputs: int, outputs: int, grids: int) -> None:
        super().__init__()
        sources = [min(place, 1) + 1 + min(grids - 1 - place, 1) for place in range(grids)]
        self.grids = nn.ModuleList(_conv(inputs * number, outputs) for number in sources)

    def forward(self, pyramid: Pyramid) -> Pyramid:
        """Return the next layer's features, before they are rectified."""
        found = []
        for place, conv in enumerate(self.grids):
            near = [pyramid[place]]
            if place > 0:
                near.append(halved(pyramid[place - 1]))
            if place + 1 < len(pyramid):
                size = pyramid[place].shape[-2:]
                near.append(interpolate(pyramid[place + 1], size=size, mode="nearest"))
            found.append(conv(torch.cat(near, 1)))
        return found


def halved(features: torch.Tensor) -> torch.Tensor:
    """Return features on a grid half as fine: the largest of each four values.

    >>> halved(torch.arange(4.0).view(1, 1, 2, 2)).item()
    3.0
    """
    return max_pool2d(features, 2, ceil_mode=True)


def _conv(inputs: int, outputs: int, kernel: int = 3, stride: int = 1) -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, stride, padding=kernel // 2, bias=False),
        nn.BatchNorm2d(outputs),
    )


def _activated(inputs: int, outputs: int, stride: int) -> nn.Module:
    return nn.Sequential(_conv(inputs, outputs, 3, stride), nn.ReLU(inplace=True))
