"""Pixelation: shrink by box averages of 8-bit levels, enlarge again by repeating [inc, sec. 3.2].

The arithmetic is Pillow's: columns first, each mean rounded to 8 bits, with halves rounded up. On
the CPU it is done in 8- and 16-bit integers on whole rows (columns by transposing), elsewhere by
indexing.
"""

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import torch
from jaxtyping import Float32, Int64, UInt8

from robust_lib.corruptions.levels import Images, to_levels

PIXELATE = (0.6, 0.5, 0.4, 0.3, 0.25)  # side of the shrunk picture


@dataclass(frozen=True, eq=False)
class Boxes:
    """How rows are averaged to fewer rows and repeated to many again.

    Pillow's box filter uses a row completely or not at all: it averages the rows whose centre is
    less than half a new row away from the new row's centre. Box enlargement repeats whole rows:
    each row is a copy of the new row in which its centre lies.
    """

    first: Int64[np.ndarray, " few"]  # the first old row in each new one
    count: Int64[np.ndarray, " few"]  # and how many there are
    back: Int64[np.ndarray, " many"]  # the new row that each old one becomes


@lru_cache(maxsize=32)
def boxes(many: int, few: int) -> Boxes:
    """Return which rows are averaged and which are repeated.

    >>> shrunk = boxes(5, 2)
    >>> shrunk.first.tolist(), shrunk.count.tolist(), shrunk.back.tolist()
    ([0, 3], [3, 2], [0, 0, 1, 1, 1])
    """
    # Ties are decided by rounding errors, so these are Pillow's own operations.
    step = many / few
    centres = (np.arange(few)[:, None] + 0.5) * step
    rows = np.arange(many)
    place = (rows - centres + 0.5) * (1 / step)
    inside = (place > -0.5) & (place <= 0.5)
    inside &= rows >= np.floor(centres - 0.5 * step + 0.5)
    inside &= rows < np.floor(centres + 0.5 * step + 0.5)
    back = ((np.arange(many) + 0.5) * (few / many)).astype(np.int64)
    return Boxes(inside.argmax(axis=1), inside.sum(axis=1), back)


def pixelate(images: Images, severity: int) -> Images:
    """Shrink and enlarge again, both by box averages, as Pillow does with 8-bit images."""
    if images.device.type != "cpu":
        return pixelate_by_index(images, severity)
    count, _, height, width = images.shape
    across, down = (boxes(side, int(side * PIXELATE[severity - 1])) for side in (width, height))
    levels = to_levels(images).view(-1, width).numpy()
    # Turned by a transpose, columns are rows, which are copied whole.
    columns = _averages(cv2.transpose(levels)[None], across)[0].take(across.back, axis=0)
    rows = cv2.transpose(columns).reshape(3 * count, height, width)
    blocks = torch.from_numpy(_averages(rows, down)).float().div_(255)
    return blocks.index_select(1, torch.from_numpy(down.back)).view_as(images)


def _averages(
    levels: UInt8[np.ndarray, "planes rows values"], plan: Boxes
) -> UInt8[np.ndarray, "planes few values"]:
    """Average rows, those of equally many at once: there are two numbers of them at most."""
    planes, _, values = levels.shape
    wide = levels.astype(np.int16)
    result = np.empty((planes, len(plan.first), values), np.uint8)
    for size in np.unique(plan.count):
        chosen = plan.count == size
        first = plan.first[chosen]
        total = wide.take(first, axis=1)
        for i in range(1, size):
            total += wide.take(first + i, axis=1)
        # OpenCV rounds halves to even; a quarter of a step above them, halves go up.
        flat = total.reshape(-1, values)
        mean = cv2.convertScaleAbs(flat, alpha=1 / size, beta=0.25 / size)
        result[:, chosen] = mean.reshape(total.shape)
    return result


def pixelate_by_index(images: Images, severity: int) -> Images:
    """Pixelate images by indexing, which works on any device."""
    across, down = (boxes(side, int(side * PIXELATE[severity - 1])) for side in images.shape[:1:-1])
    levels = (images * 255).round_()
    columns = _averages_by_index(levels.transpose(2, 3).contiguous(), across)
    blocks = _averages_by_index(columns.transpose(2, 3).contiguous(), down).div_(255)
    for axis, plan in ((3, across), (2, down)):
        blocks = blocks.index_select(axis, torch.from_numpy(plan.back).to(images.device))
    return blocks


def _averages_by_index(
    levels: Float32[torch.Tensor, "n 3 rows values"], plan: Boxes
) -> Float32[torch.Tensor, "n 3 few values"]:
    start, size = (torch.from_numpy(x).to(levels.device) for x in (plan.first, plan.count))
    size = size[:, None]
    total = levels.index_select(2, start)
    for i in range(1, int(plan.count.max())):
        more = levels.index_select(2, (start + i).clamp_(max=levels.shape[2] - 1))
        total += more.mul_(i < size)
    return total.div_(size).add_(0.5).floor_()
