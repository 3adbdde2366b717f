"""Filters: NumPy's borders, OpenCV's, shifted sums and spectra alike, the spread they promise."""

import numpy as np
import pytest
import torch

from robust_lib.corruptions import blur, filters
from robust_lib.corruptions.levels import truncate
from robust_lib.vocabulary import SEVERITIES

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


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("sigma", [0.4, 1.0, 3.0])
def test_smooth_by_spectra(border, sigma, noise):
    taps = filters.gaussian(sigma)
    theirs = filters.correlate_by_spectra(noise.double(), np.outer(taps, taps), border)
    assert (filters.smooth(noise.double(), taps, border) - theirs).abs().max() < 1e-12


@pytest.mark.parametrize(("radius", "factor"), [(3.0, 1.0), (10.0, 1.0), (10.0, 64 / 224)])
def test_correlate_by_spectra(radius, factor, noise):
    kernel = filters.disk(radius, 0.5, factor)
    theirs = filters.correlate_by_spectra(noise, kernel, "mirror")
    assert theirs.dtype == noise.dtype
    assert (filters.correlate(noise, kernel) - theirs).abs().max() < 2e-6


@pytest.mark.parametrize("severity", SEVERITIES)
def test_areas_of_one_colour_out_of_focus_are_on_the_processors_level_by_spectra(
    severity, monkeypatch
):
    """Shifted sums in single precision put 30 of 256 on the level below at severity 3."""
    levels = torch.arange(0, 256, 8).view(-1, 1, 1, 1)
    grey = (levels / 255).expand(-1, 3, 224, 224).contiguous()
    expected = truncate(blur.defocus_blur(grey, severity))
    monkeypatch.setattr(
        filters, "correlate", lambda *given: filters.correlate_by_spectra(*given, "mirror")
    )
    assert torch.equal(truncate(blur.defocus_blur(grey, severity)), expected)


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
