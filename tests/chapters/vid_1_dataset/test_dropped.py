"""What the review dropped: examples, errors by kind, and steps that add up."""

from unittest.mock import Mock

import numpy as np

from robust_book.chapters.vid_1_dataset import dropped
from robust_lib.datasets.clips import Clips
from robust_lib.miniworld.clip_review import REASONS, Pair
from robust_lib.miniworld.clip_truth import Clip
from robust_lib.miniworld.similarity import Target, Truth
from tests.chapters.vid_1_dataset.toys import REVIEW
from tests.toys import SwatchFrames

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
    found = dropped.examples(PAIRS)
    assert [one.reason for one in found] == list(REASONS[:4])
    assert found == dropped.examples(PAIRS[::-1])
    assert {dropped.examples(PAIRS, seed)[0].offset for seed in range(30)} == {1, 2, 3, 4, 5}


def test_a_neighbour_stands_beside_its_anchor():
    shown = dropped.gallery(mock_clips(), [Pair("val/a", -4, ("blur",))])
    assert [int(one[0, 0, 0]) for one in shown.pictures] == [10, 6]
    assert shown.captions == ("anchor: bell", "−4: significant blur change")


def test_errors_are_counted_by_kind_and_reason():
    assert dropped.fault_frame(REVIEW.counts).to_dict("records") == [
        {"Fault": "blur", "Pairs with it": 2, "Dropped": 1, "Missed": 1}
    ]
    reasons = dropped.reason_frame(REVIEW.counts).set_index("Reason")
    assert reasons["Dropped"].sum() == REVIEW.counts.pairs - REVIEW.counts.kept
    assert reasons.loc["significant motion"].tolist() == [1, 1]


def test_steps_begin_with_all_candidates_and_end_with_what_is_kept():
    left = list(dropped.steps(REVIEW.counts).values())
    assert left[0] == 20 * REVIEW.counts.videos
    assert left[-1] == REVIEW.counts.kept
    assert left == sorted(left, reverse=True)


def test_a_review_is_known_of_clips_alone():
    assert dropped.reviewed_clips(SwatchFrames()) is None
