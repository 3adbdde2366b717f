"""Enlarging the middle: scipy's zoom, and areas of one colour that stay as they are."""

import numpy as np
import pytest
import torch
from scipy.ndimage import zoom as scipy_zoom

from robust_lib.corruptions import zoom
from tests.reference.corruptions import clipped_zoom


def test_zoom_keeps_the_middle():
    for size in (32, 33, 64, 224, 225):
        row = torch.linspace(0, 1, size)
        images = row.expand(1, 3, size, size).contiguous()
        for factor in (1.0, 1.01, 1.31, 2.5, 4.5):
            seen = zoom.clipped_sum(images, [factor])
            assert seen.shape == images.shape
            slope = (seen[..., 1:] - seen[..., :-1]).mean() * (size - 1)
            assert float(slope) == pytest.approx(1 / factor, rel=0.12)
            assert float(seen.mean()) == pytest.approx(0.5, abs=1 / size)


@pytest.mark.parametrize("factor", [2.0, 2.5, 3.0, 4.0, 4.5])
def test_enlarging_is_scipys_zoom(factor):
    length = zoom.middle(224, factor)[1]
    cut = np.random.default_rng(0).random((length, length))
    large = scipy_zoom(cut, factor, order=1)
    trim = (len(large) - 224) // 2
    ours = zoom.enlarge(torch.from_numpy(cut)[None, None], factor, 224, 224)[0, 0]
    assert np.abs(ours.numpy() - large[trim : trim + 224, trim : trim + 224]).max() < 1e-12


@pytest.mark.parametrize("factor", [1.0, 1.01, 1.11, 1.3])
def test_a_lens_shows_what_scipys_zoom_shows(factor, noise):
    square = noise[:1, :, :, :40].contiguous()
    theirs = clipped_zoom(square[0].permute(1, 2, 0).double().numpy(), factor)
    ours = zoom.clipped_sum(square, [factor])[0].permute(1, 2, 0)
    assert np.abs(ours.numpy() - theirs).max() < 1e-6


def test_areas_of_one_colour_stay_as_they_are_bit_by_bit():
    colour = torch.full((2, 3, 40, 56), 77 / 255)
    assert torch.equal(zoom.clipped_sum(colour, [1.11, 1.3]), colour + colour)
