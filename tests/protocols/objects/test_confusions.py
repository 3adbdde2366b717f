"""What is taken for what: one scene each, and the world's own look-alikes."""

import numpy as np
import pytest

from robust_lib.datasets.objects import Foreign, Objects
from robust_lib.metrics.boxes import Detections
from robust_lib.predict.found_boxes import FoundBoxes
from robust_lib.protocols.objects.confusions import confusions, mistakes, planted
from tests.layouts import Shapes
from tests.protocols.objects import toys

CLASSES = ("cat", "dog")
CAT, SHARK = (0.0, 0.0, 50.0, 50.0), (100.0, 0.0, 150.0, 50.0)
SCENE = Objects(
    200, 60, np.array([CAT], np.float32), np.array([0]),
    foreign=Foreign(np.array([SHARK], np.float32), ("shark",)),
)  # fmt: skip


def told(*said):
    """`said`: (class, box, score) of what is found in a picture of a cat and a shark."""
    classes, boxes, scores = (np.array(part) for part in zip(*said, strict=True))
    found = Detections(np.zeros(len(said), int), classes, boxes.astype(float), scores)
    record = FoundBoxes("mine", "toys", ("a",), found, 0.05, 100)
    return [
        (one.predicted, one.truth, one.is_foreign)
        for one in mistakes(record, ("a",), (SCENE,), CLASSES)
    ]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ((0, CAT, 0.9), []),
        ((1, CAT, 0.9), [("dog", "cat", False)]),
        ((1, SHARK, 0.9), [("dog", "shark", True)]),
        ((0, SHARK, 0.9), [("cat", "shark", True)]),
        ((1, (60.0, 0.0, 90.0, 50.0), 0.9), [("dog", "", False)]),
        ((1, (0.0, 0.0, 20.0, 20.0), 0.9), [("dog", "", False)]),  # covers too little
        ((1, CAT, 0.5), []),  # not sure enough
    ],
)
def test_what_lies_where_a_mistake_is(said, expected):
    assert told(said) == expected


def test_a_second_box_on_an_object_is_no_confusion():
    assert told((0, CAT, 0.9), (0, CAT, 0.8)) == []
    assert told((0, CAT, 0.9), (1, CAT, 0.8)) == [("dog", "cat", False)]


def test_an_object_of_the_name_of_a_class_may_be_foreign():
    """Somebody else's "cat" that the label set does not mean."""
    scene = Objects(
        200, 60, np.zeros((0, 4), np.float32), np.zeros(0, int),
        foreign=Foreign(np.array([CAT], np.float32), ("cat",)),
    )  # fmt: skip
    found = Detections(np.array([0]), np.array([0]), np.array([CAT]), np.array([0.9]))
    (one,) = mistakes(FoundBoxes("m", "t", ("a",), found, 0.05, 100), ("a",), (scene,), CLASSES)
    assert (one.predicted, one.truth, one.is_foreign) == ("cat", "cat", True)


def test_most_pictures_first_and_nothing_known_last():
    images = Shapes(count=30)
    (found,) = toys.object_boxes({"mine": 10}, images)["mine"]
    ranked = confusions(mistakes(found, images.ids, images.annotations, images.class_names))
    known = [one.pictures for one in ranked if one.truth]
    assert known == sorted(known, reverse=True)
    scores = [one.score for one in ranked[0].mistakes]
    assert scores == sorted(scores, reverse=True)
    assert {(one.predicted, one.truth) for one in ranked if one.is_foreign} == {
        ("disc", "ring"),
        ("box", "wedge"),
    }
    pairs, mistaken, every = planted(ranked, toys.PAIRS)
    assert pairs == 2
    assert mistaken == sum(len(one.mistakes) for one in ranked if one.is_foreign) < every
    turned = [(truth, taken) for taken, truth in toys.PAIRS]
    assert planted(ranked, turned) == (pairs, mistaken, every)
