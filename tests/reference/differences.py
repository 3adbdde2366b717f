"""The known differences between the benchmark's code and the peer's, each measured.

Ours stands for the benchmark: it agrees with the oracle that is written from its code. All sizes
are mean absolute differences in 8-bit levels, over pictures and the five severities: what the
corruption changes in the clean picture, by the benchmark's and by the peer's definition, and how
far the two results are apart where both are given the same random numbers.
"""

from dataclasses import dataclass

import numpy as np
import torch

from robust_lib.corruptions import corrupt
from robust_lib.corruptions.jpeg import as_stored
from robust_lib.corruptions.levels import truncate
from robust_lib.vocabulary import COMMON, SEVERITIES
from tests.reference.agreement import ours_and_draws, tensors
from tests.reference.handed import corrupted_by_peer

OFTEN = 8


@dataclass(frozen=True)
class Size:
    """Mean absolute differences, levels."""

    benchmark: float
    peer: float
    between: float | None


def same_draws(theirs, name, pictures, look=None):
    """Ours and the peer's with our random numbers."""

    def pair(severity):
        ours, arguments = ours_and_draws(name, severity, pictures)
        each = zip(pictures, arguments, strict=True)
        return ours, [corrupted_by_peer(theirs, name, severity, p, one) for p, one in each]

    return sizes(pictures, pair)


def own_draws(theirs, name, pictures, look):
    """Each with random numbers of its own, since the peer asks for others; each picture often."""
    pictures = np.repeat(pictures, OFTEN, axis=0)

    def pair(severity):
        np.random.seed(severity)
        ours, _ = ours_and_draws(name, severity, pictures, look if name == "frost" else None)
        return ours, [corrupted_by_peer(theirs, name, severity, p) for p in pictures]

    size = sizes(pictures, pair)
    return Size(size.benchmark, size.peer, None)


def shrunk(theirs, name, pictures, look=None):
    """Pictures of 64 px: the peer's lengths do not scale."""
    images = torch.nn.functional.interpolate(tensors(pictures), (64, 64), mode="area")
    small = to_pictures(truncate(images))
    return same_draws(theirs, name, small)


def stored_as_jpeg(theirs, name, pictures, look=None):
    """What the archive's JPEG files add to the fifteen common corruptions; the peer has none."""
    images = tensors(pictures)
    keys = range(len(images))

    def pair(name, severity):
        made = corrupt(images, name, severity, keys=keys)
        return to_pictures(truncate(as_stored(made))), to_pictures(truncate(made))

    each = [sizes(pictures, lambda severity, name=name: pair(name, severity)) for name in COMMON]
    return Size(
        *(float(np.mean([getattr(size, key) for size in each])) for key in Size.__annotations__)
    )


def sizes(pictures, pair):
    """Return the sizes for pair(severity) -> what the benchmark stores, what the peer stores."""
    found = []
    for severity in SEVERITIES:
        ours, peers = (np.asarray(side).astype(int) for side in pair(severity))
        clean = pictures.astype(int)
        found.append(
            [np.abs(a - b).mean() for a, b in ((ours, clean), (peers, clean), (ours, peers))]
        )
    return Size(*np.mean(found, axis=0).tolist())


def to_pictures(levels):
    return levels.permute(0, 2, 3, 1).contiguous().numpy()


# What differs, the corruption that shows it, and how it is measured.
DIFFERENCES = (
    ("Elastic transform defined anew", "elastic_transform", own_draws),
    ("Frost images enlarged by a tenth", "frost", own_draws),
    ("Motion blur not rounded to levels", "motion_blur", same_draws),
    ("Snow not cut to levels, and cropped later", "snow", same_draws),
    ("Zoom blur trimmed at one side", "zoom_blur", same_draws),
    ("Pixelate enlarged by nearest pixel", "pixelate", same_draws),
    ("Not stored as JPEG", "jpeg_compression", stored_as_jpeg),
    ("Lengths not scaled (64 px, defocus)", "defocus_blur", shrunk),
)
