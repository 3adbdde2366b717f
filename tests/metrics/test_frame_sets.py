"""Sets of frames, with labels of frames or anchors, and sets that are none."""

import numpy as np
import pytest

from robust_lib.errors import InputError
from robust_lib.metrics.frame_sets import (
    check_sets,
    correct_frames,
    labels_of_anchors,
)
from tests.toys import unchecked

ARRAYS = [
    ([[0, 1]], [[0]], r"\(1, 2\) and \(1, 1\)"),
    ([0, 1], [0, 1], r"shape \(sets, positions\)"),
    ([[0, 9]], [[0, 1]], "frames from 0 to 3, or -1 for none, but got 0 to 9. Number frames"),
    ([[0, -2]], [[0, 1]], "got -2 to 0"),
    ([[0, 1]], [[-1, 1]], "got 0 frames there in set 0. List the anchor"),
    ([[0, 1], [-1, 2]], [[0, 1], [0, 1]], "got 0 frames there in set 1"),
    ([[0, 1]], [[0, 0]], "anchor at offset 0, but got 2 frames there in set 0"),
    ([[0, 1, -1], [3, 1, 2]], [[0, 1, 0], [0, 2, 2]], r"twice in set 1: \[0, 2, 2\]"),
    (np.zeros((0, 1), int), np.zeros((0, 1), int), "at least one set"),
]


@pytest.mark.parametrize(("neighbours", "offsets", "message"), ARRAYS)
def test_arrays_that_are_no_sets(neighbours, offsets, message):
    with unchecked(), pytest.raises(InputError, match=message):
        check_sets(np.array(neighbours), np.array(offsets), frames=4)


def test_offsets_of_places_without_a_frame_do_not_matter():
    check_sets(np.array([[2, -1, -1, 3]]), np.array([[0, 7, 7, -7]]), frames=4)


def test_any_label_of_a_frame_is_right():
    labels = np.array([[True, True, False], [False, True, False], [False, True, True]])
    assert correct_frames(np.array([0, 0, 2]), labels).tolist() == [True, False, True]


def test_labels_of_frames_and_of_anchors_differ():
    """A second object comes into the picture after the anchor."""
    labels = np.array([[True, False], [True, True], [False, True]])
    neighbours, offsets = np.array([[0, 1]]), np.array([[0, 1]])
    changed = labels_of_anchors(labels, neighbours, offsets)
    assert changed.tolist() == [[True, False], [True, False], [False, True]]
    predicted = np.array([0, 1, 1])
    assert correct_frames(predicted, labels).tolist() == [True, True, True]
    assert correct_frames(predicted, changed).tolist() == [True, False, True]
    assert labels.tolist() == [[True, False], [True, True], [False, True]]


def test_a_frame_in_two_sets_has_no_one_anchor():
    neighbours, offsets = np.array([[0, 1], [1, 0]]), np.array([[0, 1], [0, -1]])
    with pytest.raises(InputError, match=r"set.*2.*several"):
        labels_of_anchors(np.ones((2, 3), bool), neighbours, offsets)


def test_no_answer_is_never_right_even_where_every_class_is():
    assert correct_frames(np.array([-1, 1]), np.ones((2, 2), bool)).tolist() == [False, True]


PREDICTIONS = [
    (np.array([0, 1]), np.ones((1, 2), bool), r"shape \(2,\) for labels of shape \(1, 2\)"),
    (np.zeros(0, int), np.ones((0, 2), bool), "at least one frame"),
    (
        np.array([2]),
        np.ones((1, 2), bool),
        "from 0 to 1, or -1 for none, but got 2 to 2. Map the network's",
    ),
    (np.array([-2]), np.ones((1, 2), bool), "got -2 to -2"),
    (
        np.array([0]),
        np.zeros((1, 2), bool),
        "at least one class per frame, but got none for 1 of 1",
    ),
]


@pytest.mark.parametrize(("predicted", "labels", "message"), PREDICTIONS)
def test_predictions_that_cannot_be_judged(predicted, labels, message):
    with unchecked(), pytest.raises(InputError, match=message):
        correct_frames(predicted, labels)
