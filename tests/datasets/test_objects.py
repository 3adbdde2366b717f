"""Objects of pictures: known by hand."""

import numpy as np
import pytest

from robust_lib.datasets.objects import Foreign, Objects, foreign_of, truth_of
from robust_lib.errors import InputError

BOX = np.array([[1.0, 2.0, 5.0, 8.0]], np.float32)
CAT = np.array([2])
NOBODY = np.zeros((0, 4), np.float32)
NOTHING = np.zeros(0, np.int64)


def test_pictures_are_numbered_and_crowds_marked():
    crowd = Objects(9, 9, BOX, CAT, crowd=np.array([True]))
    truth = truth_of([Objects(9, 9, NOBODY, NOTHING), crowd, Objects(9, 9, BOX, CAT)])
    assert truth.images.tolist() == [1, 2]
    assert truth.crowds.tolist() == [True, False]
    assert truth.counted.tolist() == [False, True]


def test_the_largest_object_names_the_picture():
    boxes = np.array([[0, 0, 2, 2], [0, 0, 3, 3], [0, 0, 3, 3]], np.float32)
    assert Objects(9, 9, boxes, np.array([4, 5, 6])).label == 5
    assert Objects(9, 9, NOBODY, NOTHING).label == -1


def test_no_pictures_have_no_objects():
    assert len(truth_of([]).images) == 0


def test_foreign_objects_count_only_where_every_picture_was_searched():
    shark = Objects(9, 9, NOBODY, NOTHING, foreign=Foreign(BOX, ("shark",)))
    searched = Objects(9, 9, BOX, CAT, foreign=Foreign(NOBODY, ()))
    found = foreign_of([searched, shark])
    assert found is not None
    assert (found.images.tolist(), found.classes.tolist()) == ([1], [0])
    assert foreign_of([shark, Objects(9, 9, BOX, CAT)]) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"classes": np.array([1, 2])},
        {"crowd": np.array([True, False])},
        {"masks": np.ones((2, 9, 9), bool)},
        {"areas": np.ones(2)},
    ],
)
def test_parts_of_other_lengths_are_refused(wrong):
    with pytest.raises(InputError, match=f"Expected {next(iter(wrong))} of each of 1 objects"):
        Objects(9, 9, BOX, **({"classes": CAT} | wrong))


def test_foreign_objects_without_names_or_flags_are_refused():
    with pytest.raises(InputError, match=r"name.*1"):
        Foreign(BOX, ())
    with pytest.raises(InputError, match=r"flag.*1"):
        Foreign(BOX, ("shark",), related=np.ones(2, bool))


def test_sizes_are_of_outlines_where_all_objects_have_one_and_of_boxes_otherwise():
    outlined = Objects(9, 9, BOX, CAT, areas=np.array([7.0]))
    nobody = Objects(9, 9, NOBODY, NOTHING)
    assert truth_of([outlined, nobody]).sizes.tolist() == [7]
    assert truth_of([outlined, Objects(9, 9, BOX, CAT)]).sizes.tolist() == [24, 24]


def test_wide_words_and_parts_are_left_out_where_they_are_told_apart():
    both = Foreign(np.repeat(BOX, 2, 0), ("Vehicle", "Shark"), related=np.array([True, False]))
    none = Foreign(NOBODY, (), related=np.zeros(0, bool))
    first, second = (Objects(9, 9, NOBODY, NOTHING, foreign=one) for one in (none, both))
    assert foreign_of([first, second]).images.tolist() == [1, 1]
    assert foreign_of([first, second], unrelated=True).images.tolist() == [1]
    assert foreign_of([first, Objects(9, 9, NOBODY, NOTHING, foreign=Foreign(NOBODY, ()))],
                      unrelated=True) is None  # fmt: skip
