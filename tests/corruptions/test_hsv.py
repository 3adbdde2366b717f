"""Hue, saturation, value: colorsys' numbers, and scikit-image's to the last bit."""

import colorsys

import numpy as np
import pytest
import torch
from skimage.color import hsv2rgb, rgb2hsv

from robust_lib.corruptions import corrupt, hsv
from robust_lib.corruptions.levels import truncate
from robust_lib.vocabulary import SEVERITIES

KEYS = range(9)


@pytest.fixture(scope="module")
def colours():
    """A thousand colours of 8 bits, greys and pure ones among them, float64 (1, 3, 16, 64)."""
    levels = np.random.default_rng(0).integers(0, 256, (1024, 3))
    levels[:256] = np.arange(256)[:, None]
    levels[256:264] = [[255 * (number >> bit & 1) for bit in range(3)] for number in range(8)]
    return torch.from_numpy(levels / 255.0).T.reshape(1, 3, 16, 64)


def rows(*channels):
    """One colour a row."""
    return torch.stack([channel.flatten() for channel in channels], dim=1).numpy()


def test_hue_saturation_and_value_are_those_of_colorsys(colours):
    found = rows(*hsv.from_rgb(colours))
    expected = [colorsys.rgb_to_hsv(*colour) for colour in rows(*colours[0])]
    assert np.abs(found - np.array(expected)).max() < 1e-12


def test_both_ways_are_scikit_images_to_the_last_bit(colours):
    picture = colours[0].permute(1, 2, 0).numpy()
    ours = hsv.from_rgb(colours)
    theirs = rgb2hsv(picture)
    assert np.array_equal(torch.cat(ours).permute(1, 2, 0), theirs)
    assert np.array_equal(hsv.to_rgb(*ours)[0].permute(1, 2, 0), hsv2rgb(theirs))


def test_there_and_back_is_the_same_colour(colours):
    assert torch.allclose(hsv.to_rgb(*hsv.from_rgb(colours)), colours, atol=1e-12)


@pytest.mark.parametrize("name", ["brightness", "saturate"])
def test_where_division_by_a_number_is_a_product_the_levels_stay(name, images, monkeypatch):
    expected = [truncate(corrupt(images, name, severity, keys=KEYS)) for severity in SEVERITIES]
    as_on_a_gpu(monkeypatch)
    levels = torch.arange(256, dtype=torch.float64)
    assert not torch.equal(levels / 255, levels / levels.new_tensor(255))
    for severity, levels in zip(SEVERITIES, expected, strict=True):
        assert torch.equal(truncate(corrupt(images, name, severity, keys=KEYS)), levels)


def as_on_a_gpu(monkeypatch):
    """Let a tensor that is divided by a number be multiplied with its reciprocal, as CUDA does."""
    for division in ("div_", "__truediv__"):
        true = getattr(torch.Tensor, division)
        product = {"div_": torch.Tensor.mul_, "__truediv__": torch.Tensor.__mul__}[division]

        def divided(values, divisor, true=true, product=product):
            if isinstance(divisor, int | float) and values.is_floating_point():
                return product(values, 1.0 / divisor)
            return true(values, divisor)

        monkeypatch.setattr(torch.Tensor, division, divided)
