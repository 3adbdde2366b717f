"""Interpolation: the values of an image between its pixels.

Positions are doubles and the interpolation has the form a + f (b - a), which leaves areas of one
colour untouched: a position off by 1e-5 px, or weights whose sum is off by 1e-7, would show in one
of a thousand truncated values.
"""

import torch
from jaxtyping import Float32, Float64, Int64

from robust_lib.corruptions.filters import Border, folded
from robust_lib.corruptions.levels import Images

Positions = Float64[torch.Tensor, "n h w"]


def between_pixels(images: Images, columns: Positions, rows: Positions, border: Border) -> Images:
    """Return each image's values at (column, row), one position for each of its pixels."""
    height, width = images.shape[-2:]
    left, top = columns.floor(), rows.floor()
    across, down = (columns - left).float()[:, None], (rows - top).float()[:, None]
    left, top = left.long(), top.long()
    lefts, rights = folded(left, width, border), folded(left + 1, width, border)
    tops, bottoms = folded(top, height, border) * width, folded(top + 1, height, border) * width
    upper = _mixed(images, tops + lefts, tops + rights, across)
    lower = _mixed(images, bottoms + lefts, bottoms + rights, across)
    return upper.add_(lower.sub_(upper).mul_(down))


def _mixed(
    images: Images,
    first: Int64[torch.Tensor, "n h w"],
    second: Int64[torch.Tensor, "n h w"],
    share: Float32[torch.Tensor, "n 1 h w"],
) -> Images:
    start, end = _taken(images, first), _taken(images, second)
    return start.add_(end.sub_(start).mul_(share))


def _taken(images: Images, places: Int64[torch.Tensor, "n h w"]) -> Images:
    """Return the values at places counted along the rows of each image."""
    if len(images) == 1:  # three times as fast as a gather
        taken = images[0].flatten(1).index_select(1, places.view(-1))
        return taken.view_as(images)
    spread = places.flatten(1)[:, None].expand(-1, 3, -1)
    return images.flatten(2).gather(2, spread).view_as(images)
