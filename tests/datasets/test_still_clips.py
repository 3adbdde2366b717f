"""A still camera: the clips' sets, in which nothing but grain and compression changes."""

import numpy as np
import pytest

from robust_lib import datasets
from robust_lib.datasets.clip_frames import moment_of
from robust_lib.datasets.still_clips import StillClips, stilled
from robust_lib.miniworld.clip_truth import truth
from robust_lib.preprocessing import Preprocessing
from tests.datasets.test_clips import clips, made, store  # noqa: F401, fixtures

AS_IS = Preprocessing(None, None)


@pytest.fixture
def still(clips):  # noqa: F811
    return StillClips("still", clips)


def test_it_is_the_clips_sets_under_another_digest(still):
    assert isinstance(still, datasets.ImageSet)
    assert still.ids == still.clips.ids
    assert still.sets.members.tolist() == still.clips.sets.members.tolist()
    assert still.digest != still.clips.digest


def test_anchors_are_the_same_files_and_neighbours_other_ones(still):
    anchors = set(still.sets.anchors.tolist())
    same = {
        place for place in range(len(still)) if still._files[place] == still.clips._files[place]
    }
    assert anchors <= same
    assert len(same) < len(still) / 2


def test_neighbours_differ_from_their_anchor_in_grain_alone(still):
    """A moved thing or another light would differ by far more than grain does."""
    row = [place for place in still.sets.members[0].tolist() if place >= 0]
    frames = [still.read(place, AS_IS) for place in row]
    moving = [still.clips.read(place, AS_IS) for place in row]
    blurred, others = (
        np.stack(
            [np.asarray(one, float).mean(-1).reshape(8, 8, 8, 8).mean((1, 3)) for one in shown]
        )
        for shown in (frames, moving)
    )
    assert len({np.asarray(one).tobytes() for one in frames}) == len(row)
    assert np.ptp(blurred, axis=0).max() < np.ptp(others, axis=0).max() / 3


def test_every_frame_has_the_truth_of_the_anchor_and_its_labels(still):
    footage = still.clips.footage
    for anchor, row in zip(still.sets.anchors, still.sets.members, strict=True):
        clip, _ = moment_of(still.ids[anchor])
        labels = {still.sets.labels[place] for place in row[row >= 0]}
        assert labels == {still.clips.sets.labels[anchor]}
    plan = stilled(footage.plan(clip))
    first, last = (truth(plan, footage.art, offset) for offset in (-10, 10))
    assert first.targets == last.targets == truth(footage.plan(clip), footage.art, 0).targets
    assert (first.light, first.blur) == (last.light, last.blur)


def test_files_are_drawn_once(still, monkeypatch):
    assert len(still._files) == len(still)
    again = StillClips("again", still.clips)
    monkeypatch.setattr(StillClips, "_drawn", lambda _: pytest.fail("drawn again"))
    assert again._files[0] == still._files[0]
