"""Enlarging the middle of a picture: the step shared by zoom blur and snow.

The middle ceil(size / factor) pixels are resampled linearly so that the first and last pixels
stay on the edges (scipy's zoom), and the pixels beyond the original size are trimmed evenly.
"""

from math import ceil

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own convention
from jaxtyping import Float

from robust_lib.corruptions.filters import Planes


def middle(size: int, factor: float) -> tuple[int, int]:
    """Return where the cut-out begins and how long it is.

    >>> middle(224, 3.0)
    (74, 75)
    """
    length = ceil(size / factor)
    return (size - length) // 2, length


def enlarge(
    middles: Planes, factor: float, height: int, width: int
) -> Float[torch.Tensor, "n c {height} {width}"]:
    """Resample cut-outs by the factor and trim them to (height, width)."""
    tall, wide = (round(length * factor) for length in middles.shape[-2:])
    large = F.interpolate(middles, (tall, wide), mode="bilinear", align_corners=True)
    top, left = (tall - height) // 2, (wide - width) // 2
    return large[..., top : top + height, left : left + width]


def clipped(images: Planes, factor: float) -> Planes:
    """Return the picture seen through a lens of the given factor, at the same size."""
    height, width = images.shape[-2:]
    top, tall = middle(height, factor)
    left, wide = middle(width, factor)
    cut = images[..., top : top + tall, left : left + wide]
    return enlarge(cut, factor, height, width)
