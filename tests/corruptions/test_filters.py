"""Filters: NumPy's borders, OpenCV's and shifted sums alike, and the spread that they promise."""

import numpy as np
import pytest

from robust_lib.corruptions import blur, filters

BORDERS = {"nearest": "edge", "mirror": "reflect", "reflect": "symmetric"}


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


@pytest.mark.parametrize("sigma", [0.15, 0.3, 0.5, 0.69, 0.7, 1.0, 2.0, 6.0])
def test_gaussians_have_their_variance(sigma):
    taps = filters.gaussian(sigma)
    steps = np.arange(len(taps)) - len(taps) // 2
    assert taps.sum() == pytest.approx(1)
    assert (taps * steps**2).sum() == pytest.approx(sigma**2, rel=0.01)


def test_scaled_disks_have_the_spread_of_a_disk():
    for radius, alias in blur.DEFOCUS:
        whole = filters.disk(radius, alias)
        for factor in (32 / 224, 64 / 224, 0.5, 0.999, 1.7):
            kernel = filters.disk(radius, alias, factor)
            assert kernel.sum() == pytest.approx(whole.sum(), rel=1e-5)  # the gain is kept
            steps = np.arange(len(kernel)) - len(kernel) // 2
            variance = (kernel.sum(axis=0) * steps**2).sum() / kernel.sum()
            disk = (radius * factor) ** 2 / 4
            # Smoothing adds its own variance, and pixels that are squares a twelfth.
            assert disk - 0.01 < variance < disk + (alias * factor) ** 2 + 0.15


def test_a_disk_grows_continuously_through_224():
    at, below = filters.disk(6.0, 0.5), filters.disk(6.0, 0.5, 0.9999)
    assert len(at) == len(below)
    assert np.abs(at - below).sum() < 0.1  # of 1, along the rim
