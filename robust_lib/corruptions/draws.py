"""Keyed random numbers: a draw depends on its key and position alone, on any device.

A counter-based generator: the bits at position i are a 32-bit mix of i and the 64-bit key, made
of integer tensor operations that wrap around identically on CPU and GPU. Nothing is advanced, so
an image gets the same numbers in any batch, order or process.
"""

from dataclasses import dataclass
from math import pi, prod

import numpy as np
import torch
from jaxtyping import Float32, Int32, Int64

from robust_lib import seeds


@dataclass(frozen=True)
class Stream:
    """The source of random numbers: one label per image, and the device on which they are made."""

    labels: tuple[tuple[object, ...], ...]
    device: torch.device

    def __len__(self) -> int:
        return len(self.labels)


def bits(stream: Stream, purpose: str, count: int) -> Int32[torch.Tensor, "n count"]:
    """Return 32 random bits for each image and position, as signed int32."""
    keys = np.array([seeds.key(*label, purpose) for label in stream.labels], dtype="<u8")
    words = torch.from_numpy(keys.view("<i4").reshape(-1, 2)).to(stream.device)
    low, high = words[:, :1], words[:, 1:]
    state = torch.arange(count, dtype=torch.int32, device=stream.device) + low
    _scramble_(state)
    # The second key word enters between two full mixes: two images whose counters overlap after
    # the first word is added still part here.
    state.bitwise_xor_(high)
    return _scramble_(state)


def uniform(stream: Stream, purpose: str, *size: int) -> Float32[torch.Tensor, "n *size"]:
    """Return uniform numbers in [0, 1), multiples of 2**-24."""
    drawn = bits(stream, purpose, prod(size))
    _shift_(drawn, 8)
    return drawn.float().mul_(2.0**-24).view(len(stream), *size)


def normal(stream: Stream, purpose: str, *size: int) -> Float32[torch.Tensor, "n *size"]:
    """Return standard normal numbers (Box-Muller; the tails end at 6.7 standard deviations)."""
    count = prod(size)
    half = (count + 1) // 2
    drawn = bits(stream, purpose, 2 * half)
    first, second = drawn[:, :half], drawn[:, half:]
    chance = first.bitwise_and(0x7FFFFFFF).float().add_(0.5).mul_(2.0**-31)
    radius = chance.log_().mul_(-2).sqrt_()
    angle = second.float().mul_(pi * 2.0**-31)
    pair = torch.cat([angle.cos().mul_(radius), angle.sin_().mul_(radius)], dim=1)
    return pair[:, :count].view(len(stream), *size)


def integers(
    stream: Stream, purpose: str, low: int, high: int, *size: int
) -> Int64[torch.Tensor, "n *size"]:
    """Return whole numbers from low to high - 1, all equally likely to one part in 2**24."""
    return uniform(stream, purpose, *size).mul_(high - low).long().add_(low)


def integer_pairs(
    stream: Stream, purpose: str, low: int, high: int, *size: int
) -> Int32[torch.Tensor, "n 2 *size"]:
    """Return two whole numbers, low to high - 1, from each 32 random bits.

    All are equally likely to one part in 2**16, so the range must be small.
    """
    drawn = bits(stream, purpose, prod(size))
    pair = torch.stack([drawn.bitwise_and(0xFFFF), _shift_(drawn, 16)], dim=1)
    pair = pair.mul_(high - low).bitwise_right_shift_(16).add_(low)
    return pair.view(len(stream), 2, *size)


def _scramble_(state: Int32[torch.Tensor, "..."]) -> Int32[torch.Tensor, "..."]:
    """Mix 32 bits in place: each input bit flips each output bit with probability near half."""
    spare = torch.empty_like(state)
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B - 2**32), (16, 1)):
        torch.bitwise_right_shift(state, shift, out=spare)
        # int32 shifts copy the sign into the free bits: mask them away.
        spare.bitwise_and_((1 << (32 - shift)) - 1)
        state.bitwise_xor_(spare)
        if factor != 1:
            state.mul_(factor)
    return state


def _shift_(state: Int32[torch.Tensor, "..."], by: int) -> Int32[torch.Tensor, "..."]:
    """Shift right in place, zeros following."""
    return state.bitwise_right_shift_(by).bitwise_and_((1 << (32 - by)) - 1)
