"""The funnel: what is left after each step of the rule, here and in the paper."""

from dataclasses import replace

import numpy as np

from robust_book.chapters import nae_1_construction as chapter
from robust_book.chapters.nae_1_construction import funnel
from robust_book.chapters.nae_1_construction.funnel import MOST, thresholds
from robust_lib.results.compare import compare
from robust_lib.results.table import Results
from robust_lib.run.start import start
from tests.chapters.nae_1_construction.filtrations import EVERY, FILTRATION
from tests.chapters.toys import texts
from tests.toys import Swatches

RESULTS = funnel.results(FILTRATION, Swatches(), "total", 0.15, 15)


def test_what_is_left_after_each_step_in_the_papers_words():
    rows = {row.dataset: row.value for row in RESULTS.select(metric="images").rows}
    settings = {row.metric: row.value for row in RESULTS.rows if row.metric != "images"}
    assert settings == {"crops": 10, "true_class_confidence": 0.15, "images_per_confusion": 15}
    assert rows == {
        "pool/downloaded": 7,
        "pool/filtered": 4,
        "pool/shortlisted": 2,
        "pool/selected": 1,
    }


def test_one_class_may_be_counted():
    assert funnel.titled(FILTRATION, "key") == {
        "This run: key": {"downloaded": 5, "filtered": 2, "shortlisted": 0, "selected": 0}
    }
    rows = funnel.results(FILTRATION, Swatches(), "owl", 0.15, 15).select(metric="images").rows
    assert {row.convention for row in rows} == {"owl"}


def test_every_class_has_its_row():
    frame = funnel.step_frame(FILTRATION).set_index("Class")
    assert list(frame.index) == ["key", "owl", "total"]
    assert frame.loc["total", "Pool"] == 7
    assert frame.loc["key", "All wrong"] == 2


def test_the_papers_own_counts_are_read_from_what_it_prints():
    assert funnel.printed() == {
        "downloaded": 81413,
        "filtered": 8925,
        "shortlisted": 1452,
        "selected": 80,
    }


def test_nothing_is_claimed_of_the_funnel_since_any_filter_leaves_fewer():
    found = compare(RESULTS, "nae-funnel", datasets=funnel.stand_ins(FILTRATION))
    assert {one.verdict for one in found} <= {"not comparable", "missing"}
    printed = {one.metric: one.ours for one in found if one.metric == "crops"}
    assert printed == {"crops": 10}


def test_without_candidates_there_is_nothing_of_ours():
    assert funnel.filtration(start(chapter.CHAPTER, "full"), 0.15, 15) is None
    assert funnel.results(None, Swatches(), "total", 0.15, 15) == Results()
    assert funnel.titled(None, "total") == funnel.stand_ins(None) == {}
    assert funnel.step_frame(None).iloc[0]["selected"] == 80


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
