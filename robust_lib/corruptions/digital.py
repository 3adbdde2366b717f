"""Digital: contrast, pixelation and saturation [inc, sec. 3.2].

The elastic transform and JPEG compression have files of their own.
"""

from functools import lru_cache

import numpy as np
import torch
from jaxtyping import Float32

from robust_lib.corruptions import hsv
from robust_lib.corruptions.levels import Images, exact_levels, from_exact

CONTRAST = (0.4, 0.3, 0.2, 0.1, 0.05)
PIXELATE = (0.6, 0.5, 0.4, 0.3, 0.25)
SATURATE = ((0.3, 0.0), (0.1, 0.0), (2.0, 0.0), (5.0, 0.1), (20.0, 0.2))  # factor, offset


def contrast(images: Images, severity: int) -> Images:
    """Pull all values toward the mean of their channel."""
    mean = images.mean((2, 3), keepdim=True)
    return (images - mean).mul_(CONTRAST[severity - 1]).add_(mean).clamp_(0, 1)


def pixelate(images: Images, severity: int) -> Images:
    """Shrink and enlarge again, both by box averages, as Pillow does on 8-bit pictures."""
    share = PIXELATE[severity - 1]
    height, width = images.shape[-2:]
    tall, wide = int(height * share), int(width * share)
    levels = (images * 255).round_()
    # Columns first, as Pillow; laid out as rows, which are quicker to pick.
    columns = _box_averages(levels.transpose(2, 3).contiguous(), wide)
    blocks = _box_averages(columns.transpose(2, 3).contiguous(), tall).div_(255)
    # Box enlargement repeats whole pixels: each takes the block that its centre falls into.
    across, down = (
        ((torch.arange(large, device=images.device) + 0.5) * (few / large)).long()
        for large, few in ((width, wide), (height, tall))
    )
    return blocks.index_select(3, across).index_select(2, down)


def _box_averages(
    levels: Float32[torch.Tensor, "n 3 rows columns"], few: int
) -> Float32[torch.Tensor, "n 3 {few} columns"]:
    """Average whole rows to fewer ones, rounded to 8 bits, halves up.

    Pillow's box takes each row whole or not at all: those whose centre is less than half a new
    row away from the new row's centre.
    """
    first, count = _boxes(levels.shape[2], few)
    start = torch.tensor(first, device=levels.device)
    size = torch.tensor(count, device=levels.device)[:, None]
    total = levels.index_select(2, start)
    for i in range(1, int(count.max())):
        more = levels.index_select(2, (start + i).clamp_(max=levels.shape[2] - 1))
        total += more.mul_(i < size)
    return total.div_(size).add_(0.5).floor_()


@lru_cache(maxsize=32)
def _boxes(many: int, few: int) -> tuple[np.ndarray, np.ndarray]:
    """Return for each new row the first old row in it and how many there are."""
    centres = (np.arange(few) + 0.5) * (many / few)
    place = (np.arange(many) - centres[:, None] + 0.5) * (few / many)
    inside = (place > -0.5) & (place <= 0.5)
    return inside.argmax(axis=1), inside.sum(axis=1)


def saturate(images: Images, severity: int) -> Images:
    """Scale and shift the saturation of each colour, hue and value unchanged."""
    factor, offset = SATURATE[severity - 1]
    hue, saturation, value = hsv.from_rgb(exact_levels(images).div_(255))
    saturation = saturation.mul_(factor).add_(offset).clamp_(0, 1)
    return from_exact(hsv.to_rgb(hue, saturation, value).clamp_(0, 1).mul_(255))
