"""ImageMagick's motion blur without ImageMagick: a one-sided Gaussian along a line.

The image is averaged with copies of itself shifted by whole pixels along the line, with weights
that decrease from the first tap on, so it also moves. The form is that of the NumPy version in the
`imagecorruptions` package; ImageMagick itself would round the result to 8 bits.
"""

from functools import lru_cache

import numpy as np
import torch
from jaxtyping import Float32, Float64, Int64

from robust_lib.corruptions import filters
from robust_lib.corruptions.filters import Planes

Angles = Float32[torch.Tensor, " n"]


@lru_cache(maxsize=64)
def taps(radius: float, sigma: float) -> Float64[np.ndarray, " taps"]:
    """Return the weights of the steps; their number is 2 * radius + 1 with 2 * radius rounded."""
    steps = np.arange(round(2 * radius) + 1)
    weights: Float64[np.ndarray, " taps"] = np.exp(-(steps**2) / (2 * sigma**2))
    weights /= weights.sum()
    return weights


def offsets(angles: Angles, count: int) -> Int64[torch.Tensor, "n taps 2"]:
    """Return (x, y) of each step in whole pixels; angles in degrees, clockwise on the screen."""
    radians = torch.deg2rad(angles.double())
    steps = torch.arange(count, dtype=torch.float64, device=angles.device)
    line = torch.stack([radians.cos(), radians.sin()], dim=-1)
    return (steps[:, None] * line[:, None, :]).sub_(0.5).ceil_().long()


def blur(images: Planes, angles: Angles, radius: float, sigma: float) -> Planes:
    """Blur each image along its own angle, with extended edges."""
    if images.device.type != "cpu":
        return blur_by_index(images, angles, radius, sigma)
    weights = taps(radius, sigma)
    height, width = images.shape[-2:]
    result = torch.empty_like(images)
    for image, steps, out in zip(
        images, offsets(angles, len(weights)).tolist(), result, strict=True
    ):
        top, left = (max(0, -min(step[axis] for step in steps)) for axis in (1, 0))
        bottom, right = (max(0, max(step[axis] for step in steps)) for axis in (1, 0))
        padded = filters.pad(image[None], (top, bottom, left, right), "nearest")[0]
        torch.mul(image, float(weights[0]), out=out)
        for weight, (x, y) in zip(weights[1:], steps[1:], strict=True):
            view = padded[:, top + y : top + y + height, left + x : left + x + width]
            out.add_(view, alpha=float(weight))
    return result


def blur_by_index(images: Planes, angles: Angles, radius: float, sigma: float) -> Planes:
    """Do the same for all images at once, by indexing: a few large steps, which suit a GPU."""
    weights = taps(radius, sigma)
    height, width = images.shape[-2:]
    steps = offsets(angles, len(weights))
    last_first = images.permute(0, 2, 3, 1)
    which = torch.arange(len(images), device=images.device)[:, None, None]
    rows = torch.arange(height, device=images.device)[None, :, None]
    columns = torch.arange(width, device=images.device)[None, None, :]
    total = torch.zeros_like(last_first)
    for i, weight in enumerate(weights):
        x, y = steps[:, i, 0, None, None], steps[:, i, 1, None, None]
        shifted = last_first[
            which, (rows + y).clamp(0, height - 1), (columns + x).clamp(0, width - 1)
        ]
        total.add_(shifted, alpha=float(weight))
    return total.permute(0, 3, 1, 2).contiguous()
