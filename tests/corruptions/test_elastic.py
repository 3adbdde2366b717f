"""Elastic transform: its 244 px, and its smoothing in two ways."""

import numpy as np
import pytest
import torch

from robust_lib.corruptions import draws, elastic, filters
from tests.corruptions.streams import stream


def test_elastic_uses_244():
    constants = [[244 * share for share in shares] for shares in elastic.ELASTIC]
    assert elastic.SIDE == 244
    expected = [
        (488, 170.8, 24.4),
        (488, 19.52, 48.8),
        (12.2, 2.44, 4.88),
        (17.08, 2.44, 4.88),
        (29.28, 2.44, 4.88),
    ]
    assert np.allclose(constants, expected)
    # Severity 2 is harder than 3: long waves against fine ones.
    fields = draws.uniform(stream(), "fields", 2, 224, 224) * 2 - 1
    moved = [elastic.displacements(fields, severity).abs().mean() for severity in (2, 3)]
    assert moved[0] > 2 * moved[1]


def test_smoothing_as_a_matrix_is_the_filter(noise):
    fields = noise[:, :2]
    for sigma in (2.44, 8.0, 30.0):
        taps = filters.gaussian(sigma, truncate=3.0)
        filtered = filters.smooth_by_shifts(fields, taps, "reflect")
        assert (elastic.smooth_by_matrix(fields, sigma) - filtered).abs().max() < 1e-6


def test_without_jitter_and_waves_the_picture_stays(noise):
    still = elastic.elastic_transform(noise, 1, torch.zeros(3, 3, 2), torch.zeros(3, 2, 40, 56))
    assert torch.allclose(still, noise, atol=1e-6)


@pytest.mark.parametrize(("side", "pixels"), [(224, 29.28), (112, 7.32)])
def test_an_even_field_moves_everything_by_the_strength(side, pixels):
    # 244 * 0.12 at severity 5. On half the side a length is half as long, and a filter half as
    # wide averages fewer numbers: noise would be twice as strong.
    moved = elastic.displacements(torch.ones(1, 2, side, side), 5)
    assert torch.allclose(moved, torch.tensor(pixels))
