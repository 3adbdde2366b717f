"""Between 8-bit levels and fractions: nothing crosses a whole level on the way."""

import pytest
import torch

from robust_lib.corruptions.levels import exact_levels, from_exact, scale, to_levels, truncate


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


def test_to_levels_rounds():
    assert to_levels(fractions([[[[99.4, 99.6]]]]).expand(1, 3, 1, 2))[0, 0].tolist() == [[99, 100]]


def test_storing_truncates():
    almost = torch.full((1, 3, 32, 32), 99.99 / 255)
    assert truncate(almost).unique().tolist() == [99]
    levels = (torch.arange(256) / 255).view(1, 1, 16, 16).expand(1, 3, 16, 16)
    assert truncate(levels).flatten().tolist() == list(range(256)) * 3


def test_scale_is_the_shorter_side_over_224():
    assert scale(224, 224) == scale(224, 500) == scale(300, 224) == 1
    assert scale(64, 100) == 64 / 224
