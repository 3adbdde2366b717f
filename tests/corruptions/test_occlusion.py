"""Borders and squares: where they lie, how large they are, and of one grey."""

import pytest
import torch

from robust_lib.corruptions import corrupt, occlusion
from robust_lib.corruptions.draws import Stream
from robust_lib.corruptions.levels import scale
from robust_lib.vocabulary import SEVERITIES

STREAM = Stream(tuple((0, i) for i in range(300)), torch.device("cpu"))
SIZES = pytest.mark.parametrize(("height", "width"), [(224, 224), (64, 64), (64, 96)])


@SIZES
def test_a_border_is_one_grey_and_the_picture_inside_it_stays(height, width):
    images = torch.full((300, 3, height, width), -1.0)
    factor = scale(height, width)
    thickness, greys = occlusion.draw_border(STREAM, images, 1)
    assert int(thickness.min()) == max(1, round(10 * factor))
    assert int(thickness.max()) == round(45 * factor)
    framed = occlusion.border(images, 1, thickness, greys)
    for one, depth, grey in zip(framed, thickness.int().tolist(), greys, strict=True):
        inner = one[:, depth : height - depth, depth : width - depth]
        assert (inner == -1).all()
        assert (one != -1).sum() == one.numel() - inner.numel()
        assert (one[one != -1] == grey).all()


@SIZES
def test_a_square_is_one_grey_and_lies_wholly_inside_the_picture(height, width):
    images = torch.full((300, 3, height, width), -1.0)
    factor = scale(height, width)
    side, corners, greys = occlusion.draw_obstruction(STREAM, images, 1)
    assert int(side.min()) == round(50 * factor)
    assert int(side.max()) == round(120 * factor)
    blocked = occlusion.obstruction(images, 1, side, corners, greys)
    for one, length, grey in zip(blocked, side.int().tolist(), greys, strict=True):
        rows, columns = (one[0] != -1).nonzero().unbind(1)
        assert rows.max() - rows.min() + 1 == columns.max() - columns.min() + 1 == length
        assert (one != -1).sum() == 3 * length**2
        assert (one[one != -1] == grey).all()
    # Squares touch every side of the picture in some image.
    covered = (blocked[:, 0] != -1).any(0)
    assert covered.any(0)[[0, -1]].all()
    assert covered.any(1)[[0, -1]].all()


def test_occlusions_have_one_distribution_for_all_severities(images):
    for name in ("border", "obstruction"):
        shares = [
            float((corrupt(images, name, s, keys=range(9)) != images).double().mean())
            for s in SEVERITIES
        ]
        assert max(shares) < 1.6 * min(shares)
