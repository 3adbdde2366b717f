"""Enlargement of the middle of an image, which zoom blur and snow share.

The middle ceil(size / factor) pixels are resampled linearly so that the first and last pixels stay
at the edges (as in scipy's zoom), and pixels beyond the original size are trimmed evenly.
"""

from functools import lru_cache
from math import ceil

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - torch's own convention
from jaxtyping import Float, Float64, Int64

from robust_lib.corruptions.filters import Planes, transposed


def middle(size: int, factor: float) -> tuple[int, int]:
    """Return the start and the length of the cut-out.

    >>> middle(224, 3.0)
    (74, 75)
    """
    length = ceil(size / factor)
    return (size - length) // 2, length


def enlarge(
    middles: Planes, factor: float, height: int, width: int
) -> Float[torch.Tensor, "n c {height} {width}"]:
    """Enlarge cut-outs by the factor and trim them to (height, width)."""
    tall, wide = (round(length * factor) for length in middles.shape[-2:])
    large = F.interpolate(middles, (tall, wide), mode="bilinear", align_corners=True)
    top, left = (tall - height) // 2, (wide - width) // 2
    return large[..., top : top + height, left : left + width]


def clipped_sum(images: Planes, factors: list[float]) -> Planes:
    """Return the sum of the images enlarged by the given factors, at the same size.

    Interpolation as a + f (b - a) leaves areas of one colour unchanged, bit by bit.
    """
    count, channels, height, width = images.shape
    total = images.new_zeros((width, count * channels * height))
    for factor in factors:
        rows = _stretched(images, factor).view(-1, width)
        # Columns are turned into rows, which are read and written whole.
        total += _stretched(transposed(rows), factor)
    return transposed(total).view(images.shape)


def _stretched(
    rows: Float[torch.Tensor, "*planes rows values"], factor: float
) -> Float[torch.Tensor, "*planes rows values"]:
    first, share = (torch.from_numpy(x).to(rows.device) for x in _places(rows.shape[-2], factor))
    upper = rows.index_select(-2, first)
    lower = rows.index_select(-2, first + 1)
    return lower.sub_(upper).mul_(share[:, None].to(rows.dtype)).add_(upper)


@lru_cache(maxsize=128)
def _places(
    size: int, factor: float
) -> tuple[Int64[np.ndarray, " size"], Float64[np.ndarray, " size"]]:
    """Return for each row the row above the place it shows, and the distance below that row."""
    start, length = middle(size, factor)
    large = round(length * factor)
    place = (np.arange(size) + (large - size) // 2) * ((length - 1) / (large - 1))
    first = np.minimum(place.astype(np.int64), length - 2)
    return first + start, place - first
