"""Motion blur: one-sided, along a line, the same by rows and by index."""

import numpy as np
import pytest
import torch

from robust_lib.corruptions import motion


def test_motion_is_one_sided_and_horizontal_at_angle_0():
    weights = motion.taps(10.0, 3.0)
    assert len(weights) == 21
    assert weights.sum() == pytest.approx(1)
    assert (np.diff(weights) < 0).all()
    steps = motion.offsets(torch.tensor([0.0, 90.0]), 21)
    assert steps[0].tolist() == [[i, 0] for i in range(21)]
    assert steps[1].tolist() == [[0, i] for i in range(21)]
    dot = torch.zeros(1, 3, 64, 64)
    dot[..., 32, 32] = 1
    streak = motion.blur(dot, torch.tensor([0.0]), 10.0, 3.0)[0, 0]
    assert streak[32, 12:33].numpy() == pytest.approx(weights[::-1], abs=1e-7)
    assert float(streak.sum()) == pytest.approx(1)


def test_blur_by_index(noise):
    angles = torch.tensor([-45.0, 12.5, -120.0])
    for radius, sigma in ((10.0, 3.0), (20.0, 15.0), (2.9, 0.9)):
        rows = motion.blur(noise, angles, radius, sigma)
        assert (rows - motion.blur_by_index(noise, angles, radius, sigma)).abs().max() < 1e-6


def test_white_stays_white_up_to_the_edges():
    white = torch.ones(2, 3, 40, 56)
    after = motion.blur(white, torch.tensor([30.0, -100.0]), 20.0, 15.0)
    assert torch.allclose(after, white)
