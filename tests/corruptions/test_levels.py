"""Between 8-bit levels and fractions: nothing crosses a whole level on the way."""

import numpy as np
import pytest
import torch

from robust_lib.corruptions import flat
from robust_lib.corruptions.levels import exact_levels, from_exact, to_levels, truncate


def fractions(levels):
    return torch.as_tensor(levels, dtype=torch.float64).div(255).float()


def test_exact_levels_of_8_bit_pictures_are_whole():
    levels = torch.arange(256).repeat(3 * 48).view(3, 3, 64, 64)
    assert torch.equal(exact_levels(fractions(levels)), levels.double())


def test_exact_levels_keep_what_lies_between():
    levels = torch.arange(256.0, dtype=torch.float64).repeat(48).view(1, 3, 64, 64)
    levels[0, 1] = (levels[0, 1] + 0.37).clamp(max=255)
    found = exact_levels(fractions(levels))
    assert torch.equal(found[0, 0], levels[0, 0])
    assert (found - levels).abs().max() < 2e-5
    assert exact_levels(torch.zeros(0, 3, 64, 64)).shape == (0, 3, 64, 64)


@pytest.mark.parametrize("away", [0.0, 1e-12, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.4])
def test_from_exact_truncates_to_the_doubles_level(away):
    whole = torch.arange(256, dtype=torch.float64).view(1, 1, 16, 16).expand(1, 3, 16, 16)
    for levels in (whole + away, whole - away):
        expected = levels.clamp(0, 255)
        found = from_exact(levels)
        assert torch.equal(truncate(found), expected.to(torch.uint8))
        assert (found.double() * 255 - expected).abs().max() < 1e-4


def test_from_exact_of_random_levels():
    levels = torch.rand(4, 3, 64, 64, dtype=torch.float64) * 265 - 5
    before = levels.clone()
    found = from_exact(levels)
    assert torch.equal(levels, before)
    assert torch.equal(truncate(found), levels.clamp(0, 255).to(torch.uint8))
    assert (found.double() - levels.clamp(0, 255) / 255).abs().max() < 1e-6


@pytest.mark.parametrize("away", [0.0, 1e-8, 1e-6, 1e-5, 9e-5, 1.1e-4, 1e-3])
def test_settled_is_from_exact_where_levels_stay(away):
    whole = torch.arange(256, dtype=torch.float64).view(1, 1, 16, 16).expand(1, 3, 16, 16)
    for levels in (whole + away, whole - away, whole + torch.rand(3, 16, 16).double()):
        found = flat.settled(levels, whole[0, 0].flatten())
        assert torch.equal(truncate(found), truncate(from_exact(levels)))
        assert (found - from_exact(levels)).abs().max() < 2e-7


def test_what_whole_levels_become():
    becomes = torch.arange(256.0, dtype=torch.float64)
    becomes[7] -= 1e-4
    levels = [6, 7, 7 + 1e-12, 7 - 1e-12, 7 + 1e-6, 8, 7.5]
    row = torch.tensor(levels, dtype=torch.float64).expand(1, 3, 1, 7)
    assert truncate(flat.settled(row, becomes))[0, 0, 0].tolist() == [6, 6, 6, 6, 7, 8, 7]


@pytest.mark.parametrize("sigma", [0.7, 0.9, 1.0, 1.1, 1.5, 2.0, 3.0, 4.0, 6.0])
def test_flat_areas_become_what_scikit_image_makes_of_them(sigma):
    from skimage.filters import gaussian

    for level in range(256):
        made = gaussian(np.full((3, 3), level / 255.0), sigma=sigma)[1, 1] * 255
        assert int(flat.after_gaussian(sigma)[level]) == int(made)


def test_to_levels_rounds():
    assert to_levels(fractions([[[[99.4, 99.6]]]]).expand(1, 3, 1, 2))[0, 0].tolist() == [[99, 100]]
