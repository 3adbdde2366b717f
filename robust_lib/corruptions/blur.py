"""Blurs: defocus, frosted glass, motion and zoom [inc, sec. 3.2]."""

from math import ceil

import numpy as np
import torch
from jaxtyping import Float32, Int32, Int64

from robust_lib.corruptions import draws, filters, flat, motion, zoom
from robust_lib.corruptions.levels import Images, exact_levels, scale

DEFOCUS = ((3.0, 0.1), (4.0, 0.5), (6.0, 0.5), (8.0, 0.5), (10.0, 0.5))  # radius, smoothing sigma
GLASS = ((0.7, 1, 2), (0.9, 2, 1), (1, 2, 3), (1.1, 3, 2), (1.5, 4, 2))  # sigma, reach, rounds
MOTION = ((10, 3), (15, 5), (15, 8), (15, 12), (20, 15))  # radius, sigma
ZOOM = ((1.11, 0.01), (1.16, 0.01), (1.21, 0.02), (1.26, 0.02), (1.31, 0.03))  # end, step
GAUSSIAN_SIGMA = (1, 2, 3, 4, 6)

_BELOW = 1e-4 / 255  # a ten-thousandth of a level: above float32's error, below any meaning

Angles = Float32[torch.Tensor, " n"]
Offsets = Int32[torch.Tensor, "n 2 rounds h w"]


def defocus_blur(images: Images, severity: int) -> Images:
    """Spread each pixel over a disk, as a lens that is out of focus does."""
    radius, sigma = DEFOCUS[severity - 1]
    kernel = filters.disk(radius, sigma, scale(*images.shape[-2:]))
    blurred = filters.correlate(images, kernel)
    if kernel.sum(dtype=np.float64) < 1:
        # By a few parts in 10**9: less than float32 resolves, yet it puts every mean that is a
        # whole level (areas of one colour; one in 29 means at severity 1) on the level below.
        blurred -= _BELOW
    return blurred.clamp_(0, 1)


def gaussian_blur(images: Images, severity: int) -> Images:
    """Smooth with a Gaussian."""
    sigma = GAUSSIAN_SIGMA[severity - 1] * scale(*images.shape[-2:])
    levels = filters.smooth(exact_levels(images), filters.gaussian(sigma))
    return flat.settled(levels, flat.after_gaussian(sigma))


def draw_glass(stream: draws.Stream, images: Images, severity: int) -> tuple[Offsets]:
    """Draw, for each round, the offset (right and down) from which each pixel is copied.

    The benchmark draws from -reach to reach - 1: the upper bound is excluded, so pixels move
    down and right on average. We keep this. At other image sizes, the offset is scaled and rounded
    up or down at random, which preserves its mean; at 224 px this changes nothing.
    """
    _, reach, rounds = GLASS[severity - 1]
    factor = scale(*images.shape[-2:])
    size = (rounds, *images.shape[-2:])
    offsets = draws.integer_pairs(stream, "offsets", -reach, reach, *size)
    if factor == 1:
        return (offsets,)
    chance = draws.uniform(stream, "rounding", 2, *size)
    return (chance.add_(offsets, alpha=factor).floor_().int(),)


def glass_blur(images: Images, severity: int, offsets: Offsets) -> Images:
    """Smooth, shuffle pixels locally, and smooth again, as a pane of frosted glass does.

    The image is truncated to 8 bits after the first smoothing, as the benchmark does. Its
    "swap" of two pixels copies one over the other, because the two sides are views of one array;
    a true swap would be a different corruption.
    """
    sigma, reach, _ = GLASS[severity - 1]
    height, width = images.shape[-2:]
    factor = scale(height, width)
    taps = filters.gaussian(sigma * factor)
    becomes = flat.after_gaussian(sigma * factor)
    # In doubles: a level on the wrong side would be copied about, and smoothed again.
    smooth = flat.settled(filters.smooth(exact_levels(images), taps), becomes)
    smooth.mul_(255).floor_()
    source = copied_from(offsets, glass_margin(reach, factor))
    places = source.view(-1, 1, height * width).expand(-1, 3, -1)
    shuffled = smooth.flatten(2).gather(2, places).view_as(images)
    return flat.settled(filters.smooth(shuffled.double(), taps), becomes)


def glass_margin(reach: int, factor: float) -> int:
    """Return the width of the border that the walk omits: the largest offset, in pixels.

    >>> glass_margin(4, 1.0), glass_margin(4, 64 / 224)
    (4, 2)
    """
    return max(ceil(reach * factor), ceil((reach - 1) * factor) + 1)


def copied_from(offsets: Offsets, margin: int) -> Int64[torch.Tensor, "n h w"]:
    """Return, for each pixel, the pixel of the image that ends up there.

    The benchmark visits pixels from the bottom right to the top left; each pixel takes the value
    that its neighbour has at that moment. A neighbour visited before already holds a copied value,
    so the origin of a value is a chain through visited pixels. Following all chains at once, in
    doubling steps, gives exactly the same result.

    Args:
        offsets: x and y of the neighbour for each round and pixel.
        margin: pixels 0..margin and the last margin - 1 of each row and column are not visited.
    """
    images, _, rounds, height, width = offsets.shape
    count = height * width
    place = torch.arange(count, dtype=torch.int32, device=offsets.device)
    row = torch.arange(height, device=offsets.device)[:, None]
    column = torch.arange(width, device=offsets.device)
    walked = (row > margin) & (row <= height - margin)
    walked = (walked & (column > margin) & (column <= width - margin)).view(-1)
    steps = (offsets[:, 1] * width).add_(offsets[:, 0]).flatten(2)
    neighbours = steps.mul_(walked).add_(place).long()
    # Links 0..count-1 are ends of chains, count..2*count-1 lead on to the chain of that pixel.
    links = torch.empty(images, 2 * count, dtype=torch.int64, device=offsets.device)
    links[:, :count] = place
    source = links[:, :count].clone()
    for i in range(rounds):
        neighbour = neighbours[:, i]
        passed = walked.index_select(0, neighbour.reshape(-1)).view_as(neighbour)
        link = passed.logical_and_(neighbour > place).long().mul_(count).add_(neighbour)
        while int(link.max()) >= count:
            links[:, count:] = link
            link = links.gather(1, link)
        source = source.gather(1, link)
    return source.view(images, height, width)


def draw_angle(stream: draws.Stream, images: Images, severity: int) -> tuple[Angles]:
    """Draw the direction of motion: at most 45 degrees off the horizontal."""
    return (draws.uniform(stream, "angle").mul_(90).sub_(45),)


def motion_blur(images: Images, severity: int, angles: Angles) -> Images:
    """Smear along a line, as a fast-moving camera does.

    The result is rounded to 8 bits, since ImageMagick returns a stored image to the benchmark.
    """
    radius, sigma = MOTION[severity - 1]
    factor = scale(*images.shape[-2:])
    blurred = motion.blur(images * 255, angles, radius * factor, sigma * factor)
    return blurred.round_().div_(255).clamp_(0, 1)


def zoom_factors(severity: int) -> list[float]:
    """Return the magnifications; the five severities have 12, 16, 11, 13 and 11 of them.

    In floating-point arithmetic, the end point of the benchmark's first range is included.

    >>> [len(zoom_factors(severity)) for severity in (1, 2, 3, 4, 5)]
    [12, 16, 11, 13, 11]
    """
    end, step = ZOOM[severity - 1]
    return [float(factor) for factor in np.arange(1, end, step)]


def zoom_blur(images: Images, severity: int) -> Images:
    """Average enlargements of the image, as a camera that moves fast towards its object does.

    The image itself counts twice, once as magnification 1 and once more on top, and the divisor
    is one more than the number of magnifications, as in the benchmark.
    """
    factors = zoom_factors(severity)
    total = zoom.clipped_sum(images, factors).add_(images)
    return total.div_(len(factors) + 1).clamp_(0, 1)
