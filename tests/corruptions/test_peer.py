"""Ours against the package imagecorruptions, on the same picture.

Left out, because that package defines them otherwise: elastic_transform (no affine warp, other
constants) and frost (textures always enlarged by a tenth). Two known differences stay below what
is tested here: it does not round motion_blur to 8 bits, and rounds snow's layer only once.
"""

import numpy as np
import pytest
from PIL import Image

from robust_lib.corruptions import SEVERITIES, corrupt, truncate

DETERMINISTIC = (
    "gaussian_blur",
    "defocus_blur",
    "zoom_blur",
    "brightness",
    "contrast",
    "saturate",
    "pixelate",
    "jpeg_compression",
)
RANDOM = (
    "gaussian_noise",
    "shot_noise",
    "impulse_noise",
    "speckle_noise",
    "motion_blur",
    "snow",
    "fog",
    "spatter",
)
DRAWS = 16
ERRORS = 5  # standard errors by which a mean may differ, fixed beforehand
LEVEL = 0.6  # of 255: what rounding instead of truncating may shift a mean


def levels(images):
    return images.permute(0, 2, 3, 1).numpy() * 255.0


def summary(picture):
    """Mean, spread, and the logarithm of the power in eight rings of spatial frequency."""
    grey = picture.mean(axis=-1)
    power = np.abs(np.fft.fft2(grey - grey.mean())) ** 2
    radius = np.hypot(*np.meshgrid(*[np.fft.fftfreq(len(grey))] * 2))
    rings = [
        np.log(power[(radius > low) & (radius <= low + 1 / 16)].mean())
        for low in np.arange(0, 0.5, 1 / 16)
    ]
    return np.array([picture.mean(), picture.std(), *rings])


@pytest.mark.parametrize("severity", SEVERITIES)
@pytest.mark.parametrize("name", DETERMINISTIC)
def test_deterministic_ones_pixel_by_pixel(name, severity, images, pictures, theirs):
    ours = truncate(corrupt(images, name, severity, keys=range(len(images))))
    peer = np.stack(
        [
            np.uint8(np.asarray(getattr(theirs, name)(Image.fromarray(picture), severity)))
            for picture in pictures
        ]
    )
    apart = np.abs(ours.permute(0, 2, 3, 1).numpy().astype(int) - peer)
    assert (apart == 0).mean() >= 0.999
    assert apart.max() <= 1


def compare(name, severity, count, images, pictures, theirs):
    np.random.seed(severity)  # the peer draws from NumPy's global numbers
    same = images[2:3].expand(count, -1, -1, -1)
    ours = levels(corrupt(same, name, severity, keys=range(count)))
    ours = np.stack([summary(picture) for picture in ours])
    picture = Image.fromarray(pictures[2])
    peer = np.stack(
        [summary(np.asarray(getattr(theirs, name)(picture, severity))) for _ in range(count)]
    )
    error = np.sqrt((ours.var(axis=0, ddof=1) + peer.var(axis=0, ddof=1)) / count)
    apart = np.abs(ours.mean(axis=0) - peer.mean(axis=0))
    slack = np.zeros(10)
    slack[:2] = LEVEL if name in ("motion_blur", "snow") else 0
    return (apart - slack) / error


@pytest.mark.parametrize("severity", SEVERITIES)
@pytest.mark.parametrize("name", RANDOM)
def test_random_ones_in_distribution(name, severity, images, pictures, theirs):
    assert compare(name, severity, DRAWS, images, pictures, theirs).max() < ERRORS


def test_glass_blur_in_distribution(images, pictures, theirs):
    # One severity and few draws: the peer takes a second a picture.
    assert compare("glass_blur", 3, 4, images, pictures, theirs).max() < 2 * ERRORS


@pytest.mark.parametrize("severity", SEVERITIES)
def test_noise_of_each_pixel(severity, images, pictures, theirs):
    """Mean and variance pixel by pixel, over draws, against the peer's: no spatial bias."""
    np.random.seed(severity)
    same = images[2:3].expand(DRAWS, -1, -1, -1)
    for name in ("gaussian_noise", "shot_noise", "impulse_noise", "speckle_noise"):
        ours = levels(corrupt(same, name, severity, keys=range(DRAWS)))
        picture = Image.fromarray(pictures[2])
        peer = np.stack([getattr(theirs, name)(picture, severity) for _ in range(DRAWS)])
        spread = np.sqrt((ours.var(axis=0, ddof=1) + peer.var(axis=0, ddof=1)) / DRAWS)
        moved = spread > 0
        score = (ours.mean(axis=0) - peer.mean(axis=0))[moved] / spread[moved]
        assert abs(score.mean()) < ERRORS * score.std() / np.sqrt(score.size)
        ratio = ours.var(axis=0).mean() / peer.var(axis=0).mean()
        assert ratio == pytest.approx(1, abs=0.02)
