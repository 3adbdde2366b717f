"""JPEG without a file: the codec's pixels, at every quality and where blocks end in the picture."""

import numpy as np
import pytest
import torch

from robust_lib.corruptions import jpeg, jpeg_arithmetic


def levels(*size, few=False):
    """Random levels, or the two ends alone, whose waves are the highest."""
    drawn = np.random.default_rng(sum(size)).integers(0, 2 if few else 256, size, np.uint8)
    return torch.from_numpy(drawn * 255 if few else drawn)


def equal(pictures, quality):
    ours = jpeg_arithmetic.round_trip(pictures, quality)
    return torch.equal(ours, jpeg.round_trip(pictures, quality))


@pytest.mark.parametrize("few", [False, True])
def test_every_quality_is_the_codecs(few):
    pictures = levels(2, 3, 64, 64, few=few)
    assert all(equal(pictures, quality) for quality in range(1, 101))


def test_every_end_of_blocks_is_the_codecs():
    """Blocks of colours are 16 pixels long and repeat other pixels than those of brightness."""
    for height in range(32, 49):
        for width in range(32, 49):
            assert equal(levels(1, 3, height, width), 85), (height, width)


def test_photographs_are_the_codecs(pictures):
    shown = torch.from_numpy(pictures).permute(0, 3, 1, 2)
    assert all(equal(shown, quality) for quality in (*jpeg.QUALITY, jpeg.ARCHIVE_QUALITY))


def test_what_memory_does_not_hold_is_done_in_turn(monkeypatch):
    pictures = levels(5, 3, 40, 40)
    monkeypatch.setattr(jpeg_arithmetic, "_AT_ONCE", 2 * pictures[0].numel())
    assert equal(pictures, 85)
    assert jpeg_arithmetic.round_trip(pictures[:0], 85).shape == (0, 3, 40, 40)
