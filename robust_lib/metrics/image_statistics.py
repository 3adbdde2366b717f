"""Low-level statistics of images, and how well they separate unusual images from ordinary ones.

[nae, fig. 4] says that ImageNet-O's statistics are close to ImageNet's, unlike those of noise,
blobs or textures, and shows example images. Here the claim is measured; the statistics are our
choice.
"""

import numpy as np
from jaxtyping import Float, Int
from scipy import fft

from robust_lib.errors import InputError
from robust_lib.metrics.anomaly_scores import fit_mahalanobis
from robust_lib.types import Pictures

STATISTICS = ("intensity", "contrast", "gradient", "slope")
"""The columns of `statistics`."""

Table = Float[np.ndarray, "images 4"]
Others = Float[np.ndarray, "others 4"]
Grey = Float[np.ndarray, "images height width"]

LEAST_SIDE = 8  # below it too few frequencies are left to fit a line through
_AT_ONCE = 64  # pictures; a thousand of 224 pixels would take gigabytes
_ROUNDING = 1 / 12 / 255**2  # variance of what rounding to 8 bits does to a pixel


def statistics(pictures: Pictures) -> Table:
    """Return four low-level statistics of each image, in the columns of `STATISTICS`.

    They describe the intensity, the mean of red, green and blue from 0 (black) to 1 (white): its
    mean; its standard deviation; the mean length of its gradient, per pixel; and the slope of the
    logarithm of its power spectrum against the logarithm of frequency, near -2 for photographs and
    0 for noise with independent pixels.

    The spectrum is computed from the image faded out towards its edges and averaged over rings of
    equal frequency up to half a cycle per pixel. The power of rounding to 8 bits is added, so that
    an image of a single colour has the slope 0.

    Args:
        pictures: images of one size, on which slopes and gradients depend.

    Raises:
        InputError: no images, or sides below 8 pixels.

    >>> halves = np.zeros((1, 8, 8, 3), np.uint8)
    >>> halves[:, :, 4:] = 255
    >>> dict(zip(STATISTICS, statistics(halves)[0].round(2).tolist(), strict=True))
    {'intensity': 0.5, 'contrast': 0.5, 'gradient': 0.12, 'slope': -2.48}
    """
    count, height, width = pictures.shape[:3]
    if count == 0 or min(height, width) < LEAST_SIDE:
        raise InputError(
            f"Expected at least one image with sides of at least {LEAST_SIDE} pixels, but got "
            f"{count} of {height} x {width}."
        )
    parts = [pictures[start : start + _AT_ONCE] for start in range(0, count, _AT_ONCE)]
    return np.concatenate([_of_grey(part.mean(axis=3) / 255) for part in parts])


def low_level_scores(
    ordinary: Table, others: Others, *, rng: np.random.Generator
) -> tuple[Float[np.ndarray, " held_out"], Float[np.ndarray, " others"]]:
    """Return how far the low-level statistics of images are from those of ordinary images.

    A Gaussian is fitted to a random half of the ordinary images. The score of an image is its
    Mahalanobis distance from it.

    Args:
        rng: random generator that selects the half.

    Returns:
        The scores of the other half of the ordinary images, and those of `others`.

    Raises:
        InputError: fewer than two ordinary images, no others, statistics that are not finite, or
            that are the same in all ordinary images of the half.

    >>> rng = np.random.default_rng(0)
    >>> ordinary, others = rng.normal(size=(1000, 4)), rng.normal(2, 1, size=(200, 4))
    >>> held_out, foreign = low_level_scores(ordinary, others, rng=rng)
    >>> len(held_out), bool(foreign.mean() > held_out.mean())
    (500, True)
    """
    if len(ordinary) < 2 or len(others) < 1:
        raise InputError(
            "Expected statistics of at least two ordinary images and one other, but got "
            f"{len(ordinary)} and {len(others)}."
        )
    fitted, held_out = np.array_split(rng.permutation(len(ordinary)), 2)
    gaussian = fit_mahalanobis(ordinary[fitted], np.zeros(len(fitted), np.int64))
    return gaussian.score(ordinary[held_out]), gaussian.score(others)


def _of_grey(grey: Grey) -> Table:
    down, across = np.gradient(grey, axis=(1, 2))
    return np.column_stack(
        [
            grey.mean(axis=(1, 2)),
            grey.std(axis=(1, 2)),
            np.hypot(down, across).mean(axis=(1, 2)),
            _slopes(grey),
        ]
    )


def _slopes(grey: Grey) -> Float[np.ndarray, " images"]:
    height, width = grey.shape[1:]
    window = np.outer(_fade(height), _fade(width))
    # Without its mean under the window, a flat picture is nothing, not a picture of the window.
    mean = (grey * window).sum(axis=(1, 2), keepdims=True) / window.sum()
    power = np.abs(fft.rfft2((grey - mean) * window)) ** 2 + _ROUNDING * (window**2).sum()
    ring, weight = _rings(height, width)
    number = min(height, width) // 2
    kept = (ring >= 1) & (ring <= number)
    sums = np.stack(
        [np.bincount(ring[kept], (one * weight)[kept], number + 1)[1:] for one in power]
    )
    means = sums / np.bincount(ring[kept], weight[kept], number + 1)[1:]
    frequency = np.log(np.arange(1, number + 1))
    apart = frequency - frequency.mean()
    slopes: Float[np.ndarray, " images"] = np.log(means) @ apart / (apart @ apart)
    return slopes


def _fade(side: int) -> Float[np.ndarray, " side"]:
    """Return Hann's window: 1 in the middle, 0 just outside."""
    return np.sin(np.pi * (np.arange(side) + 0.5) / side) ** 2


def _rings(
    height: int, width: int
) -> tuple[Int[np.ndarray, "rows columns"], Float[np.ndarray, "rows columns"]]:
    """Return the ring of each frequency of a half spectrum, and its count in the whole spectrum.

    Ring r is r cycles over the shorter side.
    """
    down, across = np.fft.fftfreq(height)[:, None], np.fft.rfftfreq(width)[None, :]
    ring = np.rint(np.hypot(down, across) * min(height, width)).astype(np.int64)
    alone = (across == 0) | (across == 0.5)  # the others stand for their mirror images too
    return ring, np.broadcast_to(np.where(alone, 1.0, 2.0), ring.shape)
