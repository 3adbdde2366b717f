"""Do two samples of pictures come from one distribution? Exact tests by exchanging their labels.

Under the hypothesis that they do, which picture belongs to which sample is arbitrary, so the share
of random relabellings that part the two means at least as far is a p-value, whatever the
distribution and however the pixels hang together. Three things are compared, each in units of its
own spread: the value of each pixel, the squared deviation of each pixel from its mean, and the mean
level together with the power in sixteen rings of spatial frequency.
"""

from functools import partial

import numpy as np
import skimage
from PIL import Image

from robust_lib.corruptions import corrupt
from robust_lib.corruptions.levels import truncate
from tests.reference.agreement import tensors
from tests.reference.handed import answering, stored

RELABELLINGS = 20_000
LEVEL = 0.05  # of rejecting any of all comparisons by chance
RINGS = 16
DRAWS = 32
PICTURE = 2  # of the photographs: fur and plain ground
DRAWS_GLASS = 12  # the peer takes up to a second a picture


def draws_of(name):
    return DRAWS_GLASS if name == "glass_blur" else DRAWS


def samples(theirs, name, severity, picture, draws):
    """Return two samples of one picture corrupted, uint8 (draws, h, w, 3): ours and the peer's."""
    images = tensors(picture[None]).expand(draws, -1, -1, -1)
    ours = truncate(corrupt(images, name, severity, keys=range(draws)))
    np.random.seed(severity)  # the peer draws from NumPy's global numbers
    with answering(theirs, random_noise=seeded_noise(severity)):
        peers = [getattr(theirs, name)(Image.fromarray(picture), severity) for _ in range(draws)]
    if name == "motion_blur":  # the benchmark's levels are rounded, and that is shown elsewhere
        peers = [np.round(one) for one in peers]
    return ours.permute(0, 2, 3, 1).numpy(), np.stack([stored(one) for one in peers])


def seeded_noise(seed):
    """Scikit-image's impulses, which the global numbers do not reach."""
    return partial(skimage.util.random_noise, rng=np.random.default_rng(seed))


def p_values(ours, theirs, relabellings=RELABELLINGS):
    """Return the three p-values of two equally large samples."""
    both = np.concatenate([ours, theirs]).astype(np.float32)
    pixels = both.reshape(len(both), -1)
    pixels -= pixels.mean(axis=0)
    features = {"mean": pixels, "variance": pixels**2, "spectrum": spectra(both)}
    return {name: p_value(values, relabellings) for name, values in features.items()}


def p_value(values, relabellings):
    """Return how often chance parts the means of the two halves of `values` (n, k) as far."""
    values = values - values.mean(axis=0)
    spread = values.std(axis=0)
    values = values[:, spread > 0] / spread[spread > 0]
    # The squared distance of two means is a quadratic form of the products of all pairs.
    products = values.astype(np.float64) @ values.T.astype(np.float64)
    signs = np.repeat([1.0, -1.0], len(values) // 2)
    rng = np.random.default_rng(0)
    chance = rng.permuted(np.tile(signs, (relabellings, 1)), axis=1)
    found = signs @ products @ signs
    # Relabellings that are the labels themselves, or their exchange, must count in spite of
    # rounding.
    reached = np.einsum("ri,ij,rj->r", chance, products, chance, optimize=True) >= found * (
        1 - 1e-9
    )
    return (1 + reached.sum()) / (1 + relabellings)


def spectra(pictures):
    """Return the mean level and the logarithm of the power in rings: (n, 1 + RINGS)."""
    grey = pictures.mean(axis=-1)
    power = np.abs(np.fft.fft2(grey - grey.mean(axis=(1, 2), keepdims=True))) ** 2
    side = grey.shape[1]
    radius = np.hypot(*np.meshgrid(*[np.fft.fftfreq(side)] * 2))
    ring = np.minimum((radius * 2 * RINGS).astype(int), RINGS - 1)
    rings = np.stack([power[:, ring == i].mean(axis=1) for i in range(RINGS)], axis=1)
    return np.column_stack([grey.mean(axis=(1, 2)), np.log(rings + 1e-9)])
