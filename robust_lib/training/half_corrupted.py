"""Training with a corruption: half of each batch is corrupted, the other half is not.

So are the networks trained whose robustness tells which corruptions overlap [overlap, sec. 4.1].
The paper does not say at which severities: they are drawn here, each as often as the others. Kept
apart from the other augmentations, because networks that are judged on a benchmark must not know
its corruptions.
"""

from collections.abc import Sequence

import torch

from robust_lib import seeds
from robust_lib.corruptions import corrupt
from robust_lib.errors import InputError, one_of
from robust_lib.training.loop import Augment
from robust_lib.vocabulary import NAMES, SEVERITIES, is_corruption


def half_corrupted(name: str, *, severities: Sequence[int] = SEVERITIES, seed: int = 0) -> Augment:
    """Return the augmentation that corrupts half of each batch, one image less if it is odd.

    Which half, and at which severities, is keyed by ids and epoch and is the same for every
    corruption, so that two networks differ in nothing but the corruption.

    Args:
        name: of the corruption.
        severities: which to draw from.
        seed: another one draws another half, other severities, and other noise.

    Returns:
        (images float32 (n, 3, h, w) in [0, 1], ids, epoch) -> the same with half of them corrupted,
        not rounded to 8 bits; the images that are not keep their bits.

    Raises:
        InputError: an unknown corruption or severity; and, when it is called, other images than
            `corrupt` takes, or another number of ids.

    >>> images = torch.full((4, 3, 32, 32), 0.5)
    >>> made = half_corrupted("gaussian_noise")(images, ("a", "b", "c", "d"), 0)
    >>> int((made != images).flatten(1).any(1).sum())
    2
    """
    if not is_corruption(name):
        raise InputError(one_of("the corruption to train with", name, NAMES))
    drawn_from = tuple(severities)
    unknown = [severity for severity in drawn_from if severity not in SEVERITIES]
    if unknown or not drawn_from:
        raise InputError(one_of("severities", unknown or "none", SEVERITIES))

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


def _chosen(
    ids: tuple[str, ...], epoch: int, severities: tuple[int, ...], seed: int
) -> dict[int, list[int]]:
    """Return the places of the images to corrupt, by severity."""
    lots = [seeds.key("half corrupted", seed, epoch, item) for item in ids]
    half = sorted(range(len(ids)), key=lots.__getitem__)[: len(ids) // 2]
    places: dict[int, list[int]] = {}
    for place in sorted(half):
        lot = seeds.key("severity", seed, epoch, ids[place])
        places.setdefault(severities[lot % len(severities)], []).append(place)
    return places
