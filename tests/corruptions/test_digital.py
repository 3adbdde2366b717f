"""Digital: contrast about the mean of each channel, saturation at the same hue and value."""

import colorsys

import pytest
import torch

from robust_lib.corruptions import digital
from robust_lib.vocabulary import SEVERITIES


@pytest.mark.parametrize(("severity", "share"), [(1, 0.4), (2, 0.3), (3, 0.2), (4, 0.1), (5, 0.05)])
def test_contrast_pulls_values_to_the_mean_of_their_channel(severity, share):
    images = torch.zeros(1, 3, 4, 4)
    images[:, 0, :2] = 1  # mean 0.5
    images[:, 1, 0] = 0.8  # mean 0.2
    after = digital.contrast(images, severity)
    assert after[0, 0, :, 0].tolist() == pytest.approx(
        [0.5 + share / 2] * 2 + [0.5 - share / 2] * 2
    )
    assert after[0, 1, :, 0].tolist() == pytest.approx(
        [0.2 + 0.6 * share] + [0.2 * (1 - share)] * 3
    )


@pytest.mark.parametrize(
    ("severity", "factor", "offset"),
    [(1, 0.3, 0), (2, 0.1, 0), (3, 2, 0), (4, 5, 0.1), (5, 20, 0.2)],
)
def test_saturation_is_scaled_and_shifted_as_colorsys_has_it(severity, factor, offset):
    images = torch.rand(1, 3, 32, 32, generator=torch.Generator().manual_seed(0))
    after = digital.saturate(images, severity)
    for before, found in zip(images[0].flatten(1).T, after[0].flatten(1).T, strict=True):
        hue, saturation, value = colorsys.rgb_to_hsv(*before.tolist())
        changed = colorsys.hsv_to_rgb(hue, min(1, saturation * factor + offset), value)
        assert found.tolist() == pytest.approx(changed, abs=1e-5)


def test_grey_stays_grey_until_the_offset_turns_it_red():
    """Grey has hue 0, which is red: the benchmark's two strongest severities tint it."""
    grey = torch.full((1, 3, 32, 32), 0.5)
    tints = {s: digital.saturate(grey, s)[0, :, 0, 0].tolist() for s in SEVERITIES}
    for severity, rest in ((1, 0.5), (2, 0.5), (3, 0.5), (4, 0.45), (5, 0.4)):
        assert tints[severity] == pytest.approx([0.5, rest, rest], abs=1e-5)
