"""Heat over pictures: colours by sign, strength by size, boxes around what is asked."""

import numpy as np

from robust_book.figures.heat import AGAINST, FOR, over

GREY = np.full((20, 20, 3), 100, np.uint8)


def test_no_heat_leaves_the_picture_grey():
    colourful = np.random.default_rng(0).integers(0, 256, (20, 20, 3), dtype=np.uint8)
    shown = over(colourful, np.zeros((20, 20)), times=1)
    assert (shown == shown[..., :1]).all()
    assert np.abs(shown[..., 0] - colourful.mean(-1)).max() <= 0.5


def test_signs_are_told_by_colour_and_sizes_by_strength():
    heat = np.zeros((20, 20))
    heat[:4], heat[4:8], heat[8:12] = 1.0, 0.5, -1.0
    shown = over(GREY, heat, times=1).astype(float)
    strong, weak, against, nothing = (shown[row, 0] for row in (0, 5, 10, 15))
    assert np.abs(strong - FOR).sum() < np.abs(weak - FOR).sum() < np.abs(nothing - FOR).sum()
    assert np.abs(against - AGAINST).sum() < np.abs(nothing - AGAINST).sum()


def test_one_extreme_pixel_does_not_pale_all_others():
    heat = np.full((20, 20), 1.0)
    heat[0, 0] = 1000.0
    shown = over(GREY, heat, times=1)
    assert (shown[5, 5] == shown[0, 0]).all()


def test_boxes_are_lines_within_the_picture():
    shown = over(GREY, np.zeros((20, 20)), [(2.0, 3.0, 30.0, 9.0)], times=2)
    assert shown.shape == (40, 40, 3)
    white = (shown == 255).all(-1)
    assert white[6, 4:].all()
    assert white[17, 4:].all()
    assert white[6:18, 4].all()
    assert white.sum() == 2 * 36 + 2 * 10
