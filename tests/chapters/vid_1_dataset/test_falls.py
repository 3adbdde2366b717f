"""Falls: worst frames by a slow loop, the rule of the examples, and the strips."""

import numpy as np
import pytest

from robust_book.chapters.vid_1_dataset import falls
from robust_lib.datasets.frame_sets import from_names
from robust_lib.errors import InputError
from robust_lib.predict.predictions import Predictions
from tests.chapters.vid_1_dataset.toys import said_of_frames, watched
from tests.protocols.pm_k.toys import frame_sets


def random_answers(sets, seed=0):
    logits = np.random.default_rng(seed).normal(size=(len(sets.frames), sets.classes))
    labels = np.array([one[0] for one in sets.labels])
    return Predictions.from_logits(
        logits.astype(np.float32), ids=sets.frames, labels=labels, model="mine", dataset="toys"
    )


def test_worst_frames_and_falls_are_those_of_a_slow_loop():
    sets = frame_sets(12)
    seen = falls.watched(random_answers(sets), sets)
    found = {one.place: one for one in falls.falls(seen)}
    for place, anchor in enumerate(sets.anchors):
        row = [int(frame) for frame in sets.members[place] if frame >= 0]
        wrong = [frame for frame in row if not seen.right[frame]]
        worst = min(wrong or row, key=lambda frame: seen.own[frame])
        assert seen.worst(place) == worst
        assert (place in found) == (bool(seen.right[anchor]) and bool(wrong))
        if place in found:
            assert found[place].frame == worst
            assert found[place].lost == pytest.approx(seen.own[anchor] - seen.own[worst])


def test_the_confidence_in_a_frame_of_two_classes_is_that_in_the_likelier():
    frames = ("val/a/000001.JPEG", "val/a/000002.JPEG")
    sets = from_names({key: [0, 2] for key in frames}, {frames[0]: [frames[1]]}, classes=3)
    logits = np.log(np.array([[0.2, 0.1, 0.7], [0.3, 0.6, 0.1]], np.float32))
    said = Predictions.from_logits(
        logits, ids=frames, labels=np.array([0, 0]), model="mine", dataset="toys"
    )
    seen = falls.watched(said, sets)
    assert seen.own == pytest.approx([0.7, 0.3], abs=1e-6)
    assert seen.right.tolist() == [True, False]


def test_the_largest_fall_comes_first_and_a_class_has_one_example():
    sets = frame_sets(6)  # even places show one class, odd ones the other
    seen = falls.watched(random_answers(sets, 3), sets)
    found = falls.falls(seen)
    assert [one.lost for one in found] == sorted((one.lost for one in found), reverse=True)
    chosen = falls.examples(found, sets)
    classes = [sets.labels[one.anchor][0] for one in chosen]
    assert len(set(classes)) == len(classes) == len({sets.labels[one.anchor][0] for one in found})
    assert chosen[0] == found[0]


def test_a_network_that_is_wrong_on_the_anchor_does_not_fall():
    assert falls.falls(watched({0: 0})) == ()


@pytest.mark.parametrize("offset", [-10, -1, 1, 7])
def test_a_strip_has_the_anchor_and_the_fall_and_no_frame_twice(offset):
    seen = watched({0: offset})
    strip = falls.strip(falls.falls(seen)[0], seen.sets)
    assert {0, offset} <= set(strip)
    assert len(set(strip)) == len(strip) == falls.STRIP
    assert list(strip) == sorted(strip)


def test_a_small_set_is_shown_whole():
    frames = [f"val/a/{number:06d}.JPEG" for number in range(3)]
    sets = from_names({key: [0] for key in frames}, {frames[1]: frames[::2]}, classes=2)
    seen = watched({0: 1}, sets)
    assert falls.strip(falls.falls(seen)[0], sets) == (-1, 0, 1)


def test_the_share_is_of_the_anchors_that_are_right():
    seen = watched({0: 0, 1: 5, 2: 3}, sets=10)
    rows = falls.results(seen, falls.falls(seen), "toys", "mine")
    share = rows.row(metric="share")
    assert (share.value, share.n) == (pytest.approx(2 / 9), 9)
    assert rows.row(metric="examples").value == 2
    assert len(rows.select(metric="confidence")) == 4


def test_where_no_anchor_is_right_there_is_no_share():
    seen = watched(dict.fromkeys(range(3), 0), sets=3)
    assert not len(falls.results(seen, (), "toys", "mine").select(metric="share"))


def test_answers_to_other_frames_are_refused():
    with pytest.raises(InputError, match=r"predictions.*outputs.*42 frames"):
        falls.watched(said_of_frames({}, frame_sets(3)), frame_sets(2))


def test_sets_of_one_drawing_fall_together():
    """As in the chapter on classification: of two drawings, one that falls is no sure half."""
    sets = frame_sets(40)
    said = said_of_frames(dict.fromkeys(range(20), 3), sets)
    alone, shared = (
        falls.results(seen, falls.falls(seen), "toys", "mine").row(metric="share")
        for seen in (
            falls.watched(said, sets),
            falls.watched(said, sets, ("bell",) * 20 + ("bus",) * 20),
        )
    )
    assert alone.value == shared.value == 0.5
    assert (shared.low, shared.high) == (0.0, 1.0)
    assert alone.high < 0.7
