"""Footage: clips of a split by name, their truth and their frames made once."""

import numpy as np
import pytest

from robust_lib.cache import Store
from robust_lib.errors import InputError
from robust_lib.miniworld import clips, footage, icons, scenes
from robust_lib.miniworld.clip_truth import truths
from robust_lib.miniworld.footage import Footage
from robust_lib.miniworld.worlds import load_world
from tests import miniature


@pytest.fixture
def store(project):
    return Store(project / "store")


def toys(store, split="test", number=6, **changes):
    settings = {"world": load_world("toys"), "wide": "vid"} | changes
    return Footage(split=split, clips=number, store=store, **settings)


def test_clips_are_named_and_show_one_class_after_another(store):
    shots = toys(store)
    assert (shots.classes, shots.class_names) == ("toys_vid", ("angular", "round"))
    assert shots.names[:2] == ("val/clip_00000", "val/clip_00001")
    assert toys(store, "train").names[0] == "train/clip_00000"
    for name in shots.names:
        assert shots.plan(name).targets[0].label == shots.shown(name)
    assert [shots.shown(name) for name in shots.names[:3]] == ["angular", "round", "angular"]
    with pytest.raises(InputError, match=r"6 clips, val/clip_00000.*val/clip_00005"):
        shots.shown("val/clip_00006")


def test_truths_are_those_of_the_plans(store):
    shots = toys(store)
    for _ in range(2):  # made, and read from the store
        for clip in toys(store).truths:
            plan = shots.plan(clip.name)
            assert clip.frames == truths(plan, shots.art)
            assert clip.label == shots.shown(clip.name)
            stage = clips.stage(plan, shots.art, shots._clutter)
            assert clip.contrast == clips.anchor_contrast(stage)


def test_files_are_the_frames_that_were_asked_for(store):
    shots = toys(store)
    moments = [("val/clip_00003", 2), ("val/clip_00003", -10), ("val/clip_00001", 0)]
    files = shots.files(moments, 32, "toys")
    for place, moment in enumerate(moments):
        assert np.array_equal(clips.shown(files[place]), shots.picture(moment, 32))
    assert shots.picture(moments[0], 32).shape == (32, 32, 3)
    assert list(toys(store).files(moments[::-1], 32, "toys")) == list(files)[::-1]


def test_what_was_made_is_not_made_again(store, monkeypatch):
    moments = [("val/clip_00003", 2)]
    first = list(toys(store).files(moments, 32, "toys")), toys(store).truths

    def refuse(*_, **__):
        raise AssertionError("made again")

    monkeypatch.setattr(footage, "planned", refuse)
    monkeypatch.setattr(icons, "load", refuse)
    again = toys(store)
    assert (list(again.files(moments, 32, "toys")), again.truths) == first
    with pytest.raises(AssertionError, match="made again"):
        again.files(moments, 48, "toys")


def test_fewer_clips_are_the_beginning_of_more(store):
    assert toys(store, number=4).truths == toys(store).truths[:4]


def test_the_splits_share_no_drawing_and_each_class_has_its_scenes_drawings(store):
    shown = {}
    for split in ("train", "test"):
        shots = toys(store, split, 60, faults=False)
        shown[split] = {target.place for name in shots.names for target in shots.plan(name).targets}
        inside = {name: miniature.WORLD["inside"][name] for name in ("box", "flag", "ball")}
        own = scenes.targets_by_class(shots.art, inside, split)
        assert shown[split] == {place for places in own.values() for place in places}
    assert not shown["train"] & shown["test"]


def test_faults_may_be_left_out(store):
    some, none = toys(store, number=20), toys(store, number=20, faults=False)
    assert any(some.plan(name).fault for name in some.names)
    assert not any(none.plan(name).fault for name in none.names)
    assert {frame.fault for clip in none.truths for frame in clip.frames} == {None}


def test_what_it_is_about_knows_what_decides_the_clips(store):
    others = [
        toys(store),
        toys(store, seed=1),
        toys(store, number=7),
        toys(store, split="train"),
        toys(store, faults=False),
        toys(store, world=other_world(wide={"vid": {"a": ["box"], "b": ["flag", "ball"]}})),
        toys(store, world=other_world(outside={"dot": ["dot"]})),
    ]
    assert len({str(other.about) for other in others}) == len(others)
    assert toys(Store(store.folder / "other")).about == toys(store).about


def other_world(**changes):
    return type(load_world("toys")).model_validate(miniature.WORLD | changes)


def test_splits_lists_and_numbers_that_there_are_not_are_refused(store):
    with pytest.raises(InputError, match="split to be one of train, test, but got any"):
        toys(store, "any")
    with pytest.raises(InputError, match=r"clip.*class \(2\).*1"):
        toys(store, number=1)
    with pytest.raises(InputError, match="wider classes of toys to be one of vid, but got a"):
        toys(store, wide="a")
