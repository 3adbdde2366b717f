"""The diamond-square plasma that the benchmark uses as fog."""

import torch
from jaxtyping import Float32

Map = Float32[torch.Tensor, "n side side"]


def side(height: int, width: int) -> int:
    """Return the map's side: the next power of two that covers the image (256 for 224).

    >>> side(224, 224), side(64, 48)
    (256, 64)
    """
    return int(2 ** (max(height, width) - 1).bit_length())


def fractal(wobbles: Map, decay: float) -> Map:
    """Return height maps in [0, 1] that wrap around at their edges.

    Every point of a map except the first is the mean of four points around it plus a random offset,
    first at the centres of squares, then at their edges, on finer and finer grids.

    Args:
        wobbles: uniform numbers in [-1, 1), one for each point of the map.
        decay: factor by which the amplitude of the offsets shrinks from one grid to the next; it
            enters squared, because the benchmark multiplies by the amplitude twice.
    """
    heights = torch.zeros_like(wobbles)
    step, amplitude = wobbles.shape[-1], 100.0
    while step >= 2:
        half = step // 2
        power = amplitude**2
        corners = heights[:, ::step, ::step]
        down = corners + corners.roll(-1, 1)
        around = down + down.roll(-1, 2)
        heights[:, half::step, half::step] = torch.add(
            around / 4, wobbles[:, half::step, half::step], alpha=power
        )
        centres = heights[:, half::step, half::step]
        across = (centres + centres.roll(1, 1)) + (corners + corners.roll(-1, 2))
        heights[:, ::step, half::step] = torch.add(
            across / 4, wobbles[:, ::step, half::step], alpha=power
        )
        along = (centres + centres.roll(1, 2)) + (corners + corners.roll(-1, 1))
        heights[:, half::step, ::step] = torch.add(
            along / 4, wobbles[:, half::step, ::step], alpha=power
        )
        step, amplitude = half, amplitude / decay
    lowest, highest = heights.amin((1, 2), keepdim=True), heights.amax((1, 2), keepdim=True)
    return heights.sub_(lowest).div_(highest - lowest)
