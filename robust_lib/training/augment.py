"""Augmentations: random changes of a batch of images before a network trains on it.

An augmentation is keyed by the ids and the epoch, so that a resumed run draws the same changes.
"""

from collections.abc import Mapping
from types import MappingProxyType

import cv2
import numpy as np
import torch
from jaxtyping import Float64

from robust_lib import seeds
from robust_lib.training.loop import Augment

TURN = 0.15  # largest rotation, radians
ZOOM = (0.88, 1.14)
STRETCH = (0.92, 1.09)
SHEAR = 0.1
SHIFT = 0.06  # of half the picture's side
COLOUR = 0.12  # standard deviation of the entries by which channels mix
LIGHT = 0.04  # standard deviation of a channel's offset
GREY = 0.08  # share of images that lose their colour

AREA = (0.08, 1.0)  # of a crop, as a share of the picture: ImageNet's usual training
ASPECT = (3 / 4, 4 / 3)  # of a crop, width over height
TRIES = 10  # crops that do not fit are drawn anew; then the whole picture is taken


def pose_and_colour(images: torch.Tensor, ids: tuple[str, ...], epoch: int) -> torch.Tensor:
    """Return images rotated, zoomed, stretched, sheared, shifted, and recoloured.

    It varies a small number of drawings in many ways, and uses none of the benchmark's corruptions.

    Args:
        images: float (n, 3, h, w) in [0, 1].
        ids: one per image; all of them together key the draws.
    """
    height, width = images.shape[-2:]
    rng = seeds.generator("pose_and_colour", epoch, *ids)
    pictures = images.permute(0, 2, 3, 1).cpu().numpy()
    changed = np.empty_like(pictures, order="C")
    poses = _poses(len(ids), height, width, rng)
    mixes, offsets = _colours(len(ids), rng)
    for picture, pose, mix, offset, result in zip(
        pictures, poses, mixes, offsets, changed, strict=True
    ):
        # Linear sampling blurs, and a network trained on blurred pictures prefers them.
        posed = cv2.warpAffine(
            picture,
            pose,
            (width, height),
            flags=cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REFLECT,
        )
        mean = np.array(cv2.mean(posed)[:3])
        cv2.transform(posed, np.column_stack([mix, mean - mix @ mean + offset]), dst=result)
    return torch.from_numpy(changed).permute(0, 3, 1, 2).clamp_(0, 1).to(images.device)


def resized_crop(images: torch.Tensor, ids: tuple[str, ...], epoch: int) -> torch.Tensor:
    """Return a part of each image, resized to full size: ImageNet's usual random crops.

    Area and shape are drawn as torchvision's RandomResizedCrop draws them. Crops come from the
    images as the network gets them, not from the photograph around them.

    Args:
        images: float (n, 3, h, w) in [0, 1].
    """
    size = (images.shape[-2], images.shape[-1])
    changed = torch.empty_like(images)
    for place, item in enumerate(ids):
        top, left, height, width = _part(*size, seeds.generator("resized_crop", epoch, item))
        part = images[place : place + 1, :, top : top + height, left : left + width]
        changed[place] = torch.nn.functional.interpolate(
            part, size=size, mode="bilinear", antialias=True
        )[0]
    return changed.clamp_(0, 1)


def _part(height: int, width: int, rng: np.random.Generator) -> tuple[int, int, int, int]:
    """Return top, left, height and width of a part of an image, pixels."""
    for _ in range(TRIES):
        area = height * width * rng.uniform(*AREA)
        aspect = np.exp(rng.uniform(*np.log(ASPECT)))
        wide, tall = round(np.sqrt(area * aspect)), round(np.sqrt(area / aspect))
        if 0 < wide <= width and 0 < tall <= height:
            top, left = rng.integers(height - tall + 1), rng.integers(width - wide + 1)
            return int(top), int(left), tall, wide
    return 0, 0, height, width


def _poses(
    number: int, height: int, width: int, rng: np.random.Generator
) -> Float64[np.ndarray, "n 2 3"]:
    """Return, for each pixel of the result, the place in the image that it shows, in pixels."""
    turn, zoom = rng.uniform(-TURN, TURN, number), rng.uniform(*ZOOM, number)
    tall, shear = zoom * rng.uniform(*STRETCH, number), rng.uniform(-SHEAR, SHEAR, number)
    cos, sin = np.cos(turn), np.sin(turn)
    linear = np.array([[cos * zoom, shear - sin * tall], [sin * zoom, cos * tall]])
    linear = linear.transpose(2, 0, 1)
    centre = np.array([width - 1, height - 1]) / 2
    shift = rng.uniform(-SHIFT, SHIFT, (number, 2)) * (width / 2, height / 2)
    return np.concatenate([linear, (centre - linear @ centre + shift)[..., None]], axis=2)


def _colours(
    number: int, rng: np.random.Generator
) -> tuple[Float64[np.ndarray, "n 3 3"], Float64[np.ndarray, "n 3"]]:
    """Return how channels mix around each image's mean colour, and what is added to each."""
    mixes = np.eye(3) + COLOUR * rng.standard_normal((number, 3, 3))
    mixes[rng.random(number) < GREY] = 1 / 3
    return mixes, LIGHT * rng.standard_normal((number, 3))


AUGMENTATIONS: Mapping[str, Augment] = MappingProxyType({"pose_and_colour": pose_and_colour})
