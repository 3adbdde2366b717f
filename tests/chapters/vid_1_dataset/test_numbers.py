"""Counts beside the paper's and the released numbers, and the numbers of the prose."""

import pandas as pd
import pytest

from robust_book.chapters.vid_1_dataset import falls, numbers
from robust_lib.config.profiles import load_profile
from robust_lib.metrics.intervals import clopper_pearson
from robust_lib.miniworld.similarity import Similarity
from robust_lib.protocols.pm_k.counts import before_review, counts, of_videos
from robust_lib.results.errata.vid import interval_counts
from robust_lib.run.roles import label_space
from tests.chapters.vid_1_dataset.toys import REVIEW, watched
from tests.protocols.pm_k.toys import frame_sets
from tests.toys import SwatchFrames

ROWS = (
    counts(frame_sets(10), "toys")
    + before_review(REVIEW.counts, "toys")
    + of_videos(3, "training", shown=6)
)


def test_every_number_stands_in_its_line_and_version():
    frame = numbers.count_frame(ROWS, "toys", "training").set_index("Count")
    assert frame.loc["Anchors"].tolist() == [10, 1109, 1145]
    assert frame.loc["Frames"].tolist() == [210, 22178, 22668]
    assert frame.loc["Videos before the review"].tolist()[::2] == [2, 1314]
    assert frame.loc["Frames of these videos"].tolist()[::2] == [63, 1181113]
    assert frame.loc["Training frames among them"].tolist()[::2] == [6, pd.NA]
    assert frame.loc["Classes", numbers.FIRST] == 30
    assert frame.loc["Reviewers", "This run"] is pd.NA


def test_the_share_of_possible_neighbours_is_whole_where_none_was_dropped():
    frame = numbers.distance_frame(ROWS)
    assert frame["k"].tolist() == list(range(1, 11))
    assert (frame["This run|Of possible (%)"] == 100).all()
    assert frame["Released set|Neighbours"].iloc[-1] == 21070
    assert round(frame["Released set|Of possible (%)"].iloc[-1], 1) == 95.0


def test_the_papers_classes_are_made_of_288():
    vid = label_space(load_profile("full"), "imagenet_vid_robust")
    images = SwatchFrames(count=3)
    object.__setattr__(images, "classes", vid.name)
    assert numbers.narrow_classes(images) == 288
    assert numbers.narrow_classes(SwatchFrames(count=3)) is None


def named(wrong, reviewed, rule):
    seen = watched(wrong, sets=10)
    found = falls.falls(seen)
    rows = falls.results(seen, found, "toys", "mine") + counts(seen.sets, "toys")
    return numbers.key_numbers(rows, found, "mine", reviewed, rule)


def test_of_a_review_that_is_known_all_is_counted():
    found = named({1: -4}, REVIEW.counts, Similarity())
    texts = {key: one.text for key, one in found.items()}
    assert texts["pairs"] == "20"
    assert (texts["kept"], texts["dropped"], texts["kept_share"]) == ("18", "2", "90 %")
    assert (texts["faulty"], texts["missed"], texts["harsh"]) == ("2", "1", "1")
    assert (texts["overlap"], texts["blur"]) == ("0.6", "0.0125")
    assert (texts["fall"], texts["largest"]) == ("10.0 %", "from 73 to 27 % at −4")


def test_of_released_sets_words_stand_instead():
    found = named({}, None, None)
    assert found["pairs"].text == "an unknown number of"
    assert found["kept_share"].text == "not measured"
    assert found["overlap"].text == "not written down"
    assert found["largest"].text == "none"
    assert found["anchors"].value == 10


def test_as_many_agree_as_the_errata_say():
    computed = [int(line.computed) for line in interval_counts()]
    found = numbers.agreeing()
    assert [found[1109], found[1145]] == computed


def test_the_first_line_is_the_first_of_table_1():
    model, k, accuracy, printed, ours = numbers.recomputed()[0]
    assert (model, k, round(accuracy, 1), printed) == ("resnet50", 0, 67.5, (64.7, 70.2))
    assert (ours[1109], ours[1145]) == ((64.7, 70.3), (64.7, 70.2))


def test_for_the_released_anchors_the_intervals_are_those_of_whole_counts():
    for _, _, accuracy, _, ours in numbers.recomputed():
        low, high = clopper_pearson(round(accuracy * 1109 / 100), 1109)
        assert ours[1109] == pytest.approx((100 * low, 100 * high), abs=0.0501)


def test_a_cell_says_whether_it_is_as_printed():
    frame = numbers.interval_frame()
    assert len(frame) == 12
    assert all("✓" in str(cell) for cell in frame["n = 1,145"])
    assert all("rb-wrong" in str(cell) for cell in frame["n = 1,314"])


def test_the_words_name_the_number_that_fits():
    assert numbers.words() == (
        "Of the 12 printed intervals, 12 are those for n = 1,145 (section 2); 4 for n = 1,109 "
        "(released) and 0 for n = 1,314 (before review)"
    )
