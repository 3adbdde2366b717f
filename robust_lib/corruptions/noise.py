"""Noise: independent disturbances of each pixel and channel [inc, sec. 3.2]."""

import torch
from jaxtyping import Float32, Int32

from robust_lib.corruptions import draws, poisson
from robust_lib.corruptions.levels import Images, from_exact

GAUSSIAN_SIGMA = (0.08, 0.12, 0.18, 0.26, 0.38)
SHOT_RATE = (60, 25, 12, 5, 3)
IMPULSE_SHARE = (0.03, 0.06, 0.09, 0.17, 0.27)
SPECKLE_SIGMA = (0.15, 0.2, 0.35, 0.45, 0.6)

Normals = Float32[torch.Tensor, "n 3 h w"]


def draw_normals(stream: draws.Stream, images: Images, severity: int) -> tuple[Normals]:
    """Draw one standard normal number for each pixel and channel."""
    return (draws.normal(stream, "noise", *images.shape[1:]),)


def gaussian_noise(images: Images, severity: int, normals: Normals) -> Images:
    """Add normal noise of the same strength everywhere, as in low light."""
    sigma = GAUSSIAN_SIGMA[severity - 1]
    return torch.add(images, normals, alpha=sigma).clamp_(0, 1)


def speckle_noise(images: Images, severity: int, normals: Normals) -> Images:
    """Add normal noise in proportion to the pixel's brightness."""
    sigma = SPECKLE_SIGMA[severity - 1]
    return torch.addcmul(images, images, normals, value=sigma).clamp_(0, 1)


def draw_counts(
    stream: draws.Stream, images: Images, severity: int
) -> tuple[Int32[torch.Tensor, "n 3 h w"]]:
    """Draw the number of photons that each pixel and channel receives."""
    return (poisson.capped_counts(stream, images, SHOT_RATE[severity - 1]),)


def shot_noise(images: Images, severity: int, counts: Int32[torch.Tensor, "n 3 h w"]) -> Images:
    """Replace brightness by a Poisson count of photons, as in electronic shot noise."""
    rate = SHOT_RATE[severity - 1]
    shades = torch.arange(rate + 1, dtype=torch.float64, device=images.device) / rate
    table = from_exact(shades * 255)
    return table.index_select(0, counts.clamp(max=rate).view(-1)).view_as(images)


def draw_chances(
    stream: draws.Stream, images: Images, severity: int
) -> tuple[Float32[torch.Tensor, "n 3 h w"]]:
    """Draw one uniform number for each pixel and channel."""
    return (draws.uniform(stream, "impulses", *images.shape[1:]),)


def impulse_noise(
    images: Images, severity: int, chances: Float32[torch.Tensor, "n 3 h w"]
) -> Images:
    """Set a share of the values to white and an equal share to black, channel by channel."""
    share = IMPULSE_SHARE[severity - 1]
    salted = images.masked_fill(chances <= share, 0)
    return salted.masked_fill_(chances <= share / 2, 1)
