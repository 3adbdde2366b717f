"""Noise: how much each value is disturbed, and which values are not."""

import numpy as np
import pytest
import torch

from robust_lib.corruptions import corrupt, noise
from tests.corruptions.streams import stream


def test_impulses_hit_channels_independently_half_of_them_white():
    grey = torch.full((4, 3, 224, 224), 0.5)
    for severity, share in enumerate(noise.IMPULSE_SHARE, start=1):
        after = corrupt(grey, "impulse_noise", severity, keys=range(4))
        error = np.sqrt(share / after.numel())
        assert float((after == 1).double().mean()) == pytest.approx(share / 2, abs=5 * error)
        assert float((after == 0).double().mean()) == pytest.approx(share / 2, abs=5 * error)
        struck = (after != 0.5).double()
        both = float((struck[:, 0] * struck[:, 1]).mean())
        assert both == pytest.approx(share**2, abs=5 * share / np.sqrt(4 * 224 * 224))


NORMALS = torch.tensor([0.0, 1.0, -1.0, 9.0]).expand(1, 3, 1, 4)


def test_gaussian_noise_is_sigma_times_the_normals_everywhere():
    for value, expected in ((0.5, [0.5, 0.58, 0.42, 1]), (0.0, [0, 0.08, 0, 0.72])):
        after = noise.gaussian_noise(torch.full((1, 3, 1, 4), value), 1, NORMALS)
        assert after[0, 2, 0].tolist() == pytest.approx(expected)


def test_speckle_noise_grows_with_brightness_and_leaves_black_alone():
    for value, expected in ((0.5, [0.5, 0.575, 0.425, 1]), (0.0, [0, 0, 0, 0])):
        after = noise.speckle_noise(torch.full((1, 3, 1, 4), value), 1, NORMALS)
        assert after[0, 2, 0].tolist() == pytest.approx(expected)


def test_shot_noise_is_the_count_over_the_rate_and_white_beyond():
    counts = torch.tensor([0, 15, 30, 60, 70], dtype=torch.int32).expand(1, 3, 1, 5)
    after = noise.shot_noise(torch.zeros(1, 3, 1, 5), 1, counts)
    assert after[0, 0, 0].tolist() == pytest.approx([0, 0.25, 0.5, 1, 1], abs=1e-6)


def test_black_receives_no_light_and_white_the_most_often_its_rate():
    images = torch.zeros(1, 3, 64, 64)
    images[:, 1] = 1
    for severity, rate in enumerate(noise.SHOT_RATE, start=1):
        (counts,) = noise.draw_counts(stream(), images, severity)
        assert not counts[0, [0, 2]].any()
        # A Poisson count reaches its mean in a good half of all cases; what is more is cut off.
        assert int(counts[0, 1].max()) == rate
        assert 0.5 < float((counts[0, 1] == rate).double().mean()) < 0.7
