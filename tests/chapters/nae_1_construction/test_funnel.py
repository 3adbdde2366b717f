"""The funnel: what is left after each step of the rule, here and in the paper."""

from robust_book.chapters import nae_1_construction as chapter
from robust_book.chapters.nae_1_construction import funnel
from robust_lib.results.compare import compare
from robust_lib.results.table import Results
from robust_lib.run.start import start
from tests.chapters.nae_1_construction.filtrations import FILTRATION
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
