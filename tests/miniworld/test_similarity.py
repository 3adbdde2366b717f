"""The similarity rule: each of its bounds alone, and the overlap of boxes against counting."""

from dataclasses import replace

import numpy as np
import pytest

from robust_lib.errors import InputError
from robust_lib.miniworld.similarity import (
    NAMED,
    Similarity,
    Target,
    Truth,
    box_overlap,
    differences,
)

RULE = Similarity()
BELL = Target("bell", (0.2, 0.2, 0.8, 0.8), 1.0, 0.0, 0.6, 5.0)
ANCHOR = Truth((BELL,), 0.1, 0.002, ("bell",))


def frame(light=ANCHOR.light, blur=ANCHOR.blur, said=("bell",), **changes):
    return Truth((replace(BELL, **changes),), light, blur, said)


def moved(share):
    """The anchor's box, moved to the right by a share of its side."""
    return (0.2 + 0.6 * share, 0.2, 0.8 + 0.6 * share, 0.8)


INSIDE = {
    "overlap": {"box": moved(0.249)},
    "scale": {"side": 0.6 * 1.2},
    "turn": {"turn": 25.0},
    "visible": {"visible": 0.6},
    "light": {"light": -0.4},
    "blur": {"blur": 0.0125},
    "labels": {"said": ("bell",)},
}
OUTSIDE = {
    "overlap": {"box": moved(0.251)},
    "scale": {"side": 0.6 / 1.21},
    "turn": {"turn": -15.1},
    "visible": {"visible": 0.59},
    "light": {"light": 0.61},
    "blur": {"blur": 0.0126},
    "labels": {"said": ("cat",)},
}


@pytest.mark.parametrize("part", INSIDE)
def test_each_bound_keeps_what_meets_it_and_drops_what_does_not(part):
    assert differences(frame(**INSIDE[part]), ANCHOR, RULE) == ()
    assert differences(frame(**OUTSIDE[part]), ANCHOR, RULE) == (part,)


def test_all_that_differs_is_told():
    everything = {key: value for one in OUTSIDE.values() for key, value in one.items()}
    assert differences(frame(**everything), ANCHOR, RULE) == tuple(OUTSIDE)


def test_another_subject_is_compared_no_further():
    other = frame(label="cat", turn=90.0, visible=0.1, said=("bell",))
    assert differences(other, ANCHOR, RULE) == ("subject", "labels")
    told = frame(label="cat", turn=90.0, said=("cat",))
    assert differences(told, ANCHOR, RULE) == ("subject",)


def test_an_anchor_is_similar_to_itself():
    assert differences(ANCHOR, ANCHOR, RULE) == ()


def test_what_is_hidden_is_no_label():
    cat = replace(BELL, label="cat", visible=NAMED)
    truth = Truth((BELL, cat), 0.0, 0.0, ("bell",))
    assert truth.shown == ("bell", "cat")
    assert differences(truth, ANCHOR, RULE) == ("labels",)
    hidden = replace(truth, targets=(BELL, replace(cat, visible=NAMED - 0.01)))
    assert hidden.shown == ("bell",)
    assert differences(hidden, ANCHOR, RULE) == ()


def test_the_order_of_labels_says_nothing():
    cat = replace(BELL, label="cat")
    truth = Truth((BELL, cat), 0.1, 0.0, ("cat", "bell"))
    assert differences(truth, ANCHOR, RULE) == ()


@pytest.mark.parametrize("overlap", [0.2, 0.5, 0.6, 0.9])
def test_a_box_may_move_by_the_reach(overlap):
    reach = Similarity(overlap=overlap).reach
    assert box_overlap((0.0, 0.0, 1.0, 1.0), (reach, 0.0, 1 + reach, 1.0)) == pytest.approx(overlap)


def test_overlaps_are_those_of_counted_pixels():
    rng = np.random.default_rng(0)
    found = set()
    for _ in range(200):
        boxes = []
        for _ in range(2):
            (left, right), (top, bottom) = np.sort(rng.integers(0, 12, (2, 2)))
            boxes.append((left, top, right, bottom))
        masks = np.zeros((2, 12, 12), bool)
        for mask, (left, top, right, bottom) in zip(masks, boxes, strict=True):
            mask[top:bottom, left:right] = True
        either = (masks[0] | masks[1]).sum()
        expected = (masks[0] & masks[1]).sum() / either if either else 0.0
        one, other = (tuple(map(float, box)) for box in boxes)
        assert box_overlap(one, other) == pytest.approx(expected)
        found.add(bool(expected))
    assert found == {True, False}


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ({"overlap": 0.0}, "overlap and visible between 0 and 1"),
        ({"visible": 1.0}, "overlap and visible between 0 and 1"),
        ({"scale": 1.0}, "a scale above 1"),
        ({"turn": 0.0}, "turn, light and blur above 0"),
        ({"light": -1.0}, "turn, light and blur above 0"),
        ({"blur": 0.0}, "turn, light and blur above 0"),
    ],
)
def test_bounds_that_nothing_or_everything_meets_are_refused(bounds, words):
    with pytest.raises(InputError, match=words):
        Similarity(**bounds)
