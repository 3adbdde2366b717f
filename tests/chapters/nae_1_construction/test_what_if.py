"""Thresholds that a reader moves: where they begin, and who has none to move."""

from dataclasses import replace

import numpy as np

from robust_book.chapters.nae_1_construction.what_if import MOST, thresholds
from tests.chapters.nae_1_construction.filtrations import EVERY
from tests.chapters.toys import texts

# Left, percent of those before, classes: pool, all wrong, truth unlikely, shortlist, kept.
AS_IN_THE_PAPER = ["7", "100.0", "2", "4", "57.1", "2", "4", "100.0", "2", "4", "100.0", "2"]


def test_it_begins_with_the_papers_thresholds():
    assert texts(thresholds(EVERY), "td") == [*AS_IN_THE_PAPER, "3", "75.0", "2"]


def test_the_surer_filter_decides():
    two = replace(
        EVERY,
        predicted=EVERY.predicted.repeat(2, axis=1),
        confidence=EVERY.confidence.repeat(2, axis=1),
        in_truth=np.column_stack([EVERY.in_truth, np.full(7, 0.16)]),
    )
    assert texts(thresholds(two), "td")[6:] == ["0", "0.0", "0", "0", "–", "0", "0", "–", "0"]


def test_a_share_on_the_threshold_passes():
    exact = replace(EVERY, in_truth=np.full((7, 1), 0.15))
    above = replace(EVERY, in_truth=np.full((7, 1), np.nextafter(0.15, 1)))
    assert [texts(thresholds(one), "td")[6] for one in (exact, above)] == ["4", "0"]


def test_of_a_confusion_only_the_first_stay():
    many = replace(
        EVERY,
        ids=tuple(map(str, range(20))),
        labels=np.zeros(20, int),
        predicted=np.ones((20, 1), int),
        confidence=np.ones((20, 1)),
        in_truth=np.zeros((20, 1)),
        steps=("shortlisted",) * 20,
    )
    assert texts(thresholds(many), "td")[6:11] == ["20", "100.0", "1", "15", "75.0"]
    assert MOST >= 20


def test_where_others_filtered_that_is_said():
    assert "did not publish the candidates" in str(thresholds(None))
