"""Spatter: rain adds a light blue, mud covers in brown, and a dry lens stays dry."""

import numpy as np
import pytest
import torch
from skimage.filters import gaussian

from robust_lib import devices
from robust_lib.corruptions import corrupt, spatter
from robust_lib.vocabulary import SEVERITIES
from tests.corruptions.streams import stream


def test_mud_and_rain():
    grey = torch.full((2, 3, 224, 224), 0.5)
    for severity in range(1, 6):
        added = corrupt(grey, "spatter", severity, keys=[0, 1]) - grey
        wet = added.abs().amax(1) > 0
        assert 0.005 < wet.double().mean() < 0.6
        red, green, blue = added[:, 0][wet], added[:, 1][wet], added[:, 2][wet]
        if severity < spatter.FIRST_MUD:
            assert (green >= red).all()
            assert torch.allclose(green, blue)
            assert (added >= 0).all()
        else:
            assert (blue < green).all()
            assert (added <= 0).all()


@pytest.mark.parametrize("severity", SEVERITIES)
def test_the_lens_is_wet_where_smoothed_noise_is_above_the_threshold(severity):
    mean, spread, sigma, threshold, _ = spatter.SPATTER[severity - 1]
    (normals,) = spatter.draw(stream(), torch.zeros(1, 3, 96, 96), severity)
    theirs = gaussian(mean + spread * normals[0].double().numpy(), sigma=sigma)
    theirs[theirs < threshold] = 0
    assert 0 < (theirs > 0).mean() < 1
    assert np.abs(spatter.liquid(normals, severity)[0].numpy() - theirs).max() < 1e-9


@pytest.mark.parametrize("severity", SEVERITIES)
def test_a_dry_lens_leaves_the_picture_alone(severity, noise):
    dry = torch.full((3, 224, 224), -5.0)
    assert torch.equal(spatter.spatter(noise, severity, dry), noise)


def test_rain_that_several_threads_make_for_a_gpu_is_the_same(noise, monkeypatch):
    severity = 3
    normals = torch.randn(3, 224, 224, generator=torch.Generator().manual_seed(0))
    expected = spatter.spatter(noise, severity, normals)
    on_host = devices.on_host
    asked = []

    def as_for_a_gpu(work, items, device):
        asked.append(device)
        return on_host(work, items, "cuda")

    monkeypatch.setattr(devices, "on_host", as_for_a_gpu)
    assert torch.equal(spatter.spatter(noise, severity, normals), expected)
    assert asked == [noise.device]


@pytest.mark.parametrize("severity", [4, 5])
def test_a_lens_full_of_mud_shows_nothing_but_mud(severity, noise):
    covered = spatter.spatter(noise, severity, torch.full((3, 224, 224), 5.0))
    for channel, level in enumerate((63, 42, 20)):
        assert torch.allclose(covered[:, channel] * 255, torch.tensor(float(level)))
