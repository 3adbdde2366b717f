"""Frames of clips to train with, and their annotations."""

import numpy as np
import pytest

from robust_lib import datasets
from robust_lib.cache import Store
from robust_lib.datasets.clip_frames import ClipFrames, annotation, frame_path, moment_of
from robust_lib.errors import InputError
from robust_lib.miniworld import footage
from robust_lib.miniworld.footage import Footage
from robust_lib.miniworld.similarity import Target, Truth
from robust_lib.miniworld.worlds import load_world
from robust_lib.preprocessing import Preprocessing
from tests import miniature

AS_IS = Preprocessing(None, None)


@pytest.fixture
def store(tmp_path, monkeypatch):
    return Store(miniature.project(tmp_path, monkeypatch) / "store")


def toys(store, size=64, every=5, clips=6, **changes):
    settings = {"split": "train", "faults": False} | changes
    shots = Footage(load_world("toys"), "vid", clips=clips, store=store, **settings)
    return ClipFrames("toys", shots, size, every)


def test_frames_are_an_image_set(store):
    frames = toys(store)
    assert isinstance(frames, datasets.ImageSet)
    assert len(frames) == len(frames.ids) == len(frames.labels) == len(frames.annotations) == 30
    numbers = [f"train/clip_00000/{number:06d}.JPEG" for number in (0, 5, 10, 15, 20)]
    assert list(frames.ids[:5]) == numbers
    assert frames.labels.dtype == np.int64
    for place in (0, 8, 29):
        moment = moment_of(frames.ids[place])
        assert np.array_equal(frames.read(place, AS_IS), frames.footage.picture(moment))
    assert datasets.batch(frames, [3, 1], AS_IS).shape == (2, 3, 64, 64)


def test_a_label_is_that_of_the_largest_object(store):
    frames = toys(store, clips=60)
    assert frames.labels.tolist() == [one.label for one in frames.annotations]
    for item, one in zip(frames.ids, frames.annotations, strict=True):
        clip, _ = moment_of(item)
        subject = frames.class_names.index(frames.footage.shown(clip))
        assert subject in one.classes
        if len(one) == 1:
            assert one.label == subject
    assert max(len(one) for one in frames.annotations) == 2


def test_the_same_moments_at_another_size(store):
    small, large = toys(store), toys(store, 128)
    assert large.ids == small.ids
    assert np.array_equal(large.labels, small.labels)
    assert large.read(3, AS_IS).shape == (128, 128, 3)
    for one, other in zip(large.annotations, small.annotations, strict=True):
        np.testing.assert_allclose(one.boxes, 2 * other.boxes)


def test_frames_in_which_nothing_is_seen_are_left_out(store, monkeypatch):
    gone = Target("round", (0.0, 0.0, 0.0, 0.0), 0.1, 0.9, 0.5, 0.0)
    nothing = Truth((gone,), 0.0, 0.0, ())
    monkeypatch.setattr(footage, "truths", lambda plan, art: (nothing, *[footage_truth(plan)] * 20))
    frames = toys(store)
    assert len(frames) == 24
    assert not any(item.endswith("000000.JPEG") for item in frames.ids)


def footage_truth(plan):
    seen = Target(str(plan.targets[0].label), (0.2, 0.2, 0.6, 0.6), 1.0, 0.0, 0.5, 0.0)
    return Truth((seen,), 0.0, 0.0, (seen.label,))


def test_the_digest_knows_what_decides_pictures_and_labels(store):
    others = [toys(store), toys(store, 48), toys(store, every=4), toys(store, clips=7)]
    others += [toys(store, seed=1), toys(store, faults=True)]
    assert len({other.digest for other in others}) == len(others)
    assert toys(store).digest == others[0].digest


def test_no_frames_are_refused(store):
    with pytest.raises(InputError, match=r"further.*every 0th"):
        toys(store, every=0)


def test_an_annotation_has_what_can_be_seen():
    whole = Target("bell", (0.5, 0.25, 1.0, 0.75), 0.9, 0.05, 0.5, 0.0)
    part = Target("cat", (0.0, 0.0, 0.25, 1.0), 0.25, 0.4, 0.5, 0.0)
    hidden = Target("dog", (0.0, 0.0, 0.25, 1.0), 0.24, 0.4, 0.5, 0.0)
    truth = Truth((hidden, whole, part), 0.0, 0.0, ())
    found = annotation(truth, ("dog", "cat", "bell"), 64)
    assert found.boxes.tolist() == [[32, 16, 64, 48], [0, 0, 16, 64]]
    assert (found.classes.tolist(), found.tracks.tolist()) == ([2, 1], [1, 2])
    assert found.occluded.tolist() == [False, True]
    assert not found.generated.any()
    assert (found.width, found.height, found.label) == (64, 64, 1 if 17 * 65 > 33 * 33 else 2)
    assert len(annotation(Truth((hidden,), 0.0, 0.0, ()), ("dog",), 64)) == 0


@pytest.mark.parametrize("offset", [-10, 0, 10])
def test_paths_and_moments_are_each_others(offset):
    moment = ("val/clip_00012", offset)
    assert moment_of(frame_path(moment)) == moment
    assert frame_path(moment) == f"val/clip_00012/{offset + 10:06d}.JPEG"
