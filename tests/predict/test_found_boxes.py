"""Found boxes: images are known once each, and every box is in one of them."""

import numpy as np
import pytest

from robust_lib.errors import InputError
from robust_lib.predict.found_boxes import FoundBoxes
from tests.boxed import boxes_of, detections_of

ONE = boxes_of((1, 2, 3, 4, 0, 0.5))


def found(ids, detections):
    return FoundBoxes("mine", "toys", ids, detections, 0.05, 100)


def test_boxes_and_their_convention():
    some = found(("a", "b"), detections_of([ONE, ONE]))
    assert len(some) == 2
    assert some.convention == "scores from 0.05, at most 100 boxes per image"
    assert np.array_equal(some.detections.images, [0, 1])


def test_an_image_twice_and_a_box_in_no_image():
    with pytest.raises(InputError, match="Expected each image of toys once"):
        found(("a", "a"), detections_of([ONE]))
    with pytest.raises(InputError, match=r"1 images.*toys.*image 1"):
        found(("a",), detections_of([ONE, ONE]))
