"""Bare grounds: six places, keyed, as an image set."""

import numpy as np
import pytest

from robust_lib.config.class_lists import load_classes
from robust_lib.datasets import ImageSet
from robust_lib.errors import InputError
from robust_lib.miniworld.ground_set import Grounds
from robust_lib.preprocessing import Preprocessing

AS_IS = Preprocessing(None, None)


def test_places_are_the_label_space_of_backgrounds():
    grounds = Grounds("grounds", 2, 32)
    assert isinstance(grounds, ImageSet)
    assert grounds.class_names == load_classes(grounds.classes).names
    assert len(grounds) == len(grounds.ids) == 12
    assert grounds.labels.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    assert [grounds.class_names[label] for label in grounds.labels[::2]] == [
        one.partition("/")[0] for one in grounds.ids[::2]
    ]


def test_pictures_depend_on_their_ids_alone():
    few, many = Grounds("few", 1, 32), Grounds("many", 3, 32)
    for place, item in enumerate(few.ids):
        other = many.read(many.ids.index(item), AS_IS)
        assert np.array_equal(few.read(place, AS_IS), other)
    assert len({many.read(place, AS_IS).tobytes() for place in range(18)}) == 18
    assert many.read(4, Preprocessing(20, 16)).shape == (16, 16, 3)


def test_digests_tell_sets_apart():
    sets = [Grounds("a", 2), Grounds("a", 3), Grounds("a", 2, 64), Grounds("a", 2, seed=1)]
    assert len({one.digest for one in sets}) == 4
    assert Grounds("b", 2).digest == sets[0].digest


def test_no_picture_is_refused():
    with pytest.raises(InputError, match="at least one picture of a place"):
        Grounds("none", 0)
