"""CPU and GPU give the same pictures."""

import pytest
import torch

from robust_lib.corruptions import corrupt
from robust_lib.corruptions.jpeg import ARCHIVE_QUALITY, QUALITY, round_trip
from robust_lib.corruptions.levels import truncate
from robust_lib.vocabulary import NAMES, SEVERITIES

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]


@pytest.mark.parametrize("severity", SEVERITIES)
@pytest.mark.parametrize("name", NAMES)
def test_cpu_and_gpu_agree(name, severity, images):
    keys = [f"key {i}" for i in range(len(images))]
    here = corrupt(images, name, severity, keys=keys)
    there = corrupt(images.cuda(), name, severity, keys=keys)
    assert there.is_cuda
    apart = truncate(here).int() - truncate(there.cpu()).int()
    assert float((apart == 0).double().mean()) >= 0.999
    assert (here - there.cpu()).abs().mean() < 1e-4


@pytest.mark.parametrize("severity", SEVERITIES)
@pytest.mark.parametrize("name", ["defocus_blur", "gaussian_blur"])
def test_areas_of_one_colour_are_on_one_level(name, severity):
    levels = torch.arange(0, 256, 5).view(-1, 1, 1, 1)
    grey = (levels / 255).expand(-1, 3, 224, 224).contiguous()
    here, there = (corrupt(shown, name, severity, keys=range(52)) for shown in (grey, grey.cuda()))
    assert torch.equal(truncate(here), truncate(there).cpu())


@pytest.mark.parametrize("quality", [*QUALITY, ARCHIVE_QUALITY])
def test_jpeg_is_the_same_to_the_bit(quality, images):
    levels = truncate(images)
    there = round_trip(levels.cuda(), quality)
    assert there.is_cuda
    assert torch.equal(there.cpu(), round_trip(levels, quality))
