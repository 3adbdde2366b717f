"""Training with a corruption: half of each batch is corrupted, the other half is not.

The networks behind the overlapping scores are trained in this way [overlap, sec. 4.1]. The paper
does not state the severities: here they are drawn with equal probability. Nor does it say whether
an image is corrupted again each time it is used. Both ways are available: `half_corrupted` is an
augmentation; `corrupted_once` makes a copy of each image before training, at the cost of one
epoch's corruptions instead of all. This module is separate from the other augmentations, because
networks that are evaluated on a benchmark must not train on its corruptions.
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
    """Return an augmentation that corrupts half of each batch, rounded down.

    The choice of the half and of the severities is keyed by ids and epoch and is the same for every
    corruption, so that two networks differ only in the corruption.

    Args:
        severities: the severities to draw from.

    Returns:
        (images float32 (n, 3, h, w) in [0, 1], ids, epoch) -> the same with half of them corrupted,
        not rounded to 8 bits; the others are unchanged bit by bit.

    Raises:
        InputError: an unknown corruption or severity; and, when it is called, images that `corrupt`
            does not accept, or a wrong number of ids.
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
    """Return a corrupted copy of each image, rounded to 8 bits.

    Each copy's severity is keyed by its id and is the same for every corruption.

    Raises:
        InputError: an unknown corruption or severity, images that `corrupt` does not accept, or a
            wrong number of ids.
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
