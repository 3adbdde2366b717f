"""Four conventions of the same predictions."""

from dataclasses import replace

import numpy as np

from robust_book.chapters.vid_2_classification.conventions import readings_frame
from robust_lib.datasets.frame_sets import from_names
from robust_lib.protocols.pm_k.answers import Answers

FRAMES = [f"val/a/{number:06d}.JPEG" for number in range(3)]


def answers(predicted, labels):
    names = dict(zip(FRAMES, labels, strict=True))
    sets = from_names(names, {FRAMES[1]: [FRAMES[0], FRAMES[2]]}, classes=2)
    return Answers("toys", sets, {"mine": (np.array(predicted),)}, "all 2 outputs")


def values(found, summed=None):
    frame = readings_frame(found, summed or found, ["mine", "absent"])
    assert frame["Network"].tolist() == ["mine"]
    return frame.iloc[0, 1:].tolist()


def test_a_wrong_anchor_counts_in_the_code_alone():
    assert values(answers([0, 1, 0], [[0]] * 3)) == [0.0, 100.0, 100.0, 0.0]


def test_the_equation_asks_for_the_anchors_label_on_every_frame():
    found = answers([1, 0, 0], [[1], [0], [0]])  # the first frame shows something else
    assert values(found) == [100.0, 100.0, 0.0, 100.0]


def test_summed_probabilities_are_other_answers():
    found = answers([0, 0, 0], [[0]] * 3)
    other = replace(found, by_network={"mine": (np.array([0, 0, 1]),)})
    assert values(found, other) == [100.0, 100.0, 100.0, 0.0]
