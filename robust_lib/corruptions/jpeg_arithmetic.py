"""The effect of JPEG on an image, without a file: libjpeg's integer arithmetic on any device.

Packing numbers into a file and reading them back loses nothing, so it is left out. The lossy steps
(colour conversion, halved colour resolution, cosine transforms, quantisation) follow libjpeg's
accurate arithmetic: products of integers, then a rounded division by a power of two. In doubles all
of this is exact, in whatever order a device adds, so the pixels are those of the codec.
"""

from functools import lru_cache

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - torch's own convention
from jaxtyping import Float64, UInt8

Pictures = UInt8[torch.Tensor, "n 3 h w"]
Plane = Float64[torch.Tensor, "n h w"]
Table = Float64[np.ndarray, "8 8"]

BLOCK = 8  # pixels
_AT_ONCE = 16_000_000  # values: a GPU's memory holds several such arrays of doubles

# The standard's tables for quality 50.
_BRIGHT = (
    (16, 11, 10, 16, 24, 40, 51, 61),
    (12, 12, 14, 19, 26, 58, 60, 55),
    (14, 13, 16, 24, 40, 57, 69, 56),
    (14, 17, 22, 29, 51, 87, 80, 62),
    (18, 22, 37, 56, 68, 109, 103, 77),
    (24, 35, 55, 64, 81, 104, 113, 92),
    (49, 64, 78, 87, 103, 121, 120, 101),
    (72, 92, 95, 98, 112, 100, 103, 99),
)
_COLOUR = (
    (17, 18, 24, 47, 99, 99, 99, 99),
    (18, 21, 26, 66, 99, 99, 99, 99),
    (24, 26, 56, 99, 99, 99, 99, 99),
    (47, 66, 99, 99, 99, 99, 99, 99),
    *((99,) * 8,) * 4,
)

# libjpeg's cosines times 2**13, each a sum of its rounded constants: hence 10703 beside 10704.
_COSINES = np.array(
    (
        (8192, 8192, 8192, 8192, 8192, 8192, 8192, 8192),
        (11363, 9633, 6437, 2260, -2260, -6437, -9633, -11363),
        (10703, 4433, -4433, -10703, -10703, -4433, 4433, 10703),
        (9633, -2259, -11362, -6436, 6436, 11362, 2259, -9633),
        (8192, -8192, -8192, 8192, 8192, -8192, -8192, 8192),
        (6437, -11362, 2261, 9633, -9633, -2261, 11362, -6437),
        (4433, -10704, 10704, -4433, -4433, 10704, -10704, 4433),
        (2260, -6436, 9633, -11363, 11363, -9633, 6436, -2260),
    ),
    np.float64,
)
# Each pass keeps two bits more than a level has; the last gives them back, and a factor of eight.
_FORTH = (11, 15)  # bits that are rounded away: rows, columns
_BACK = (11, 18)  # columns, rows

# Brightness and two colours, all about 0, from red, green and blue; and the way back, in 2**-16.
_TO_YCC = ((19595, 38470, 7471), (-11059, -21709, 32768), (32768, -27439, -5329))
_FROM_YCC = ((65536, 0, 91881), (65536, -22554, -46802), (65536, 116130, 0))
_UNIT = 2.0**-16


def round_trip(pictures: Pictures, quality: int) -> Pictures:
    """Return images after saving them as JPEG with halved colours and reading them back.

    Args:
        pictures: 8-bit levels, sides of 5 px or more.
        quality: 1 to 100.
    """
    result = torch.empty_like(pictures, memory_format=torch.contiguous_format)
    step = max(1, _AT_ONCE // max(1, pictures[:1].numel()))
    for start in range(0, len(pictures), step):
        result[start : start + step] = _passed(pictures[start : start + step], quality)
    return result


def _passed(pictures: Pictures, quality: int) -> Pictures:
    height, width = pictures.shape[-2:]
    tall, wide = (-(-side // BLOCK) * BLOCK for side in (height, width))
    # Colours of two by two pixels: an odd row is repeated, columns to the end of a colour's block.
    even = _continued(pictures.double(), height + height % 2, -(-width // 16) * 16)
    bright, *colours = _mixed(even, _TO_YCC, (0.5 - 128, 0.5 - _UNIT, 0.5 - _UNIT)).unbind(1)
    bright = _continued(bright[..., :wide], tall, wide)
    bright = _lossy(bright, _table(_BRIGHT, quality))[:, :height, :width]
    halved = _halved(torch.cat(colours))
    few, less = (-(-side // 2) for side in (height, width))
    halved = _continued(halved, -(-few // BLOCK) * BLOCK, halved.shape[-1])
    halved = _lossy(halved, _table(_COLOUR, quality))[:, :few, :less]
    blue, red = _doubled(halved)[:, :height, :width].chunk(2)
    levels = _mixed(torch.stack([bright, blue, red], dim=1), _FROM_YCC, (128.5, 128.5, 128.5))
    return levels.clamp_(0, 255).to(torch.uint8)


def _continued(
    planes: Float64[torch.Tensor, "*planes h w"], height: int, width: int
) -> Float64[torch.Tensor, "*planes {height} {width}"]:
    """Repeat the last row and column as often as it takes."""
    below, beside = height - planes.shape[-2], width - planes.shape[-1]
    if not below and not beside:
        return planes
    flat = planes.reshape(-1, 1, *planes.shape[-2:])
    longer = F.pad(flat, (0, beside, 0, below), mode="replicate")
    return longer.view(*planes.shape[:-2], height, width)


def _mixed(
    pictures: Float64[torch.Tensor, "n 3 h w"],
    factors: tuple[tuple[int, int, int], ...],
    plus: tuple[float, float, float],
) -> Float64[torch.Tensor, "n 3 h w"]:
    """Mix three planes, in units of 2**-16, add, and round down."""
    mixed = pictures.new_tensor(factors).mul_(_UNIT) @ pictures.flatten(2)
    mixed += mixed.new_tensor(plus)[:, None]
    return mixed.floor_().view_as(pictures)


def _halved(
    planes: Float64[torch.Tensor, "n h w"],
) -> Float64[torch.Tensor, "n half_h half_w"]:
    """Average two by two; halves go down and up in turn, from column to column."""
    rows = planes[:, ::2] + planes[:, 1::2]
    total = rows[..., ::2] + rows[..., 1::2]
    bias = torch.arange(total.shape[-1], device=planes.device).remainder_(2).add_(1)
    return total.add_(bias).mul_(0.25).floor_()


def _doubled(
    planes: Float64[torch.Tensor, "n h w"],
) -> Float64[torch.Tensor, "n double_h double_w"]:
    """Put two by two pixels for one: three quarters of it and one of its neighbour, each way."""
    wider = F.pad(planes[:, None], (1, 1, 1, 1), mode="replicate")[:, 0]
    mine = wider[:, 1:-1] * 3
    rows = torch.stack([mine + wider[:, :-2], mine + wider[:, 2:]], dim=2).flatten(1, 2)
    mine = rows[..., 1:-1] * 3
    left, right = (mine + rows[..., :-2]).add_(8), (mine + rows[..., 2:]).add_(7)
    return torch.stack([left, right], dim=3).flatten(2).mul_(1 / 16).floor_()


def _lossy(planes: Plane, table: Table) -> Plane:
    """Transform blocks, round to multiples of the table, and transform back; levels about 0."""
    height, width = planes.shape[-2:]
    cosines = torch.from_numpy(_COSINES).to(planes.device)
    waves = _down(_across(planes, cosines, _FORTH[0]), cosines, _FORTH[1])
    # Bands of eight rows, below one another; a transform is eight times what the table divides.
    steps = torch.from_numpy(np.tile(table, width // BLOCK)).to(planes.device)
    bands = waves.view(-1, BLOCK, width)
    # Half a step makes it rounding; half a unit more changes no quotient of whole numbers, and
    # none is then so near to the next that a device's division matters.
    size = bands.abs().add_(steps * 4 + 0.5).div_(steps * 8).floor_()
    kept = size.copysign_(bands).mul_(steps).view(-1, height, width)
    levels = _across(_down(kept, cosines.T, _BACK[0]), cosines.T, _BACK[1])
    return levels.clamp_(-128, 127)


def _across(planes: Plane, matrix: Float64[torch.Tensor, "8 8"], bits: int) -> Plane:
    """Transform each eight values of a row, and round so many bits away."""
    made = planes.reshape(-1, BLOCK) @ (matrix.T * 2.0**-bits)
    return made.add_(0.5).floor_().view_as(planes)


def _down(planes: Plane, matrix: Float64[torch.Tensor, "8 8"], bits: int) -> Plane:
    """Transform each eight values of a column, and round so many bits away."""
    made = (matrix * 2.0**-bits) @ planes.reshape(-1, BLOCK, planes.shape[-1])
    return made.add_(0.5).floor_().view_as(planes)


@lru_cache(maxsize=32)
def _table(base: tuple[tuple[int, ...], ...], quality: int) -> Table:
    percent = 5000 // quality if quality < 50 else 200 - 2 * quality
    table = (np.array(base, np.int64) * percent + 50) // 100
    return table.clip(1, 255).astype(np.float64)
