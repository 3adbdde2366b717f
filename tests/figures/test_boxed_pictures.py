"""Boxes lie where they are, in the colour of what they are."""

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from robust_book.figures.boxed_pictures import Box, boxed
from robust_book.figures.style import ORDINARY, WRONG
from robust_lib.errors import InputError

PICTURE = np.zeros((40, 60, 3), np.uint8)


def test_boxes_keep_their_corners_and_kinds_their_colours():
    found = [
        Box((5.0, 6.0, 25.0, 30.0), "truth"),
        Box((6.0, 6.0, 26.0, 30.0), "right", "fox 90 %"),
        Box((30.0, 1.0, 50.0, 9.0), "wrong", "sheep 60 %"),
    ]
    figure = boxed([PICTURE, PICTURE], [found, []], ["anchor", "later"], columns=2)
    first, second = figure.axes
    drawn = [patch for patch in first.patches if isinstance(patch, Rectangle)]
    assert [(one.get_xy(), one.get_width(), one.get_height()) for one in drawn] == [
        ((5.0, 6.0), 20.0, 24.0),
        ((6.0, 6.0), 20.0, 24.0),
        ((30.0, 1.0), 20.0, 8.0),
    ]
    colours = [one.get_edgecolor()[:3] for one in drawn]
    assert colours[0] == (1.0, 1.0, 1.0)
    assert colours[1] == tuple(int(ORDINARY[i : i + 2], 16) / 255 for i in (1, 3, 5))
    assert colours[2] == tuple(int(WRONG[i : i + 2], 16) / 255 for i in (1, 3, 5))
    assert [text.get_text() for text in first.texts] == ["fox 90 %", "sheep 60 %"]
    assert not second.patches
    told = [text.get_text() for text in figure.legends[0].get_texts()]
    assert told == ["true object", "true positive", "false positive"]


def test_pictures_are_shown_in_their_own_pixels():
    axis = boxed([PICTURE], [[]], [""], columns=1).axes[0]
    assert (axis.get_xlim(), axis.get_ylim()) == ((0, 60), (40, 0))


@pytest.mark.parametrize(
    ("pictures", "boxes", "captions"),
    [([], [], []), ([PICTURE], [], ["a"]), ([PICTURE], [[]], [])],
)
def test_lists_of_other_lengths_are_refused(pictures, boxes, captions):
    with pytest.raises(InputError, match="Expected boxes and a caption for each image"):
        boxed(pictures, boxes, captions, columns=1)


def test_words_do_not_leave_the_picture_on_the_right():
    found = [
        Box((5.0, 1.0, 25.0, 9.0), "wrong", "fox"),
        Box((45.0, 1.0, 58.0, 9.0), "wrong", "hen"),
    ]
    left, right = boxed([PICTURE], [found], [""], columns=1).axes[0].texts
    assert (left.get_ha(), left.get_position()[0]) == ("left", 6.0)
    assert (right.get_ha(), right.get_position()[0]) == ("right", 57.0)
