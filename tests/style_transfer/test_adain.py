"""Adaptive instance normalisation, against a slow loop and against torch's instance norm."""

import numpy as np
import pytest
import torch
from torch.nn.functional import instance_norm

from robust_lib.style_transfer.adain import EPSILON, adain, moments


def features(seed, *shape):
    return torch.from_numpy(np.random.default_rng(seed).normal(2, 3, shape)).float()


def slow(content, style, alpha):
    found = torch.empty_like(content)
    for n in range(len(content)):
        for channel in range(content.shape[1]):
            own, other = content[n, channel].numpy(), style[n, channel].numpy()
            spread = np.sqrt(own.var(ddof=1) + EPSILON)
            wanted = np.sqrt(other.var(ddof=1) + EPSILON)
            restyled = (own - own.mean()) / spread * wanted + other.mean()
            found[n, channel] = torch.from_numpy(alpha * restyled + (1 - alpha) * own)
    return found


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
def test_as_a_loop_over_pictures_and_channels_has_it(alpha):
    content, style = features(0, 3, 4, 5, 6), features(1, 3, 4, 7, 2)
    assert torch.allclose(adain(content, style, alpha), slow(content, style, alpha), atol=1e-5)


def test_a_style_of_mean_0_and_spread_1_is_torchs_instance_norm():
    content = features(0, 2, 3, 40, 50)
    mean, deviation = moments(features(1, 2, 3, 8, 8))
    style = (features(1, 2, 3, 8, 8) - mean) / deviation
    assert torch.allclose(adain(content, style, 1.0), instance_norm(content), atol=2e-3)


def test_all_of_the_style_means_its_statistics():
    content, style = features(0, 2, 3, 9, 9), features(1, 2, 3, 5, 5)
    for got, wanted in zip(moments(adain(content, style, 1.0)), moments(style), strict=True):
        assert torch.allclose(got, wanted, atol=1e-4)


def test_a_channel_without_spread_takes_the_mean():
    flat = torch.full((1, 1, 4, 4), 0.25)
    assert torch.allclose(adain(flat, torch.full((1, 1, 1, 1), 0.75), 1.0), torch.tensor(0.75))
