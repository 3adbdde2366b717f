"""MSDNet: dense layers at several scales at once, with a classifier after every few layers.

A layer appends channels at every scale, computed from the same scale and from the next finer one,
so that coarse features exist from the beginning. After each third of the layers, the finest scale
is dropped and the channels are halved. The classifiers use the coarsest scale; the last one gives
the prediction. The paper does not say which MSDNet it trained [inc, sec. 4.2]; the sizes here are
those that MSDNet's authors use for CIFAR.
"""

from collections.abc import Sequence

import torch
from torch import nn

from robust_lib.errors import InputError

FACTORS = (1, 2, 4)  # channels at each scale, relative to the finest
BOTTLENECK = (1, 2, 4)  # widest bottleneck at each scale, relative to what comes out of it
HEAD = 128  # channels of a classifier's convolutions


def msdnet(
    classes: int,
    *,
    layers: int = 24,
    first: int = 4,
    step: int = 2,
    width: int = 32,
    growth: int = 6,
    head: int = HEAD,
    stem: int = 1,
) -> "MSDNet":
    """Return an MSDNet with three scales.

    Args:
        first: the layer that the first classifier follows.
        step: number of layers from one classifier to the next.
        head: number of channels inside a classifier.
        stem: stride of the first convolution.

    Raises:
        InputError: the last classifier does not follow the last layer.
    """
    exits = range(first, layers + 1, step)
    if not exits or exits[-1] != layers:
        raise InputError(
            f"Expected the last of the classifiers after layer {layers}, but from {first} in "
            f"steps of {step} they come after {', '.join(map(str, exits)) or 'none'}."
        )
    return MSDNet(classes, layers, exits, width, growth, head, stem)


class MSDNet(nn.Module):
    """A multi-scale dense network.

    In evaluation, it returns the last classifier's logits, (n, classes); in training, those of all
    classifiers, (exits, n, classes), whose cross-entropies are averaged.
    """

    def __init__(
        self,
        classes: int,
        layers: int,
        exits: Sequence[int],
        width: int,
        growth: int,
        head: int,
        stem: int,
    ) -> None:
        super().__init__()
        self.first = nn.ModuleList()
        inputs = 3
        for factor, stride in zip(FACTORS, (stem, 2, 2), strict=True):
            self.first.append(_conv(inputs, width * factor, 3, stride))
            inputs = width * factor
        self.layers = nn.ModuleList()
        self.classifiers = nn.ModuleDict()
        third = -(-layers // len(FACTORS))
        for number in range(1, layers + 1):
            left = (number - 1) // third  # scales left behind
            dropped = number > 1 and left > (number - 2) // third
            self.layers.append(Layer(width, growth, left, dropped))
            width += growth
            if dropped:
                self.layers.append(Transition(width, width // 2, left))
                width //= 2
            if number in exits:
                place = str(len(self.layers))
                self.classifiers[place] = _classifier(width * FACTORS[-1], head, classes)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Return logits: the last classifier's in evaluation, all classifiers' in training."""
        features: list[torch.Tensor] = []
        for layer in self.first:
            images = layer(images)
            features.append(images)
        last = list(self.classifiers)[-1]
        logits = []
        for number, layer in enumerate(self.layers, start=1):
            features = layer(features)
            name = str(number)
            if name in self.classifiers and (self.training or name == last):
                logits.append(self.classifiers[name](features[-1]))
        return torch.stack(logits) if self.training else logits[-1]


class Layer(nn.Module):
    """Appends channels at every scale; it may drop the finest scale first.

    Args:
        width: number of input channels at the finest scale of the network; other scales have a
            multiple of it.
        growth: number of channels to append, likewise.
        left: number of scales that are dropped so far.
        dropped: whether the last of these is dropped by this layer, so that it is still in the
            input.
    """

    def __init__(self, width: int, growth: int, left: int, dropped: bool) -> None:
        super().__init__()
        self.dropped = int(dropped)
        self.same = nn.ModuleList()
        self.finer = nn.ModuleList()
        for scale in range(left, len(FACTORS)):
            new = growth * FACTORS[scale]
            # Half of what is new comes from the finer scale, where one comes in.
            share = new // 2 if scale > left or dropped else 0
            self.same.append(_narrow(width, new - share, scale, 1))
            if share:
                self.finer.append(_narrow(width, share, scale - 1, 2))

    def forward(self, features: list[torch.Tensor]) -> list[torch.Tensor]:
        """Return the features of every remaining scale, with the new channels appended."""
        kept = features[self.dropped :]
        from_finer = [down(finer) for down, finer in zip(self.finer, features, strict=False)]
        added = [[]] * (len(kept) - len(from_finer)) + [[new] for new in from_finer]
        return [
            torch.cat([before, *finer, same(before)], 1)
            for before, finer, same in zip(kept, added, self.same, strict=True)
        ]


class Transition(nn.Module):
    """Changes the number of channels of every remaining scale."""

    def __init__(self, width: int, narrowed: int, left: int) -> None:
        super().__init__()
        self.scales = nn.ModuleList(
            _conv(width * factor, narrowed * factor, 1) for factor in FACTORS[left:]
        )

    def forward(self, features: list[torch.Tensor]) -> list[torch.Tensor]:
        """Return the features with fewer channels."""
        return [scale(before) for scale, before in zip(self.scales, features, strict=True)]


def _narrow(width: int, outputs: int, scale: int, stride: int) -> nn.Module:
    """Return a 3x3 convolution of a scale's features, behind a 1x1 one that keeps it cheap."""
    inputs = width * FACTORS[scale]
    between = min(inputs, BOTTLENECK[scale] * outputs)
    return nn.Sequential(_conv(inputs, between, 1), _conv(between, outputs, 3, stride))


def _conv(inputs: int, outputs: int, kernel: int, stride: int = 1) -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, stride=stride, padding=kernel // 2, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    )


def _classifier(channels: int, head: int, classes: int) -> nn.Module:
    return nn.Sequential(
        _conv(channels, head, 3, stride=2),
        _conv(head, head, 3, stride=2),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(head, classes),
    )
