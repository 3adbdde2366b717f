"""The chapter on the data set: its networks, its blocks, and what it says of released sets."""

from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest

from robust_book.chapters import vid_1_dataset
from robust_book.chapters import vid_1_dataset as chapter
from robust_book.chapters.vid_1_dataset import falls, numbers, reels
from robust_book.html.markup import Html
from robust_lib.config.profiles import load_profile
from robust_lib.datasets.clips import Clips
from robust_lib.errors import InputError
from robust_lib.miniworld.clip_review import REASONS, Pair
from robust_lib.miniworld.clip_truth import Clip
from robust_lib.miniworld.similarity import Target, Truth
from robust_lib.run.network import Network
from robust_lib.run.papers import vid
from tests.chapters.toys import texts
from tests.chapters.vid_1_dataset.toys import REVIEW, watched
from tests.toys import SwatchFrames


@pytest.mark.parametrize("profile", ["smoke", "mini", "full_trained"])
def test_every_profile_has_some_of_its_networks(profile):
    found = chapter.CHAPTER.evaluated_models(load_profile(profile))
    assert "resnet50_finetune" in found
    assert set(found) <= set(vid.FEW)


def test_the_papers_network_is_shown_or_what_comes_nearest(page):
    run = page.run
    nearest = run.paper_names["resnet50_finetune"]
    asked = replace(run, networks=(Network("alexnet_mini"), Network(nearest)))
    assert asked.evaluated(None, *vid.FEW) == nearest
    assert replace(run, networks=asked.networks[:1]).evaluated(None, *vid.FEW) == "alexnet_mini"
    with pytest.raises(InputError, match="a network of this run to be one of"):
        asked.evaluated("resnet9", *vid.FEW)


def test_a_network_that_never_falls_has_no_figure(page):
    seen = chapter.watched(page.run)["brightest"]
    assert falls.falls(seen) == ()
    rows = falls.results(seen, (), page.run.images.name, "brightest")
    block = chapter.confidences(page, rows, seen, (), "brightest")
    assert "<svg" not in str(block)
    assert "n = 10 sets" in str(block)


def test_networks_that_cannot_be_had_are_left_out_and_the_data_set_is_shown(page, monkeypatch):
    """Once a chapter on data ended where the weights of its networks were missing."""
    asked = replace(page.run, networks=(Network("alexnet"), Network("resnet50")))
    monkeypatch.setattr(chapter, "lacking", lambda *_: {Network("alexnet"): "No weights."})
    left, told = chapter.within_reach(asked)
    assert (left.networks, told) == (asked.networks[1:], "AlexNet is left out. No weights.")
    named = replace(asked, parameters={"models": ["alexnet"]})
    assert chapter.within_reach(named) == (named, "")  # and ends, if it cannot be had
    alone, told = chapter.within_reach(replace(page.run, networks=(), parameters={"models": []}))
    seen = chapter.watched(alone)
    found, shown, rows = falls.largest(alone, seen, None)
    assert told in str(chapter.confidences(page, rows, None, shown, None, told))
    places = reels.chosen(None, shown, seen)
    assert chapter.frame_by_frame(page, reels.reels(places, seen, ())) == Html("")
    with pytest.raises(InputError, match="a network for the clips"):
        reels.chosen("val/clip_0001", shown, seen)
    named = numbers.key_numbers(rows + chapter.counted(alone, None), found, None, None, None)
    assert {named[one].text for one in ("fall", "falls", "largest")} == {"not measured"}


def test_the_strips_and_the_scrubber_say_the_same(page):
    seen = watched({0: 1}, page.run.images.sets)
    shown = falls.examples(falls.falls(seen), seen.sets)
    rows = falls.results(seen, shown, page.run.images.name, "brightest")
    strips = texts(chapter.confidences(page, rows, seen, shown, "brightest"), "text")
    assert "→ green 58 %" in strips
    names = page.run.images.class_names
    made = reels.reels(reels.chosen(None, shown, {"m": seen}), {"m": seen}, names)
    assert [one.clip for one in made] == ["val/clip_0000", "val/clip_0001"]
    assert "→ green 58 %" in texts(chapter.frame_by_frame(page, made), "b")


def test_released_sets_have_no_pairs_to_show_and_say_so(page):
    assert chapter.NOT_PUBLISHED in str(chapter.dissimilar(page, None))
    assert "were not published" in str(chapter.review_steps(page, None))


def test_the_reviews_errors_stand_under_its_pairs(page):
    clips = Mock(spec=Clips)
    clips.review, clips.name = REVIEW, "toys"
    clips.clips, clips.candidates = mock_clips().clips, mock_clips().candidates
    block = chapter.dissimilar(page, clips)
    assert "+10: significant motion" in " ".join(texts(block, "text"))
    assert texts(block, "td")[:3] == ["2", "1", "1"]
    assert "of 40" in " ".join(texts(chapter.review_steps(page, clips), "text"))
    assert list(chapter.steps(REVIEW.counts).values())[-1] == 18


def test_counts_of_this_run_stand_beside_the_papers(page):
    block = chapter.in_numbers(page, chapter.counted(page.run, None))
    assert texts(block, "td")[:3] == ["10", "1,109", "1,145"]


def test_the_table_of_intervals_says_what_to_see(page):
    (caption,) = texts(chapter.intervals(page), "caption")
    assert caption.endswith("4 for n = 1,109 (released) and 0 for n = 1,314 (before review)")


BELL = Target("bell", (0.2, 0.2, 0.8, 0.8), 1.0, 0.0, 0.6, 0.0)
FRAME = Truth((BELL,), 0.0, 0.0, ("bell",))
PAIRS = [
    Pair("val/a", offset, (part,))
    for part in ("labels", "blur", "overlap", "subject")
    for offset in range(1, 6)
]


def mock_clips():
    """Clips whose frames are as bright as they are late."""
    clips = Mock(spec=Clips)
    frames = np.arange(21, dtype=np.uint8)[:, None, None, None] * np.ones((8, 8, 3), np.uint8)
    clips.candidates.return_value = frames
    clips.clips = {"val/a": Clip("val/a", "bell", (FRAME,) * 21, 0.5)}
    return clips


def test_there_is_one_example_of_each_reason_in_the_order_of_reasons():
    found = vid_1_dataset.examples(PAIRS)
    assert [one.reason for one in found] == list(REASONS[:4])
    assert found == vid_1_dataset.examples(PAIRS[::-1])
    assert {vid_1_dataset.examples(PAIRS, seed)[0].offset for seed in range(30)} == {1, 2, 3, 4, 5}


def test_a_neighbour_stands_beside_its_anchor():
    shown = vid_1_dataset.gallery(mock_clips(), [Pair("val/a", -4, ("blur",))])
    assert [int(one[0, 0, 0]) for one in shown.pictures] == [10, 6]
    assert shown.captions == ("anchor: bell", "−4: significant blur change")


def test_errors_are_counted_by_kind_and_reason():
    assert vid_1_dataset.fault_frame(REVIEW.counts).to_dict("records") == [
        {"Fault": "blur", "Affected pairs": 2, "Dropped": 1, "Missed": 1}
    ]
    reasons = vid_1_dataset.reason_frame(REVIEW.counts).set_index("Reason")
    assert reasons["Dropped"].sum() == REVIEW.counts.pairs - REVIEW.counts.kept
    assert reasons.loc["significant motion"].tolist() == [1, 1]


def test_steps_begin_with_all_candidates_and_end_with_what_is_kept():
    left = list(vid_1_dataset.steps(REVIEW.counts).values())
    assert left[0] == 20 * REVIEW.counts.videos
    assert left[-1] == REVIEW.counts.kept
    assert left == sorted(left, reverse=True)


def test_a_review_is_known_of_clips_alone():
    assert vid_1_dataset.reviewed_clips(SwatchFrames()) is None
