"""Pictures of other sizes: severities stay graded, and as strong."""

import numpy as np
import pytest
import torch

from robust_lib.corruptions import corrupt
from robust_lib.vocabulary import SEVERITIES

# At 224 px the distance from the clean picture grows with severity for these; it does not for
# glass_blur, frost, fog, elastic_transform and saturate, there or in the published data.
# pixelate is left out: blocks of exactly two pixels (severity 2 at 64 px) happen to fit better.
GRADED = (
    "gaussian_noise",
    "shot_noise",
    "impulse_noise",
    "defocus_blur",
    "motion_blur",
    "zoom_blur",
    "brightness",
    "contrast",
    "jpeg_compression",
    "speckle_noise",
    "gaussian_blur",
    "spatter",
)


def distance(images, name, severity):
    keys = [f"key {i}" for i in range(len(images))]
    return float((corrupt(images, name, severity, keys=keys) - images).square().mean().sqrt())


@pytest.mark.parametrize("side", [32, 64, 224])
@pytest.mark.parametrize("name", GRADED)
def test_severities_are_graded(name, side, images):
    small = torch.nn.functional.interpolate(images, (side, side), mode="area").repeat(2, 1, 1, 1)
    distances = [distance(small, name, severity) for severity in SEVERITIES]
    assert distances == sorted(distances)
    assert distances[0] > 0.001
    assert min(np.diff(distances)) > 0.001


@pytest.mark.parametrize("name", ["glass_blur", "frost", "fog", "snow"])
def test_small_pictures_suffer_as_much(name, images):
    small = torch.nn.functional.interpolate(images, (64, 64), mode="area")
    for severity in SEVERITIES:
        ratio = distance(small, name, severity) / distance(images, name, severity)
        assert 0.75 < ratio < 1.25
