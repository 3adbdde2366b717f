"""Photographs that come with scikit-image, prepared as the benchmark prepares its pictures.

And pictures of flat colours, where the last bits of the arithmetic decide levels.
"""

import numpy as np
import skimage.data
from PIL import Image


def standard(photograph):
    """The benchmark's own preparation: shorter side to 256, middle 224."""
    image = Image.fromarray(photograph).convert("RGB")
    factor = 256 / min(image.size)
    size = tuple(round(side * factor) for side in image.size)
    image = image.resize(size, Image.Resampling.BILINEAR)
    left, top = ((side - 224) // 2 for side in image.size)
    return np.asarray(image.crop((left, top, left + 224, top + 224)))


def photographs():
    """Nine pictures of mixed content, uint8 (9, 224, 224, 3)."""
    names = ("astronaut", "coffee", "chelsea", "rocket", "hubble_deep_field", "retina", "brick")
    sources = [getattr(skimage.data, name)() for name in names]
    sources += [skimage.data.stereo_motorcycle()[0], skimage.data.immunohistochemistry()]
    return np.stack([standard(source) for source in sources])


def flats():
    """Three pictures of bands, halves and squares of one colour, uint8 (3, 224, 224, 3)."""
    bands, halves, squares = np.zeros((3, 224, 224, 3), np.uint8)
    bands[:] = np.arange(224)[:, None, None] // 14 * 14 + np.array([0, 3, 7])
    halves[:, :112], halves[:, 112:] = (3, 117, 182), (255, 254, 98)
    colours = np.random.default_rng(0).integers(0, 256, (4, 4, 3), np.uint8)
    squares[:] = np.kron(colours, np.ones((56, 56, 1), np.uint8))
    return np.stack([bands, halves, squares])
