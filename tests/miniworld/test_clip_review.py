"""The review of clips: reasons in the paper's words, a funnel that adds up, errors by kind."""

from dataclasses import replace

import numpy as np
import pytest

from robust_lib.errors import InputError
from robust_lib.miniworld.clip_faults import REASONS as FAULTS
from robust_lib.miniworld.clip_plan import planned
from robust_lib.miniworld.clip_review import REASON_OF, REASONS, Pair, reviewed
from robust_lib.miniworld.clip_truth import Clip, truths
from robust_lib.miniworld.similarity import Similarity, Target, Truth

BELL = Target("bell", (0.2, 0.2, 0.8, 0.8), 1.0, 0.0, 0.6, 0.0)
GOOD = Truth((BELL,), 0.0, 0.0, ("bell",))
BAD = {
    "significant background change": replace(
        GOOD, targets=(replace(BELL, label="cat"),), fault="cut"
    ),
    "wrong label": replace(GOOD, said=("cat",), fault="label"),
    "significant motion": replace(GOOD, targets=(replace(BELL, box=(0.5, 0.5, 1.0, 1.0)),)),
    "significant blur change": replace(GOOD, blur=0.03, fault="blur"),
    "other": replace(GOOD, light=1.0),
}


def clip(name="val/a", contrast=0.5, **frames):
    """A clip whose frames are good, but for those at the offsets given as o3, o_7."""
    told = [GOOD] * 21
    for word, frame in frames.items():
        told[int(word[1:].replace("_", "-")) + 10] = frame
    return Clip(name, "bell", tuple(told), contrast)


@pytest.mark.parametrize("reason", BAD)
def test_a_pair_is_dropped_for_the_reason_that_people_would_name(reason):
    review = reviewed([clip(o3=BAD[reason])])
    assert review.counts.dropped == dict.fromkeys(REASONS, 0) | {reason: 1}
    assert review.kept == {"val/a": tuple(o for o in range(-10, 11) if o not in (0, 3))}
    dropped = [pair for pair in review.pairs if pair.reason]
    assert [(pair.offset, pair.reason) for pair in dropped] == [(3, reason)]


def test_every_part_of_the_rule_has_a_reason_and_the_first_counts():
    assert set(REASON_OF.values()) == set(REASONS)
    assert Pair("a", 1, ("light", "scale", "labels")).reason == "wrong label"
    assert Pair("a", 1, ("blur", "turn")).reason == "significant motion"
    assert Pair("a", 1, ("visible", "blur")).reason == "significant blur change"


def test_anchors_that_are_no_fair_pictures_are_not_looked_at_further():
    hidden = replace(GOOD, targets=(replace(BELL, visible=0.5),))
    clips = [
        clip("val/a"),
        clip("val/b", o0=hidden),
        clip("val/c", contrast=0.05),
        clip("val/d", o0=BAD["wrong label"]),
        clip("val/e", o0=BAD["significant blur change"]),
    ]
    review = reviewed(clips)
    assert review.unfair == ("val/b", "val/c", "val/d", "val/e")
    assert {pair.clip for pair in review.pairs} == {"val/a"}
    assert reviewed(clips[:3], contrast=0.0).unfair == ("val/b",)


def test_an_anchor_that_loses_all_neighbours_is_not_kept():
    lost = Clip("val/b", "bell", tuple(GOOD if o == 10 else BAD["other"] for o in range(21)), 0.5)
    counts = reviewed([clip("val/a"), lost]).counts
    assert (counts.videos, counts.unfair, counts.alone, counts.anchors) == (2, 0, 1, 1)
    assert (counts.pairs, counts.kept, counts.dropped["other"]) == (40, 20, 20)


def test_errors_are_faults_that_were_kept_and_fair_frames_that_were_not():
    unseen = replace(GOOD, fault="jump")
    counts = reviewed(
        [clip(o1=unseen, o2=BAD["wrong label"], o_4=BAD["other"], o5=BAD["significant motion"])]
    ).counts
    assert counts.faulty == {"jump": 1, "label": 1}
    assert counts.missed == {"jump": 1, "label": 0}
    assert counts.harsh == dict.fromkeys(REASONS, 0) | {"other": 1, "significant motion": 1}


def test_the_rule_may_be_another():
    frame = replace(GOOD, targets=(replace(BELL, turn=30.0),))
    assert reviewed([clip(o3=frame)]).counts.kept == 19
    assert reviewed([clip(o3=frame)], Similarity(turn=40.0)).counts.kept == 20


@pytest.fixture(scope="module")
def review(art, things):
    """The review of a hundred clips of shapes."""
    targets, clutter = things
    clips = []
    for number in range(100):
        shown = ("angular", "round")[number % 2]
        plan = planned(f"val/{number}", shown, art, targets, clutter)
        clips.append(Clip(plan.name, shown, truths(plan, art), 0.5))
    return reviewed(clips)


def test_the_funnel_adds_up(review):
    counts = review.counts
    assert counts.videos == counts.unfair + counts.alone + counts.anchors == 100
    assert counts.pairs == 20 * (counts.videos - counts.unfair)
    assert counts.pairs == counts.kept + sum(counts.dropped.values())
    assert counts.kept == sum(map(len, review.kept.values()))
    found = sum(counts.faulty.values()) - sum(counts.missed.values())
    assert sum(counts.dropped.values()) == found + sum(counts.harsh.values())


def test_the_review_finds_nearly_all_faults_and_drops_little_else(review):
    counts = review.counts
    assert set(counts.faulty) == set(FAULTS)
    assert counts.missed["cut"] == counts.missed["label"] == 0
    assert sum(counts.missed.values()) < 0.1 * sum(counts.faulty.values())
    assert sum(counts.harsh.values()) < 0.01 * counts.pairs
    assert np.median([len(kept) for kept in review.kept.values()]) == 20


@pytest.mark.parametrize("names", [(), ("val/a", "val/a")])
def test_clips_are_reviewed_once_each(names):
    with pytest.raises(InputError, match="Expected clips to review, each once"):
        reviewed([clip(name) for name in names])


def test_a_clip_without_all_of_its_frames_is_refused():
    with pytest.raises(InputError, match=r"21 frames.*val/a.*another"):
        reviewed([replace(clip(), frames=(GOOD,) * 20)])
