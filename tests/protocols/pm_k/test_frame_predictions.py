"""Answers: right to the last frame of a set, by a slow obvious loop."""

import numpy as np
import pytest

from robust_lib.errors import InputError
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.predict.predictions import Predictions
from robust_lib.protocols.pm_k.frame_predictions import (
    FramePredictions,
    answers,
    require_frames,
    require_reading,
)
from tests.looped import over
from tests.protocols.pm_k import toys


def slow(found, network, k):
    """Whether a network is right on a set, frame by frame."""
    sets, predicted = found.sets, found.by_network[network][0]
    right = []
    for anchor, row, offsets in zip(sets.anchors, sets.members, sets.offsets, strict=True):
        good, some = True, False
        for frame, offset in zip(row, offsets, strict=True):
            if frame < 0 or abs(offset) > k or (offset == 0 and not found.anchor):
                continue
            some = True
            labels = sets.labels[anchor if found.reading == "anchor" else frame]
            good &= predicted[frame] in labels
        if not some:
            good = predicted[anchor] in sets.labels[anchor]
        right.append(good)
    return right


def drawn(seed, **settings):
    """Random answers to random sets, some frames of two classes, one set without neighbours."""
    rng = np.random.default_rng(seed)
    names, labels = {}, {}
    for place in range(12):
        frames = [f"val/clip_{place:02d}/{n:06d}.JPEG" for n in range(21) if rng.random() < 0.7]
        frames = frames or [f"val/clip_{place:02d}/000003.JPEG"]
        near = [frame for frame in frames if frame != frames[0]][: 10 if place else 0]
        near = [one for one in near if int(one[-11:-5]) - int(frames[0][-11:-5]) <= 10]
        names[frames[0]] = near
        for frame in [frames[0], *near]:
            labels[frame] = [[0], [1], [0, 1], [2]][rng.integers(4)]
    from robust_lib.datasets.frame_sets import from_names

    sets = from_names(labels, names, classes=3)
    predicted = rng.integers(-1, 3, len(sets.frames))
    return FramePredictions("toys", sets, {"mine": (predicted,)}, "by lot", **settings)


@over("seed", range(8))
@pytest.mark.parametrize("reading", ["frame", "anchor"])
@pytest.mark.parametrize("anchor", [True, False])
def test_hits_are_those_of_a_slow_loop(seed, reading, anchor):
    found = drawn(seed, reading=reading, anchor=anchor)
    (hits,) = found.hits("mine")
    for k in range(11):
        assert hits[:, k].tolist() == slow(found, "mine", k)


def test_an_average_neighbour_is_the_mean_of_each_sets_mean():
    found = toys.answers({"mine": (0, 10)})  # one of twenty neighbours is missed in every set
    assert found.neighbours("mine") == pytest.approx(0.95)
    near = toys.answers({"mine": (0, 10)}, k=2)  # that one is three frames away
    assert near.neighbours("mine") == 1.0


def test_sets_without_neighbours_are_no_part_of_the_average():
    found = drawn(0)
    rates = []
    for row, offsets in zip(found.sets.members, found.sets.offsets, strict=True):
        near = [frame for frame, offset in zip(row, offsets, strict=True) if frame >= 0 and offset]
        if near:
            predicted = found.by_network["mine"][0]
            rates.append(np.mean([predicted[f] in found.sets.labels[f] for f in near]))
    assert len(rates) < len(found.sets)
    assert found.neighbours("mine") == pytest.approx(np.mean(rates))


def test_predictions_on_other_frames_are_refused():
    sets = toys.frame_sets()
    said = Predictions.from_logits(
        np.eye(2, dtype=np.float32), ids=("a", "b"), labels=np.zeros(2, int), model="m", dataset="d"
    )
    shown = MaskedPredictions("d", 2, 2, {"m": (said,)}, {})
    with pytest.raises(InputError, match=r"predictions.*210 frames"):
        answers(shown, sets)


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"k": 0}, "k from 1 to 10"), ({"k": 11}, "k from 1 to 10"), ({"reading": "x"}, "frame or")],
)
def test_impossible_settings_are_refused(settings, words):
    from tests.toys import unchecked

    with unchecked(), pytest.raises(InputError, match=words):
        toys.answers({"mine": (3, 5)}, **settings)


def test_conventions_are_told():
    assert toys.answers({"mine": (3, 5)}).words.endswith("anchor included; each frame's own labels")
    other = toys.answers({"mine": (3, 5)}, anchor=False, reading="anchor")
    assert other.words.endswith("anchor left out; the anchor's labels")


def test_labels_of_nobody_and_frames_that_are_too_far_are_refused():
    with pytest.raises(InputError, match="the labels of frame or anchor, but got mine"):
        require_reading("mine")
    with pytest.raises(InputError, match=r"1.*10 frames.*11"):
        require_frames(11)
