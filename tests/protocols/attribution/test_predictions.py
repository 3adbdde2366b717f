"""Which predictions are studied: sure ones of some pictures, and the surest of these."""

import numpy as np

from robust_lib.protocols.attribution.predictions import of_the_surest_class, studied, surest
from tests.protocols.attribution.toys import found_boxes

ROWS = [(0, 1, 0.9), (1, 0, 0.4), (2, 0, 0.6), (2, 1, 0.8), (2, 1, 0.55), (4, 0, 0.5)]


def test_sure_ones_with_the_surest_of_a_picture_first():
    found = studied(found_boxes(ROWS))
    assert found.images.tolist() == [0, 2, 2, 2, 4]
    assert found.scores.tolist() == [0.9, 0.8, 0.6, 0.55, 0.5]
    assert len(studied(found_boxes(ROWS), 0.95).images) == 0


def test_a_smaller_choice_of_pictures_lies_in_a_larger_and_keeps_pictures_whole():
    rows = [(at, at % 2, 0.9) for at in range(30)] + [(at, 0, 0.8) for at in range(30)]
    whole = found_boxes(rows)
    few, more = (np.unique(studied(whole, most=most).images) for most in (5, 12))
    assert (len(few), len(more)) == (5, 12)
    assert set(few) < set(more)
    assert len(studied(whole, most=5).images) == 10


def test_the_surest_and_those_of_its_class():
    found = studied(found_boxes(ROWS))
    assert surest(found).scores.tolist() == [0.9, 0.8, 0.5]
    same = of_the_surest_class(found)
    assert same.images.tolist() == [0, 2, 2, 4]
    assert same.scores.tolist() == [0.9, 0.8, 0.55, 0.5]
    none = studied(found_boxes(ROWS), 0.95)
    assert len(surest(none).images) == len(of_the_surest_class(none).images) == 0
