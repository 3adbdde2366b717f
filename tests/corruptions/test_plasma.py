"""The fog's height map: wrapped around, full range, its amplitude squared."""

import numpy as np
import pytest
import torch

from robust_lib.corruptions import plasma
from tests.reference import corruptions as oracle


def test_fog_multiplies_by_its_amplitude_twice():
    wobbles = torch.zeros(1, 4, 4)
    wobbles[0, 2, 2], wobbles[0, 1, 1] = 1, 0.1  # the coarsest point, and one of the next grid
    for decay in (2.0, 1.5):
        heights = plasma.fractal(wobbles, decay)[0]
        # But for its own wobble, (1, 1) stands between the same heights as (1, 3).
        assert float(heights[1, 1] - heights[1, 3]) == pytest.approx(0.1 / decay**2, rel=1e-5)


def test_fog_wraps_around_and_fills_its_range():
    wobbles = torch.rand(3, 64, 64, generator=torch.Generator().manual_seed(0)) * 2 - 1
    heights = plasma.fractal(wobbles, 2.0)
    assert heights.amin((1, 2)).tolist() == [0, 0, 0]
    assert heights.amax((1, 2)).tolist() == [1, 1, 1]
    inside = (heights[:, 1:] - heights[:, :-1]).abs().mean()
    across = (heights[:, 0] - heights[:, -1]).abs().mean()
    assert float(across) < 2 * float(inside)


@pytest.mark.parametrize("decay", [2.0, 1.7, 1.4])
def test_heights_are_those_of_the_point_by_point_loop(decay):
    wobbles = torch.rand(1, 32, 32, generator=torch.Generator().manual_seed(1)) * 2 - 1
    theirs = oracle.plasma(wobbles[0].double().numpy(), decay)
    assert np.abs(plasma.fractal(wobbles, decay)[0].numpy() - theirs).max() < 1e-5


@pytest.mark.parametrize(
    ("height", "width", "side"), [(32, 32, 32), (33, 32, 64), (224, 300, 512), (256, 256, 256)]
)
def test_the_map_covers_the_picture(height, width, side):
    assert plasma.side(height, width) == side
