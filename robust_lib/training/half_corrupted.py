"""Training with a corruption: half of each batch is corrupted, the other half is not.

So are the networks trained whose robustness tells which corruptions overlap [overlap, sec. 4.1].
The paper does not say at which severities: they are drawn here, each as often as the others. Nor
does it say whether a picture is corrupted anew whenever it is shown. Here either way can be had:
`half_corrupted` is an augmentation, `corrupted_once` makes a copy of each picture before training,
which costs one epoch's corruptions instead of all. Kept apart from the other augmentations, because
networks that are judged on a benchmark must not know its corruptions.
"""

from collections.abc import Sequence

import numpy as np
import torch

from robust_lib import seeds
from robust_lib.corruptions import corrupt
from robust_lib.errors import InputError, one_of
from robust_lib.training.loop import Augment
from robust_lib.types import Pictures
from robust_lib.vocabulary import NAMES, SEVERITIES, is_corruption

_AT_ONCE = 1024  # pictures held as floats


def half_corrupted(name: str, *, severities: Sequence[int] = SEVERITIES, seed: int = 0) -> Augment:
    """Return the augmentation that corrupts half of each batch, one image less if it is odd.

    Which half, and at which severities, is keyed by ids and epoch and is the same for every
    corruption, so that two networks differ in nothing but the corruption.

    Args:
        severities: which to draw from.

    Returns:
        (images float32 (n, 3, h, w) in [0, 1], ids, epoch) -> the same with half of them corrupted,
        not rounded to 8 bits; the images that are not keep their bits.

    Raises:
        InputError: an unknown corruption or severity; and, when it is called, other images than
            `corrupt` takes, or another number of ids.
    """
    drawn_from = _checked(name, severities)

    def augment(images: torch.Tensor, ids: tuple[str, ...], epoch: int) -> torch.Tensor:
        if len(ids) != len(images):
            raise InputError(f"Expected an id an image, but got {len(ids)} for {len(images)}.")
        made = images.clone()
        for severity, places in _chosen(ids, epoch, drawn_from, seed).items():
            where = torch.tensor(places, device=images.device)
            keys = [f"epoch {epoch}/{ids[place]}" for place in places]
            made[where] = corrupt(images[where], name, severity, keys=keys, seed=seed)
        return made

    return augment


def corrupted_once(
    pictures: Pictures,
    ids: tuple[str, ...],
    name: str,
    *,
    severities: Sequence[int] = SEVERITIES,
    seed: int = 0,
) -> Pictures:
    """Return a corrupted copy of each picture, rounded to 8 bits.

    Each copy's severity is keyed by its id and is the same for every corruption.

    Raises:
        InputError: an unknown corruption or severity, other pictures than `corrupt` takes, or
            another number of ids.
    """
    drawn_from = _checked(name, severities)
    if len(ids) != len(pictures):
        raise InputError(f"Expected an id a picture, but got {len(ids)} for {len(pictures)}.")
    drawn = np.array([_severity(item, "once", drawn_from, seed) for item in ids], np.int64)
    copies = np.empty_like(pictures)
    for severity in drawn_from:
        where = np.flatnonzero(drawn == severity)
        for places in np.split(where, range(_AT_ONCE, len(where), _AT_ONCE)):
            images = torch.from_numpy(pictures[places]).permute(0, 3, 1, 2).float() / 255
            keys = [f"once/{ids[place]}" for place in places]
            made = corrupt(images, name, severity, keys=keys, seed=seed)
            copies[places] = (made * 255).round().byte().permute(0, 2, 3, 1).numpy()
    return copies


def _checked(name: str, severities: Sequence[int]) -> tuple[int, ...]:
    if not is_corruption(name):
        raise InputError(one_of("the corruption to train with", name, NAMES))
    drawn_from = tuple(severities)
    unknown = [severity for severity in drawn_from if severity not in SEVERITIES]
    if unknown or not drawn_from:
        raise InputError(one_of("severities", unknown or "none", SEVERITIES))
    return drawn_from


def _severity(item: str, when: int | str, severities: tuple[int, ...], seed: int) -> int:
    return severities[seeds.key("severity", seed, when, item) % len(severities)]


def _chosen(
    ids: tuple[str, ...], epoch: int, severities: tuple[int, ...], seed: int
) -> dict[int, list[int]]:
    """Return the places of the images to corrupt, by severity."""
    lots = [seeds.key("half corrupted", seed, epoch, item) for item in ids]
    half = sorted(range(len(ids)), key=lots.__getitem__)[: len(ids) // 2]
    places: dict[int, list[int]] = {}
    for place in sorted(half):
        places.setdefault(_severity(ids[place], epoch, severities, seed), []).append(place)
    return places
