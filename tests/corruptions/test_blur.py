"""Blurs: the benchmark's kernels, walks and divisors, slips included, and their other sizes."""

import numpy as np
import pytest
import torch

from robust_lib.corruptions import blur, corrupt, draws, filters
from robust_lib.corruptions.levels import truncate
from tests.corruptions.streams import stream


def walked(offsets, margin):
    """The walk as the benchmark makes it, on pixel numbers."""
    _, rounds, height, width = offsets.shape
    place = np.arange(height * width).reshape(height, width)
    for i in range(rounds):
        for h in range(height - margin, margin, -1):
            for w in range(width - margin, margin, -1):
                dx, dy = offsets[:, i, h, w]
                place[h, w] = place[h + dy, w + dx]
    return place


@pytest.mark.parametrize("reach", [1, 2, 3, 4])
@pytest.mark.parametrize("size", [(33, 47), (64, 40)])
def test_glass_chains_are_the_walk(reach, size):
    offsets = draws.integer_pairs(stream(3), "walk", -reach, reach, 3, *size)
    ours = blur.copied_from(offsets, reach)
    for one, theirs in zip(ours, offsets, strict=True):
        assert np.array_equal(one, walked(theirs.numpy(), reach))


def test_glass_copies_and_does_not_swap():
    images = torch.zeros(1, 3, 224, 224)
    for severity, (_, reach, _) in enumerate(blur.GLASS, start=1):
        (offsets,) = blur.draw_glass(stream(), images, severity)
        distinct = blur.copied_from(offsets, reach).unique().numel()
        assert distinct < 0.75 * 224 * 224  # a swap would keep all pixels


def test_glass_offsets_leave_out_the_upper_bound():
    for severity, (_, reach, rounds) in enumerate(blur.GLASS, start=1):
        (offsets,) = blur.draw_glass(stream(), torch.zeros(1, 3, 224, 224), severity)
        assert offsets.shape == (1, 2, rounds, 224, 224)
        assert offsets.min() == -reach
        assert offsets.max() == reach - 1
        assert offsets.double().mean() == pytest.approx(-0.5, abs=0.02)


def test_glass_truncates_after_the_first_smoothing():
    # Columns of 100 and 101 smooth to about 100.5: all of them fall to 100.
    stripes = (100 + torch.arange(224) % 2).expand(1, 3, 224, 224) / 255
    after = corrupt(stripes, "glass_blur", 1, keys=[0])[..., 8:-8, 8:-8] * 255
    assert float(after.max()) < 100.01


def test_zoom_lists_and_divisor():
    assert [len(blur.zoom_factors(severity)) for severity in range(1, 6)] == [12, 16, 11, 13, 11]
    assert blur.zoom_factors(1)[-1] == pytest.approx(1.11)  # the end point that should be out
    # A corner pixel is cropped away by every zoom but 1, which comes on top of the original.
    corner = torch.zeros(1, 3, 224, 224)
    corner[..., 0, 0] = 1
    for severity, count in enumerate([12, 16, 11, 13, 11], start=1):
        assert float(blur.zoom_blur(corner, severity)[0, 0, 0, 0]) == pytest.approx(2 / (count + 1))


def test_defocus_brightens_at_severities_4_and_5():
    sums = [float(filters.disk(*pair).sum(dtype=np.float64)) for pair in blur.DEFOCUS]
    assert sums[:3] == pytest.approx([1, 1, 1], abs=1e-6)
    assert sums[3:] == pytest.approx([1.012975, 1.010786], abs=1e-6)
    # And darkens by one level where the mean is a whole level and the weights fall short of 1.
    even = torch.full((1, 3, 64, 224), 100 / 255)
    even = torch.nn.functional.pad(even, (0, 0, 80, 80), value=100 / 255)
    assert truncate(blur.defocus_blur(even, 1)).unique().tolist() == [99]
    assert truncate(blur.defocus_blur(even, 4)).unique().tolist() == [101]


def test_gaussian_blur_darkens_some_areas_of_one_colour():
    # The weights sum to one but for the last bit, and what falls short is truncated. Which areas
    # fall short depends on the order of the sum, and so on the processor: of these four, most do.
    darker = []
    for severity, level in ((1, 91), (2, 107), (3, 121), (5, 187)):
        even = torch.full((1, 3, 64, 64), level / 255)
        even = torch.nn.functional.pad(even, (80, 80, 80, 80), value=level / 255)
        (blurred,) = truncate(blur.gaussian_blur(even, severity)).unique().tolist()
        darker.append(level - blurred)
        assert truncate(blur.gaussian_blur(even + 1 / 255, severity)).unique() == level + 1
    assert set(darker) <= {0, 1}
    assert sum(darker) >= 2


def test_glass_offsets_keep_their_mean_share_of_the_picture():
    two = draws.Stream(((0, "a"), (0, "b")), torch.device("cpu"))
    for severity, (_, reach, _) in enumerate(blur.GLASS, start=1):
        for side in (64, 448):
            (offsets,) = blur.draw_glass(two, torch.zeros(2, 3, side, side), severity)
            drawn = offsets.double()
            expected = -0.5 * side / 224
            assert drawn.mean() == pytest.approx(expected, abs=0.03 * max(1, side / 224))
            margin = blur.glass_margin(reach, side / 224)
            assert drawn.min() >= -margin
            assert drawn.max() <= margin - 1


def test_motion_blur_passes_through_8_bits():
    ramp = torch.linspace(0, 1, 224).expand(1, 3, 224, 224)
    levels = corrupt(ramp, "motion_blur", 3, keys=[0]).double() * 255
    assert (levels - levels.round()).abs().max() < 1e-4
    assert (truncate(ramp) / 255 - ramp).abs().max() > 0.5 / 255  # the picture itself had none
