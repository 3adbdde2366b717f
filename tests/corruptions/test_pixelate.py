"""Pixelation: Pillow's boxes, there and back."""

import numpy as np
import pytest
import torch
from PIL import Image

from robust_lib.corruptions import pixelate
from robust_lib.corruptions.levels import truncate


def test_pixelate_enlarges_in_boxes(pictures, images):
    small = Image.fromarray(pictures[0]).resize((134, 134), Image.Resampling.BOX)
    boxes, nearest, smooth = (
        np.asarray(small.resize((224, 224), way))
        for way in (Image.Resampling.BOX, Image.Resampling.NEAREST, Image.Resampling.BICUBIC)
    )
    ours = truncate(pixelate.pixelate(images[:1], 1))[0].permute(1, 2, 0).numpy()
    assert np.array_equal(ours, boxes)
    assert np.array_equal(boxes, nearest)
    assert np.abs(smooth.astype(int) - boxes).mean() > 1


def test_pixelate_cuts_the_side_down_to_whole_pixels():
    ramp = torch.linspace(0, 1, 224).view(1, 1, 1, 224).expand(1, 3, 224, 224).contiguous()
    for severity, few in enumerate((134, 112, 89, 67, 56), start=1):
        row = pixelate.pixelate(ramp, severity)[0, 0, 0]
        assert len(row.unique_consecutive()) == few


@pytest.mark.parametrize("severity", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("size", [(32, 32), (63, 97), (224, 300)])
def test_pixelate_is_pillows_in_any_size_and_by_index(size, severity):
    levels = np.random.default_rng(severity).integers(0, 256, (3, *size, 3), np.uint8)
    images = torch.from_numpy(levels).permute(0, 3, 1, 2).contiguous().float() / 255
    ours = pixelate.pixelate(images, severity)
    assert torch.equal(pixelate.pixelate_by_index(images, severity), ours)
    share = pixelate.PIXELATE[severity - 1]
    few = (int(size[1] * share), int(size[0] * share))
    for picture, one in zip(levels, truncate(ours), strict=True):
        small = Image.fromarray(picture).resize(few, Image.Resampling.BOX)
        pillows = small.resize(size[::-1], Image.Resampling.BOX)
        assert np.array_equal(one.permute(1, 2, 0), pillows)
