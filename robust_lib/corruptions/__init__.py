"""The corruptions of ImageNet-C, the four extra ones, and two occlusions, on batches of images.

    from robust_lib.corruptions import corrupt
    foggy = corrupt(images, "fog", 3, keys=ids)

`images` are float32 fractions in [0, 1] of shape (n, 3, h, w), on any device; so is the result. An
image's result depends on its key alone, never on its batch. Lengths in the benchmark's constants
are pixels of a 224 px image and scale with the shorter side.
"""

from collections.abc import Sequence
from operator import index
from typing import SupportsIndex

import torch

from robust_lib.corruptions import user_function
from robust_lib.corruptions.draws import Stream
from robust_lib.corruptions.frost_textures import textures
from robust_lib.corruptions.table import CORRUPTIONS
from robust_lib.errors import InputError, one_of
from robust_lib.vocabulary import NAMES, OCCLUSION, SEVERITIES, is_corruption, is_user_function

SMALLEST_SIDE = 32
"""Pixels; below it the scaled lengths mean nothing."""

_BLOCK = {"cpu": 320_000, "cuda": 16_000_000}  # values at once: a CPU's cache, a GPU's memory


def corrupt(
    images: torch.Tensor,
    name: str,
    severity: int,
    *,
    keys: Sequence[str | SupportsIndex],
    seed: int = 0,
) -> torch.Tensor:
    """Return corrupted copies of a batch of images, as in ImageNet-C [inc, sec. 3.2].

    The result is not rounded to 8 bits unless the corruption itself works on 8-bit images;
    `levels.truncate` returns the levels that the benchmark would store, `jpeg.as_stored` the images
    that are read back from its archive.

    Args:
        images: float32 (n, 3, h, w), RGB fractions in [0, 1], sides of 32 px or more, any device.
        name: one of `vocabulary.NAMES`, or <file>.py:<function>, see `user_function`.
        severity: 1 to 5; the two occlusions draw from one distribution at every severity.
        keys: an identifier of each image (a file name, a number). The random draws depend on the
            seed, the key, the name and the severity alone.
        seed: a different seed gives a different, equally valid instance of the benchmark.

    Returns:
        A new tensor of the same shape, type and device, in [0, 1].

    Raises:
        InputError: an unknown name or severity, a wrong shape or type, values outside [0, 1], or
            different numbers of keys and images.

    >>> grey = torch.full((2, 3, 64, 64), 0.5)
    >>> alone = corrupt(grey[:1], "shot_noise", 3, keys=["a"])
    >>> bool((corrupt(grey, "shot_noise", 3, keys=["b", "a"])[1] == alone[0]).all())
    True
    """
    _check_choice(name, severity)
    _check_images(images)
    labels = _labels(images, name, severity, keys, seed)
    if images.device.type not in _BLOCK:  # devices without doubles or 32-bit wrap-around
        return corrupt(images.cpu(), name, severity, keys=keys, seed=seed).to(images.device)
    corruption = user_function.load(name) if is_user_function(name) else CORRUPTIONS[name]
    result = torch.empty_like(images, memory_format=torch.contiguous_format)
    step = max(1, _BLOCK[images.device.type] // images[:1].numel()) if len(images) else 1
    for start in range(0, len(images), step):
        block = images[start : start + step].contiguous()
        stream = Stream(labels[start : start + step], images.device)
        drawn = corruption.draw(stream, block, severity)
        result[start : start + step] = corruption.apply(block, severity, *drawn)
    return result


def is_canonical(name: str) -> bool:
    """Return whether a corruption is the benchmark's own; only frost may lack its textures.

    For corruptions outside the papers, use `config.corruption_cards.is_canonical`.
    """
    _check_choice(name, 1)
    return not is_user_function(name) and (name != "frost" or textures().canonical)


def convention(name: str) -> str:
    """Return the convention to print next to a number computed with this corruption.

    For corruptions outside the papers, use `config.corruption_cards.convention`.

    >>> convention("contrast")
    'as published'
    """
    _check_choice(name, 1)
    if is_user_function(name):
        return "not of the benchmark"
    if name == "frost" and not textures().canonical:
        return "drawn stand-ins for the frost pictures, not canonical"
    if name in ("motion_blur", "snow"):
        return "motion blur computed without ImageMagick"
    if name in OCCLUSION:
        return "grey value, wholly inside, the same for every severity"
    return "as published"


def _check_choice(name: str, severity: int) -> None:
    if not is_corruption(name):
        raise InputError(one_of("the corruption's name", name, NAMES))
    if isinstance(severity, bool) or severity not in SEVERITIES:
        raise InputError(one_of("severity", severity, SEVERITIES))


def _check_images(images: torch.Tensor) -> None:
    if images.dtype != torch.float32:
        raise InputError(
            f"Expected images of type float32 with values in [0, 1], but got {images.dtype}. "
            f"Convert 8-bit pictures with images.float() / 255."
        )
    if images.ndim != 4 or images.shape[1] != 3 or min(images.shape[2:]) < SMALLEST_SIDE:
        raise InputError(
            f"Expected RGB images of shape (n, 3, height, width) with sides of at least "
            f"{SMALLEST_SIDE} px, but got {tuple(images.shape)}. Repeat a grey channel three "
            f"times; move a last colour axis to the second place."
        )
    if len(images) == 0:
        return
    low, high = (float(end) for end in torch.aminmax(images))
    if not (low >= 0 and high <= 1):  # NaN fails both
        raise InputError(
            f"Expected image values in [0, 1], but got values from {low:g} to {high:g}. Divide "
            f"8-bit levels by 255 and corrupt before any normalisation."
        )


def _labels(
    images: torch.Tensor, name: str, severity: int, keys: Sequence[str | SupportsIndex], seed: int
) -> tuple[tuple[object, ...], ...]:
    if isinstance(keys, str) or len(keys) != len(images):
        raise InputError(
            f"Expected one key for each of the {len(images)} images, but got "
            f"{'one string' if isinstance(keys, str) else len(keys)}. Pass a list of file names "
            f"or numbers that identify the images."
        )
    for key in keys:
        if isinstance(key, bool) or not isinstance(key, str | SupportsIndex):
            raise InputError(
                f"Expected each key to be a text or a whole number, but got {key!r}. Use what "
                f"identifies the image, such as its file name."
            )
    # NumPy's whole numbers and Python's are the same key.
    plain = (key if isinstance(key, str) else index(key) for key in keys)
    return tuple((int(seed), key, name, int(severity)) for key in plain)
