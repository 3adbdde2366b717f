"""Reviewed clips as frame sets: each frame once, with labels, boxes and what the review said."""

import numpy as np
import pytest

from robust_lib import datasets
from robust_lib.cache import Store
from robust_lib.datasets.clip_frames import moment_of
from robust_lib.datasets.clips import Clips, load
from robust_lib.datasets.vid_robust import counts
from robust_lib.errors import InputError
from robust_lib.miniworld.footage import Footage
from robust_lib.miniworld.similarity import Similarity
from robust_lib.miniworld.worlds import load_world
from robust_lib.preprocessing import Preprocessing
from tests import miniature, tiny

AS_IS = Preprocessing(None, None)
CLIPS = 40


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A project of shapes whose clips are drawn once for this module."""
    folder = tmp_path_factory.mktemp("clips")
    with pytest.MonkeyPatch.context() as patch:
        miniature.project(folder, patch)
    return folder


@pytest.fixture
def store(made, monkeypatch):
    tiny.enter(made, monkeypatch)
    return Store(made / "store")


def toys(store, size=64, rule=None, **changes):
    settings = {"split": "test", "clips": CLIPS, "store": store} | changes
    shots = Footage(load_world("toys"), "vid", **settings)
    return Clips("toys", shots, size, rule or Similarity())


@pytest.fixture
def clips(store):
    return toys(store)


def test_clips_are_an_image_set(clips):
    assert isinstance(clips, datasets.ImageSet)
    assert len(clips) == len(clips.ids) == len(clips.labels) == len(clips.annotations)
    assert (clips.classes, clips.class_names) == ("toys_vid", ("angular", "round"))
    assert clips.ids == clips.sets.frames
    assert clips.ids[0].startswith("val/clip_00000/0000")
    assert clips.labels.dtype == np.int64
    assert clips.labels.tolist() == [labels[0] for labels in clips.sets.labels]
    assert datasets.batch(clips, [3, 1], AS_IS).shape == (2, 3, 64, 64)
    assert clips.read(0, Preprocessing(40, 32)).shape == (32, 32, 3)


def test_sets_are_what_the_review_keeps(clips):
    found = {}
    for anchor, members, offsets in zip(
        clips.sets.anchors, clips.sets.members, clips.sets.offsets, strict=True
    ):
        clip, offset = moment_of(clips.ids[anchor])
        assert offset == 0
        own = [o for o, member in zip(offsets.tolist(), members, strict=True) if member >= 0]
        found[clip] = tuple(o for o in own if o)
        assert [clips.ids[m] for m in members if m >= 0] == [
            f"{clip}/{o + 10:06d}.JPEG" for o in own
        ]
    assert found == dict(clips.review.kept)
    told, review = counts(clips.sets), clips.review.counts
    assert (told.anchors, told.neighbours[-1]) == (review.anchors, review.kept)
    assert told.frames == review.anchors + review.kept == len(clips)


def test_pictures_are_the_frames_of_their_names(clips):
    for place in (0, 7, len(clips) - 1):
        frame = clips.footage.picture(moment_of(clips.ids[place]))
        assert np.array_equal(clips.read(place, AS_IS), frame)


def test_labels_and_boxes_are_those_of_what_is_seen(clips):
    several = 0
    for name, labels, annotation in zip(
        clips.ids, clips.sets.labels, clips.annotations, strict=True
    ):
        clip, offset = moment_of(name)
        truth = clips.clips[clip].at(offset)
        assert {clips.class_names[label] for label in labels} == set(truth.shown)
        assert set(annotation.classes.tolist()) == set(labels)
        boxes = {target.label: target.box for target in truth.targets}
        for box, label in zip(annotation.boxes, annotation.classes, strict=True):
            np.testing.assert_allclose(box, 64 * np.array(boxes[clips.class_names[label]]))
        several += len(labels) > 1
    assert several


def test_the_same_moments_at_another_size(store, clips):
    large = toys(store, 128)
    assert large.ids == clips.ids
    assert large.sets.digest == clips.sets.digest
    assert large.digest != clips.digest
    assert large.read(0, AS_IS).shape == (128, 128, 3)
    for one, other in zip(large.annotations, clips.annotations, strict=True):
        np.testing.assert_allclose(one.boxes, 2 * other.boxes)
        assert (one.width, one.height) == (128, 128)


def test_the_material_of_the_review_can_be_shown(clips):
    kinds = set()
    for pair in clips.review.pairs:
        if pair.fault:
            fault = clips.fault(pair.clip)
            assert fault.at(pair.offset)
            kinds.add(fault.reason)
    assert kinds == {"jump", "cut", "blur", "label"}
    assert clips.fault(next(name for name in clips.footage.names if not clips.fault(name))) is None
    name = next(iter(clips.review.kept))
    frames = clips.candidates(name)
    assert frames.shape == (21, 64, 64, 3)
    assert tuple(clips.clips) == clips.footage.names
    place = clips.ids.index(f"{name}/000010.JPEG")
    assert np.array_equal(frames[10], clips.read(place, AS_IS))
    with pytest.raises(InputError, match="Expected one of 40 clips"):
        clips.candidates("val/clip_00099")


def test_clips_are_drawn_once(store, clips, monkeypatch):
    first = clips.read(5, AS_IS)

    def refuse(*_, **__):
        raise AssertionError("drawn again")

    for name in ("plan", "art", "picture"):
        monkeypatch.setattr(Footage, name, property(refuse))
    again = toys(store)
    assert np.array_equal(again.read(5, AS_IS), first)
    assert again.sets.digest == clips.sets.digest
    assert len(again.annotations) == len(clips)


def test_the_digest_knows_what_decides_pictures_and_sets(store, clips):
    others = [
        clips,
        toys(store, 48),
        toys(store, seed=1),
        toys(store, clips=41),
        toys(store, rule=Similarity(turn=10.0)),
        toys(store, split="train"),
    ]
    assert len({other.digest for other in others}) == len(others)
    assert toys(store).digest == clips.digest


def test_a_tighter_rule_keeps_a_part(store, clips):
    fewer = toys(store, rule=Similarity(overlap=0.8))
    assert set(fewer.ids) < set(clips.ids)


def test_a_rule_that_leaves_nothing_is_refused(store):
    strict = Similarity(overlap=0.999999, turn=1e-9)
    with pytest.raises(InputError, match=r"leave.*40 anchors.*fell"):
        _ = toys(store, rule=strict).ids


def test_a_data_set_of_another_kind_is_refused(store, monkeypatch):
    monkeypatch.delenv("ROBUST_ROOT")
    with pytest.raises(InputError, match=r"scenes_val.*clips.*scenes"):
        load("scenes_val", store)
