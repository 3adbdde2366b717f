"""Areas of one colour: the level that the benchmark's last bit decides."""

import numpy as np
import pytest
import torch
from skimage.filters import gaussian

from robust_lib.corruptions import flat
from robust_lib.corruptions.levels import from_exact, truncate


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
    for level in range(256):
        made = gaussian(np.full((3, 3), level / 255.0), sigma=sigma)[1, 1] * 255
        assert int(flat.after_gaussian(sigma)[level]) == int(made)
