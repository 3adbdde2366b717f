"""Between pixels: scipy's interpolation, and one colour that stays one."""

import numpy as np
import pytest
import torch
from scipy.ndimage import map_coordinates

from robust_lib.corruptions import resample


@pytest.mark.parametrize("border", ["mirror", "reflect"])
def test_between_pixels_is_scipys(border, noise):
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
