"""Shake-Shake: a residual network whose two branches are mixed at random during training.

The two branches get random shares for each image that sum to one, with different shares in the
backward and the forward pass; in evaluation, both count half. It is Gastaldi's "Shake-Shake-Image"
[inc, sec. 4.2], as in the paper's code. The shares are drawn from torch's generator, so training
stays repeatable.
"""

from typing import Any

import torch
from torch import nn
from torch.nn import functional

from robust_lib.errors import InputError


def shake_shake(classes: int, *, depth: int = 26, width: int = 96, stem: int = 1) -> nn.Module:
    """Return a Shake-Shake network, 26 2x96d by default: three stages of n blocks; depth is 6n + 2.

    Raises:
        InputError: for a different depth.
    """
    blocks, rest = divmod(depth - 2, 6)
    if rest or blocks < 1:
        raise InputError(f"Expected a depth of 6n + 2 for shake_shake, such as 8, but got {depth}.")
    layers: list[nn.Module] = [
        nn.Conv2d(3, width, 3, stride=stem, padding=1, bias=False),
        nn.BatchNorm2d(width),
        nn.ReLU(),
    ]
    inputs = width
    for stage in range(3):
        outputs = width * 2**stage
        for index in range(blocks):
            layers.append(ShakeBlock(inputs, outputs, 2 if stage > 0 and index == 0 else 1))
            inputs = outputs
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, classes))


class ShakeBlock(nn.Module):
    """Two equal branches, mixed at random, and a shortcut."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.branches = nn.ModuleList(_branch(inputs, outputs, stride) for _ in range(2))
        self.shortcut = Halving(inputs) if inputs != outputs else nn.Identity()

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return the shortcut plus the mixed branches."""
        one, other = (branch(features) for branch in self.branches)
        shortcut: torch.Tensor = self.shortcut(features)
        mixed: torch.Tensor = 0.5 * (one + other)
        if self.training:
            shares = torch.rand(2, len(one), 1, 1, 1, device=one.device, dtype=one.dtype)
            mixed = Mix.apply(one, other, shares[0], shares[1])
        return shortcut + mixed


class Mix(torch.autograd.Function):
    """A mix of two tensors in given shares, whose gradients are mixed in other shares."""

    @staticmethod
    def forward(
        ctx: Any, one: torch.Tensor, other: torch.Tensor, forth: torch.Tensor, back: torch.Tensor
    ) -> torch.Tensor:
        """Return the mix; `forth` is the share of `one`."""
        ctx.save_for_backward(back)
        return other.lerp(one, forth)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        """Return the gradients; `back` is the share that `one` gets."""
        (gradient,) = gradients
        (back,) = ctx.saved_tensors
        return gradient * back, gradient * (1 - back), None, None


class Halving(nn.Module):
    """A shortcut to half the size and twice the channels: alternate pixels and their neighbours."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.even = nn.Conv2d(inputs, inputs, 1, bias=False)
        self.odd = nn.Conv2d(inputs, inputs, 1, bias=False)
        self.normalise = nn.BatchNorm2d(2 * inputs)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return the features at half the size."""
        features = functional.relu(features)
        # One pixel down and to the right; what comes in at the edge is zero.
        shifted = functional.pad(features[:, :, 1:, 1:], (0, 1, 0, 1))
        both = (self.even(features[:, :, ::2, ::2]), self.odd(shifted[:, :, ::2, ::2]))
        halved: torch.Tensor = self.normalise(torch.cat(both, 1))
        return halved


def _branch(inputs: int, outputs: int, stride: int) -> nn.Module:
    return nn.Sequential(
        nn.ReLU(),
        nn.Conv2d(inputs, outputs, 3, stride=stride, padding=1, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(),
        nn.Conv2d(outputs, outputs, 3, padding=1, bias=False),
        nn.BatchNorm2d(outputs),
    )
