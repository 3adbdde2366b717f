"""Intervals recomputed: they agree with the errata, and whole counts with the public function."""

import pytest

from robust_book.chapters.vid_1_dataset import printed_intervals
from robust_lib.metrics.intervals import clopper_pearson
from robust_lib.results.errata.vid import interval_counts


def test_as_many_agree_as_the_errata_say():
    computed = [int(line.computed) for line in interval_counts()]
    found = printed_intervals.agreeing()
    assert [found[1109], found[1145]] == computed


def test_the_first_line_is_the_first_of_table_1():
    model, k, accuracy, printed, ours = printed_intervals.recomputed()[0]
    assert (model, k, round(accuracy, 1), printed) == ("resnet50", 0, 67.5, (64.7, 70.2))
    assert (ours[1109], ours[1145]) == ((64.7, 70.3), (64.7, 70.2))


def test_for_the_released_anchors_the_intervals_are_those_of_whole_counts():
    for _, _, accuracy, _, ours in printed_intervals.recomputed():
        low, high = clopper_pearson(round(accuracy * 1109 / 100), 1109)
        assert ours[1109] == pytest.approx((100 * low, 100 * high), abs=0.0501)


def test_a_cell_says_whether_it_is_as_printed():
    frame = printed_intervals.interval_frame()
    assert len(frame) == 12
    assert all("✓" in str(cell) for cell in frame["n = 1,145"])
    assert all("rb-wrong" in str(cell) for cell in frame["n = 1,314"])


def test_the_words_name_the_number_that_fits():
    assert printed_intervals.words() == (
        "Of the 12 printed intervals 12 are those for n = 1,145 (section 2); 4 for n = 1,109 "
        "(released) and 0 for n = 1,314 (before review)"
    )
