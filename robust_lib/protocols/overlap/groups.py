"""The groups of corruptions that the paper names [overlap, sec. 4.1 and 4.2]."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from robust_lib.vocabulary import BLUR, COMMON, NOISE

BLURRED = (*BLUR, "pixelate")
SET1 = (*NOISE, *BLURRED)
SET2 = tuple(name for name in COMMON if name not in SET1)
TEXTURE = (*SET1, "jpeg_compression")

HALVES: Mapping[str, tuple[str, ...]] = MappingProxyType({"set1": SET1, "set2": SET2})
"""The two halves of ImageNet-C: the eight that overlap most, and the other seven."""

COMPARED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"blur": BLUR, "brightness": ("brightness",)}
)
"""Corruptions to which networks are said to be more robust, and less [overlap, sec. 4.2]."""

BLOCKS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"noise": NOISE, "blur_pixelate": BLURRED, "texture": TEXTURE, "all": COMMON}
)
"""Groups whose pairs are said to overlap, and all pairs to compare them with."""

ACROSS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = MappingProxyType(
    {"noise_with_blur": (NOISE, BLURRED)}
)
"""Pairs of one block with another. A noise and a blur block without overlap between them would also
overlap on average: only pairs across blocks show that corruptions of textures are of one kind."""


def possible(ones: Sequence[str], others: Sequence[str] | None = None) -> int:
    """Return the number of possible pairs within a group, or between two groups.

    >>> possible(COMMON), possible(NOISE, BLURRED)
    (105, 15)
    """
    within = len(ones) * (len(ones) - 1) // 2
    return within if others is None else len(ones) * len(others)
