"""Augmentations for robust networks, modelled on four published methods.

Each is a short version of its model, for images of a few dozen pixels and minutes of training; its
docstring states what it leaves out. All change half of each batch, except AugMix and
`texture_only`, which change every image. They are keyed by ids and epoch.
"""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

import numpy as np
import torch
from PIL import Image, ImageOps

from robust_lib import seeds
from robust_lib.training.loop import Augment

CHAINS = 3  # of AugMix
LONGEST = 3  # operations in a chain
STRENGTH = 0.3  # of the largest an operation can do
LOUDEST = 0.4  # largest standard deviation of the noise, levels in [0, 1]
KERNELS = (1, 3, 5, 7)  # sides of the random convolutions that replace textures
WIDTH = 12  # channels of the distorted network
DISTORTION = 0.25  # standard deviation of what is added to its weights, relative to their size


def augmix(images: torch.Tensor, ids: tuple[str, ...], epoch: int) -> torch.Tensor:
    """Return mixtures of each image with chains of simple operations, as in AugMix.

    The operations are AugMix's own, none of which is a corruption of ImageNet-C. Its second part,
    a loss for consistent predictions on several mixtures, is left out.

    Args:
        images: float (n, 3, h, w) in [0, 1].
    """
    mixed = torch.empty_like(images)
    for place, item in enumerate(ids):
        rng = seeds.generator("augmix", epoch, item)
        picture = images[place].permute(1, 2, 0).mul(255).round().byte().cpu().numpy()
        weights = rng.dirichlet([1.0] * CHAINS)
        total = np.zeros(picture.shape, np.float64)
        for weight in weights:
            changed = Image.fromarray(picture)
            for _ in range(int(rng.integers(1, LONGEST + 1))):
                changed = _OPERATIONS[int(rng.integers(len(_OPERATIONS)))](changed, rng)
            total += weight * np.asarray(changed, np.float64)
        share = rng.beta(1.0, 1.0)
        chains = torch.from_numpy(total / 255).permute(2, 0, 1).to(images)
        mixed[place] = share * images[place] + (1 - share) * chains
    return mixed.clamp_(0, 1)


def noise(images: torch.Tensor, ids: tuple[str, ...], epoch: int) -> torch.Tensor:
    """Return images, half of them with noise, as in adversarial noise training (ANT).

    ANT learns which noise hurts most; here its level is drawn for each image. In half of the noisy
    images, the noise is constant over three by three pixels, as in ANT3x3.
    """
    made = images.clone()
    height, width = images.shape[-2:]
    for place in _half("noise", ids, epoch):
        rng = seeds.generator("noise", epoch, ids[place])
        size = 3 if rng.random() < 0.5 else 1
        grain = rng.standard_normal((3, -(-height // size), -(-width // size)))
        grain = grain.repeat(size, 1).repeat(size, 2)[:, :height, :width]
        made[place] += torch.from_numpy(rng.uniform(0, LOUDEST) * grain).to(images)
    return made.clamp_(0, 1)


def texture(images: torch.Tensor, ids: tuple[str, ...], epoch: int) -> torch.Tensor:
    """Return images, half of them without their textures and colours, instead of stylised ones.

    This corresponds to training on Stylised ImageNet mixed with ImageNet (SIN+IN).
    """
    return _retextured(images, ids, epoch, _half("texture", ids, epoch))


def texture_only(images: torch.Tensor, ids: tuple[str, ...], epoch: int) -> torch.Tensor:
    """Return images without their textures and colours, as in Stylised ImageNet alone (SIN)."""
    return _retextured(images, ids, epoch, range(len(ids)))


def _retextured(
    images: torch.Tensor, ids: tuple[str, ...], epoch: int, places: Iterable[int]
) -> torch.Tensor:
    """Return images of which some went through a random convolution.

    Stylised ImageNet takes the textures of paintings; a random convolution makes others without
    any, and leaves shapes as they are.
    """
    made = images.clone()
    for place in places:
        rng = seeds.generator("texture", epoch, ids[place])
        side = KERNELS[int(rng.integers(len(KERNELS)))]
        kernel = rng.standard_normal((3, 3, side, side)) / np.sqrt(3 * side * side)
        padded = torch.nn.functional.pad(images[place][None], [side // 2] * 4, mode="reflect")
        other = torch.nn.functional.conv2d(padded, torch.from_numpy(kernel).to(images))[0]
        # A convolution shifts and stretches colours; each channel keeps its mean and spread.
        made[place] = _as_before(other, images[place])
    return made.clamp_(0, 1)


def deepaugment(images: torch.Tensor, ids: tuple[str, ...], epoch: int) -> torch.Tensor:
    """Return images, half of them passed through a network with distorted weights.

    DeepAugment distorts networks that were trained to copy images; this network of two convolutions
    is built to copy them and is distorted in the same way: weights are perturbed, and channels are
    dropped, negated and passed through other non-linear functions.
    """
    made = images.clone()
    for place in _half("deepaugment", ids, epoch):
        rng = seeds.generator("deepaugment", epoch, ids[place])
        spread = rng.standard_normal((WIDTH, 3)) / np.sqrt(3)
        first = np.zeros((WIDTH, 3, 3, 3))
        first[:, :, 1, 1] = spread
        second = np.zeros((3, WIDTH, 3, 3))
        second[:, :, 1, 1] = np.linalg.pinv(spread)
        shaken = [_shaken(kernel, rng) for kernel in (first, second)]
        kept = np.where(rng.random(WIDTH) < rng.uniform(0, 0.15), 0.0, 1.0)
        kept *= np.where(rng.random(WIDTH) < rng.uniform(0, 0.05), -1.0, 1.0)
        lift, back = (torch.from_numpy(kernel).to(images) for kernel in shaken)
        hidden = torch.nn.functional.conv2d(_padded(images[place] - 0.5), lift)
        hidden = hidden * torch.from_numpy(kept).to(images)[:, None, None]
        if rng.random() < 0.5:
            hidden = torch.tanh(2 * hidden) / 2
        made[place] = torch.nn.functional.conv2d(_padded(hidden[0]), back)[0] + 0.5
    return made.clamp_(0, 1)


def _shaken(kernel: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    size = rng.uniform(0, DISTORTION) * np.abs(kernel).max() / 3
    return np.asarray(kernel + size * rng.standard_normal(kernel.shape))


def _padded(image: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.pad(image[None], [1, 1, 1, 1], mode="reflect")


def _as_before(changed: torch.Tensor, image: torch.Tensor) -> torch.Tensor:
    """Return an image with the mean and spread of each channel of another."""
    mean, spread = image.mean((1, 2), keepdim=True), image.std((1, 2), keepdim=True)
    own, width = changed.mean((1, 2), keepdim=True), changed.std((1, 2), keepdim=True)
    return (changed - own) / width.clamp_min(1e-6) * spread + mean


def _half(what: str, ids: tuple[str, ...], epoch: int) -> list[int]:
    """Return the places of half of a batch, one image less if it is odd."""
    lots = [seeds.key(what, "half", epoch, item) for item in ids]
    return sorted(sorted(range(len(ids)), key=lots.__getitem__)[: len(ids) // 2])


def _turned(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
    return picture.rotate(_signed(30.0, rng), resample=Image.Resampling.BILINEAR)


def _moved(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
    """Return an image sheared or shifted along one of its sides."""
    shear, shift = _signed(0.3, rng), _signed(picture.width / 3, rng)
    rows = (
        (1, shear, 0, 0, 1, 0),
        (1, 0, 0, shear, 1, 0),
        (1, 0, shift, 0, 1, 0),
        (1, 0, 0, 0, 1, shift),
    )
    return picture.transform(
        picture.size,
        Image.Transform.AFFINE,
        rows[int(rng.integers(len(rows)))],
        resample=Image.Resampling.BILINEAR,
    )


def _signed(largest: float, rng: np.random.Generator) -> float:
    return float(rng.uniform(-1, 1) * STRENGTH * largest)


_Operation = Callable[[Image.Image, np.random.Generator], Image.Image]
# Nine of AugMix: each of the four ways to move a picture counts.
_OPERATIONS: tuple[_Operation, ...] = (
    lambda picture, _: ImageOps.autocontrast(picture),
    lambda picture, _: ImageOps.equalize(picture),
    lambda picture, rng: ImageOps.posterize(picture, 4 - int(rng.uniform(0, 4 * STRENGTH))),
    lambda picture, rng: ImageOps.solarize(picture, 256 - int(rng.uniform(0, 256 * STRENGTH))),
    _turned,
    *[_moved] * 4,
)

ROBUST: Mapping[str, Augment] = MappingProxyType(
    {
        "augmix": augmix,
        "noise": noise,
        "texture": texture,
        "texture_only": texture_only,
        "deepaugment": deepaugment,
    }
)
