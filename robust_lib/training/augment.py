"""Augmentations: what is done to a batch of images before a network trains on it.

An augmentation is keyed by the ids and the epoch, so that a resumed run draws the same.
"""

from collections.abc import Mapping
from types import MappingProxyType

import torch

from robust_lib import seeds
from robust_lib.training.loop import Augment

TURN = 0.35  # largest rotation, radians
ZOOM = (0.8, 1.25)
STRETCH = (0.85, 1.18)
SHEAR = 0.2
SHIFT = 0.12  # of half the picture's side
COLOUR = 0.18  # standard deviation of the entries by which channels mix
LIGHT = 0.08  # standard deviation of a channel's offset
GREY = 0.15  # share of images that lose their colour


def pose_and_colour(images: torch.Tensor, ids: tuple[str, ...], epoch: int) -> torch.Tensor:
    """Return images turned, zoomed, stretched, sheared, shifted, and with other colours.

    It shows a network few drawings in many guises, and none of the benchmark's corruptions.

    Args:
        images: float (n, 3, h, w) in [0, 1].
        ids: one an image.
        epoch: another epoch draws anew.
    """
    draw = torch.Generator().manual_seed(seeds.key("pose_and_colour", epoch, *ids) % 2**63)
    n = len(images)

    def between(low: float, high: float) -> torch.Tensor:
        return torch.rand(n, generator=draw) * (high - low) + low

    turn, zoom = between(-TURN, TURN), between(*ZOOM)
    tall, shear = zoom * between(*STRETCH), between(-SHEAR, SHEAR)
    right, down = between(-SHIFT, SHIFT), between(-SHIFT, SHIFT)
    cos, sin = turn.cos(), turn.sin()
    rows = (
        torch.stack([cos * zoom, shear - sin * tall, right], 1),
        torch.stack([sin * zoom, cos * tall, down], 1),
    )
    mix = torch.eye(3) + COLOUR * torch.randn(n, 3, 3, generator=draw)
    grey = torch.rand(n, 1, 1, generator=draw) < GREY
    mix = torch.where(grey, torch.full((3, 3), 1 / 3), mix).to(images.device)
    light = LIGHT * torch.randn(n, 3, 1, 1, generator=draw).to(images.device)

    affine = torch.stack(rows, 1).to(images.device)
    grid = torch.nn.functional.affine_grid(affine, list(images.shape), align_corners=False)
    images = torch.nn.functional.grid_sample(
        images, grid, padding_mode="reflection", align_corners=False
    )
    mean = images.mean((2, 3), keepdim=True)
    mixed = torch.einsum("nij,njhw->nihw", mix, images - mean)
    return (mixed + mean + light).clamp(0, 1)


AUGMENTATIONS: Mapping[str, Augment] = MappingProxyType({"pose_and_colour": pose_and_colour})
