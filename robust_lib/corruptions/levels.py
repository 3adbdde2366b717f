"""Conversion between 8-bit images and tensors of fractions, with the benchmark's own rounding.

The benchmark reads 8-bit images and stores 8-bit images, by truncation. A value that is a
whole level in exact arithmetic (53.0) may come out as 52.999... in floating point and is then
stored as 52, so a faithful float32 result must fall on the same side of every level.
"""

import cv2
import torch
from jaxtyping import Float32, Float64, UInt8

Images = Float32[torch.Tensor, "n 3 h w"]
Field = Float32[torch.Tensor, "n h w"]

BASE = 224
"""The picture side, in pixels, for which the constants of the benchmark are written."""

_OFF_LATTICE = 1e-4  # levels; far above float32's error in x * 255, far below a visible step


def scale(height: int, width: int) -> float:
    """Return the factor by which lengths are scaled: the shorter side divided by 224.

    >>> scale(224, 300), scale(64, 64) == 64 / 224
    (1.0, True)
    """
    return min(height, width) / BASE


def to_levels(images: Images) -> UInt8[torch.Tensor, "n 3 h w"]:
    """Return the 8-bit image nearest to the fractions."""
    if images.device.type != "cpu":
        return (images * 255).round_().to(torch.uint8)
    levels = torch.empty(images.shape, dtype=torch.uint8)
    rows = images.contiguous().view(-1, images.shape[-1]).numpy()
    # One pass instead of three; the absolute value changes nothing here.
    cv2.convertScaleAbs(rows, levels.view(rows.shape).numpy(), alpha=255)
    return levels


def truncate(images: Images) -> UInt8[torch.Tensor, "n 3 h w"]:
    """Return the 8-bit image that the benchmark would store, by truncation instead of rounding.

    >>> truncate(torch.full((1, 3, 1, 1), 0.9999)).unique().tolist()
    [254]
    """
    return (images * 255).to(torch.uint8)


def exact_fractions(images: Images) -> Float64[torch.Tensor, "n 3 h w"]:
    """Return the fractions in double precision, without float32's error for whole levels."""
    levels = exact_levels(images)
    return levels.div_(levels.new_tensor(255))  # by a number, a GPU multiplies: see hsv.py


def exact_levels(images: Images) -> Float64[torch.Tensor, "n 3 h w"]:
    """Return levels, 0 to 255, in double precision; whole ones are free of float32's error."""
    scaled = images * 255
    nearest = scaled.round()
    if images.numel() == 0 or float(scaled.sub_(nearest).abs_().amax()) <= _OFF_LATTICE:
        return nearest.double()  # 8-bit pictures, as nearly all are: a third of the passes
    levels = images.double().mul_(255)
    return torch.where((levels - nearest).abs_() > _OFF_LATTICE, levels, nearest.double())


def from_exact(levels: Float64[torch.Tensor, "..."]) -> Float32[torch.Tensor, "..."]:
    """Return float32 fractions that truncate to the same 8-bit levels as the given doubles."""
    levels = levels.clamp(0, 255)
    wanted = levels.to(torch.int32)
    fractions = (levels / levels.new_tensor(255)).float()
    got = (fractions * 255).to(torch.int32)
    # One part in four million is a few units in the last place: enough to cross the level.
    return fractions.mul_(1 + (wanted - got) * 2.0**-22)
