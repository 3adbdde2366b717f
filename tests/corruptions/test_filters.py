"""Filters on the CPU (OpenCV) and elsewhere (shifted sums, indexing) are the same filters."""

import numpy as np
import pytest
import torch
from PIL import Image

from robust_lib.corruptions import elastic, filters, motion, pixelate, resample
from robust_lib.corruptions.levels import truncate

BORDERS = {"nearest": "edge", "mirror": "reflect", "reflect": "symmetric"}


@pytest.fixture(scope="module")
def noise():
    return torch.rand(3, 3, 40, 56, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("sides", [(0, 0, 3, 1), (5, 2, 0, 0), (39, 7, 55, 100), (90, 130, 1, 1)])
def test_pad_is_numpys(border, sides, noise):
    top, bottom, left, right = sides
    expected = np.pad(
        noise.numpy(), ((0, 0), (0, 0), (top, bottom), (left, right)), mode=BORDERS[border]
    )
    assert np.array_equal(filters.pad(noise, sides, border).numpy(), expected)


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("sigma", [0.4, 1.0, 3.0])
def test_smooth_by_shifts(border, sigma, noise):
    taps = filters.gaussian(sigma)
    apart = filters.smooth(noise, taps, border) - filters.smooth_by_shifts(noise, taps, border)
    assert apart.abs().max() < 1e-6


@pytest.mark.parametrize(("radius", "factor"), [(3.0, 1.0), (10.0, 1.0), (10.0, 64 / 224)])
def test_correlate_by_shifts(radius, factor, noise):
    kernel = filters.disk(radius, 0.5, factor)
    apart = filters.correlate(noise, kernel) - filters.correlate_by_shifts(noise, kernel)
    assert apart.abs().max() < 2e-6


def test_blur_by_index(noise):
    angles = torch.tensor([-45.0, 12.5, -120.0])
    for radius, sigma in ((10.0, 3.0), (20.0, 15.0), (2.9, 0.9)):
        rows = motion.blur(noise, angles, radius, sigma)
        assert (rows - motion.blur_by_index(noise, angles, radius, sigma)).abs().max() < 1e-6


@pytest.mark.parametrize("severity", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("size", [(32, 32), (63, 97), (224, 300)])
def test_pixelate_is_pillows_in_any_size_and_by_index(size, severity):
    levels = np.random.default_rng(severity).integers(0, 256, (3, *size, 3), np.uint8)
    images = torch.from_numpy(levels).permute(0, 3, 1, 2).contiguous().float() / 255
    ours = pixelate.pixelate(images, severity)
    assert torch.equal(pixelate.pixelate_by_index(images, severity), ours)
    share = pixelate.PIXELATE[severity - 1]
    few = (int(size[1] * share), int(size[0] * share))
    for picture, one in zip(levels, truncate(ours), strict=True):
        small = Image.fromarray(picture).resize(few, Image.Resampling.BOX)
        pillows = small.resize(size[::-1], Image.Resampling.BOX)
        assert np.array_equal(one.permute(1, 2, 0), pillows)


def test_smoothing_as_a_matrix_is_the_filter(noise):
    fields = noise[:, :2]
    for sigma in (2.44, 8.0, 30.0):
        taps = filters.gaussian(sigma, truncate=3.0)
        filtered = filters.smooth_by_shifts(fields, taps, "reflect")
        assert (elastic.smooth_by_matrix(fields, sigma) - filtered).abs().max() < 1e-6


@pytest.mark.parametrize("border", ["mirror", "reflect"])
def test_between_pixels_is_scipys(border, noise):
    from scipy.ndimage import map_coordinates

    generator = torch.Generator().manual_seed(1)
    columns = torch.rand(3, 40, 56, generator=generator, dtype=torch.float64) * 200 - 70
    rows = torch.rand(3, 40, 56, generator=generator, dtype=torch.float64) * 200 - 70
    ours = resample.between_pixels(noise, columns, rows, border)
    for image, x, y, one in zip(noise, columns, rows, ours, strict=True):
        places = np.stack([y.numpy(), x.numpy()])
        for channel, plane in zip(image, one, strict=True):
            theirs = map_coordinates(channel.double().numpy(), places, order=1, mode=border)
            assert np.abs(plane.numpy() - theirs).max() < 1e-6


def test_one_colour_stays_one_colour():
    images = torch.full((2, 3, 50, 50), 77 / 255)
    places = torch.rand(2, 50, 50, dtype=torch.float64) * 49
    sampled = resample.between_pixels(images, places, places.flip(1), "mirror")
    assert torch.equal(sampled, images)
