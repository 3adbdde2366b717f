"""Sets of video frames: what the record holds, and what is refused before any work."""

import dataclasses

import numpy as np
import pytest

from robust_lib.datasets.frame_sets import FARTHEST, from_names, listed, parse_frame
from robust_lib.errors import InputError
from tests import vid_release


def path(number: int, video: str = "a") -> str:
    return f"val/{video}/{number:06d}.JPEG"


LABELS = {path(number): [0] for number in (10, 12, 15, 20, 21)} | {path(3, "b"): [1, 2]}
SETS = {path(15): [path(20), path(10), path(12)], path(3, "b"): []}


def small():
    return from_names(LABELS, SETS, classes=3)


def test_neighbours_stand_by_offset_and_rows_are_filled_up():
    sets = small()
    assert sets.frames == (path(10), path(12), path(15), path(20), path(3, "b"))
    assert sets.labels == ((0,), (0,), (0,), (0,), (1, 2))
    assert sets.anchors.tolist() == [2, 4]
    assert sets.members.tolist() == [[0, 1, 2, 3], [4, -1, -1, -1]]
    assert sets.offsets.tolist() == [[-5, -3, 0, 5], [0, 0, 0, 0]]
    assert len(sets) == 2


def test_the_order_in_which_sets_are_given_makes_no_difference():
    given = {anchor: SETS[anchor][::-1] for anchor in reversed(SETS)}
    other = from_names(dict(reversed(LABELS.items())), given, classes=3)
    assert other.digest == small().digest
    assert other.offsets.tolist() == small().offsets.tolist()


def test_the_record_does_not_change():
    sets = small()
    with pytest.raises(dataclasses.FrozenInstanceError):
        sets.classes = 4
    for array in (sets.anchors, sets.members, sets.offsets, sets.truth):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_the_digest_knows_labels_frames_and_sets():
    others = [
        from_names(LABELS | {path(10): [1]}, SETS, classes=3),
        from_names(LABELS, SETS | {path(15): [path(20), path(10)]}, classes=3),
        from_names(LABELS, SETS | {path(21): [path(15)]}, classes=3),
    ]
    assert len({small().digest, *(other.digest for other in others)}) == 4


def test_within_k_frames():
    sets = small()
    alone = [True, False, False, False]
    assert sets.within(0).tolist() == [[False, False, True, False], alone]
    assert sets.within(3).tolist() == [[False, True, True, False], alone]
    assert sets.within(5).tolist() == [[True] * 4, alone]
    np.testing.assert_array_equal(sets.within(5), sets.within(FARTHEST))
    for k in (-1, 11):
        with pytest.raises(InputError, match=f"k from 0 to 10 frames, but got {k}. Frames further"):
            sets.within(k)


def test_the_truth_has_all_labels_of_a_frame_and_not_its_anchors():
    labels = {path(1): [1, 0], path(2): [1], path(3): [2]}
    sets = from_names(labels, {path(1): [path(2), path(3)]}, classes=4)
    assert sets.labels == ((0, 1), (1,), (2,))
    assert sets.truth.astype(int).tolist() == [[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]


def test_a_frame_of_several_sets_stands_once():
    sets = from_names(LABELS, {path(15): [path(20)], path(21): [path(20), path(15)]}, classes=3)
    assert sets.frames == (path(15), path(20), path(21))
    assert sets.members.tolist() == [[0, 1, -1], [0, 1, 2]]
    assert sets.offsets.tolist() == [[0, 5, 0], [-6, -1, 0]]
    assert sets.anchors.tolist() == [0, 2]


def test_frames_of_no_set_are_left_out():
    assert path(21) in LABELS
    assert path(21) not in small().frames


def test_some_sets_keep_their_frames_alone():
    part = small().take([1])
    assert (part.frames, part.labels) == ((path(3, "b"),), ((1, 2),))
    assert part.members.tolist() == [[0]]
    assert part.within(10).tolist() == [[True]]
    assert small().take([1, 0]).digest == small().digest
    for places in ([], [0, 0], [2], [-1]):
        with pytest.raises(InputError, match=r"positions.*0.*1, without duplicates"):
            small().take(places)


@pytest.mark.parametrize(
    ("labels", "sets", "message"),
    [
        ({}, {}, "at least one set of frames, but got none"),
        ({}, {path(40): []}, r"all 1 anchors of the frame sets, but 1 have none \(val/a/000040"),
        ({}, {path(15): [path(16)]}, r"all 1 neighbours .* but 1 have none \(val/a/000016.JPEG\)"),
        ({path(26): [0]}, {path(15): [path(26)]}, "10 frames away, but got val/a/000026.JPEG"),
        ({path(4): [0]}, {path(15): [path(4)]}, "10 frames away, but got val/a/000004.JPEG"),
        ({}, {path(15): [path(15)]}, "to be other frames of its video"),
        ({}, {path(15): [path(3, "b")]}, "other frames of its video, .* got val/b/000003.JPEG"),
        ({}, {path(15): [path(12), path(12)]}, "once, but one of its 2 occurs twice"),
        ({path(15): []}, SETS, r"one or more classes from 0 to 2 .*000015.JPEG, .* but got \[\]"),
        ({path(15): [3]}, SETS, r"but got \[3\]"),
        ({path(15): [-1]}, SETS, r"but got \[-1\]"),
        ({path(15): [1, 1]}, SETS, r"none twice, but got \[1, 1\]"),
        ({"x.JPEG": [0]}, {"x.JPEG": []}, "<folder>/<video>/<number>.JPEG, but got 'x.JPEG'"),
    ],
)
def test_bad_sets_are_refused_in_one_paragraph(labels, sets, message):
    with pytest.raises(InputError, match=message) as raised:
        from_names(LABELS | labels, sets, classes=3)
    text = str(raised.value)
    assert "\n" not in text
    assert text.startswith("Expected ")
    assert text.endswith(".")


@pytest.mark.parametrize("frame", ["../a/000001.JPEG", "a/b/../000001.JPEG", "/a/000001.JPEG", "1"])
def test_a_path_that_leads_elsewhere_is_no_frame(frame):
    with pytest.raises(InputError, match="Expected a frame named"):
        parse_frame(frame)


def test_messages_name_three_frames():
    assert listed({"a"}) == "a"
    assert listed({"a", "b", "c"}) == "a, b, c"


def test_sets_of_the_releases_size_agree_with_the_authors_loop():
    """The example scorer goes through names; here it is arrays that decide."""
    labels, given = vid_release.metadata()
    sets = from_names(labels, given, classes=30)
    rng = np.random.default_rng(0)
    predicted = np.array([one[-1] for one in sets.labels])
    wrong = rng.random(len(predicted)) < 0.02
    predicted[wrong] = rng.integers(0, 30, wrong.sum())
    named = dict(zip(sets.frames, predicted.tolist(), strict=True))
    right = {frame: named[frame] in labels[frame] for frame in labels}
    by_loop = sum(right[anchor] and all(map(right.get, given[anchor])) for anchor in given)
    correct = sets.truth[np.arange(len(predicted)), predicted]
    by_arrays = (correct[sets.members] | ~sets.within(10)).all(axis=1)
    assert 300 < by_loop < 1000
    assert by_arrays.sum() == by_loop
    assert correct[sets.anchors].sum() == sum(right[anchor] for anchor in given)
