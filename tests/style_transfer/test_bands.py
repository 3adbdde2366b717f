"""Bands of colours: they give the picture back, and take over another one's statistics."""

import pytest
import torch

from robust_lib.style_transfer.bands import OPPONENT, bands, restyled, together


def pictures(seed, *shape):
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("size", [(48, 48), (17, 30), (2, 2), (1, 5)])
def test_the_bands_give_the_pictures_back(size):
    given = pictures(0, 2, 3, *size).double()
    assert torch.allclose(together(bands(given)), given, atol=1e-12)


def test_the_colours_are_an_orthonormal_basis():
    assert torch.allclose(OPPONENT @ OPPONENT.T, torch.eye(3, dtype=torch.float64))


def test_no_style_leaves_a_picture_as_it_is():
    given = pictures(0, 2, 3, 32, 32)
    assert torch.allclose(restyled(given, pictures(1, 2, 3, 16, 16), 0.0), given, atol=1e-6)


def test_a_picture_in_its_own_style_stays_as_it_is():
    given = pictures(0, 2, 3, 32, 32)
    assert torch.allclose(restyled(given, given, 1.0), given, atol=1e-6)


def test_the_more_style_the_nearer_the_mean_colour_and_the_farther_the_picture():
    given = 0.4 + 0.2 * pictures(0, 1, 3, 32, 32)
    style = 0.5 + 0.1 * pictures(1, 1, 3, 32, 32)
    found = [restyled(given, style, alpha) for alpha in (0.0, 0.5, 1.0)]
    moved = [float((one - given).abs().mean()) for one in found]
    left = [float((one.mean((2, 3)) - style.mean((2, 3))).abs().mean()) for one in found]
    assert moved == sorted(moved)
    assert left == sorted(left, reverse=True)
    assert left[-1] < 1e-3


def test_a_smooth_style_takes_the_finest_band_away():
    given, flat = pictures(0, 1, 3, 32, 32), torch.full((1, 3, 32, 32), 0.5)
    left = bands(restyled(given, flat, 1.0))[0].std()
    assert float(left) < 0.05 * float(bands(given)[0].std())
