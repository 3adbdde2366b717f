"""Synthetic anomalies: noise and blobs as image sets without labels.

They were used to test anomaly detectors before ImageNet-O [nae, fig. 4]. The recipes are those of
Hendrycks et al., Deep Anomaly Detection with Outlier Exposure, 2019, for images of 32 pixels; blobs
grow with the image, and noise stays as fine as its pixels.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np
from PIL import Image
from scipy.ndimage import gaussian_filter

from robust_lib import seeds
from robust_lib.cache import content_key
from robust_lib.errors import InputError, one_of
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import UNKNOWN, Labels, Picture

BASE = 32  # side of the pictures that the constants are for, pixels
ON = 0.7  # chance of a light value before the blur
SIGMA = 1.5  # of the blur, pixels of BASE
LEAST = 0.75  # darker values become black

FORMAT = 1
"""Raise it when a pattern would look other than before."""


def bernoulli_noise(size: int, rng: np.random.Generator) -> Picture:
    """Return a square image whose values are 0 or 1 with equal probability.

    >>> sorted(set(bernoulli_noise(8, np.random.default_rng(0)).ravel().tolist()))
    [0, 255]
    """
    return 255 * rng.integers(0, 2, (size, size, 3), dtype=np.uint8)


def blobs(size: int, rng: np.random.Generator) -> Picture:
    """Return bright blobs on black: blurred noise above a threshold.

    The blur runs across the colours as well, as in the published code: blobs are white with
    coloured rims.

    >>> picture = blobs(64, np.random.default_rng(0))
    >>> int(picture[picture > 0].min()) >= 255 * LEAST
    True
    """
    grown = -(-size // BASE)  # at least as large as asked
    noise = (rng.random((BASE, BASE, 3)) < ON).astype(np.float32)
    field = noise.repeat(grown, 0).repeat(grown, 1)[:size, :size]
    sigma = SIGMA * grown
    field = gaussian_filter(field, (sigma, sigma, SIGMA), mode="nearest")
    return np.where(field < LEAST, 0, np.ceil(255 * field)).astype(np.uint8)


PATTERNS: Mapping[str, Callable[[int, np.random.Generator], Picture]] = MappingProxyType(
    {"bernoulli_noise": bernoulli_noise, "blobs": blobs}
)


@dataclass(frozen=True, eq=False)
class Synthetic:
    """Images of one pattern without labels, each drawn from its id.

    Args:
        images: number of images; a smaller set is the beginning of a larger one.
        size: side of the square images in pixels. Resizing turns noise grey, so use the networks'
            own size.

    Raises:
        InputError: an unknown pattern, no images, or no pixels.
    """

    name: str
    pattern: str
    images: int
    size: int
    classes: str
    class_names: tuple[str, ...]
    seed: int = 0

    def __post_init__(self) -> None:
        if self.pattern not in PATTERNS:
            raise InputError(one_of("pattern", self.pattern, PATTERNS))
        if min(self.images, self.size) < 1:
            raise InputError(
                "Expected at least one image and one pixel, but got "
                f"{self.images} images of {self.size} pixels."
            )

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Return the ids, such as "blobs/000004"."""
        return tuple(f"{self.pattern}/{number:06d}" for number in range(self.images))

    @cached_property
    def labels(self) -> Labels:
        """Return the labels: all unknown."""
        return np.full(self.images, UNKNOWN, dtype=np.int64)

    @cached_property
    def digest(self) -> str:
        """Return a digest of everything that determines the images."""
        return content_key(
            {
                "what": self.pattern,
                "format": FORMAT,
                "images": self.images,
                "size": self.size,
                "seed": self.seed,
                "classes": self.classes,
                "names": self.class_names,
            }
        )

    def __len__(self) -> int:
        return self.images

    def read(self, index: int, preprocessing: Preprocessing) -> Picture:
        """Return one image, resized and cropped as requested."""
        rng = seeds.generator(self.seed, self.ids[index], "synthetic")
        return preprocessing.apply(Image.fromarray(PATTERNS[self.pattern](self.size, rng)))
