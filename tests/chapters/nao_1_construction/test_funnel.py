"""The funnel: pictures left after each step, here and in the paper, and what is said of it."""

import pytest

from robust_book.chapters import nao_1_construction as chapter
from robust_book.chapters.nao_1_construction import funnel
from robust_lib.results.compare import compare
from robust_lib.results.table import Results
from robust_lib.run.start import start
from tests.chapters.nao_1_construction.constructions import CONSTRUCTION

ROWS = funnel.results(CONSTRUCTION)


def test_pictures_are_counted_after_each_step():
    counts = {row.dataset: row.value for row in ROWS.select(metric="images").rows}
    assert counts == {"shapes": 12, "shapes_nao_candidates": 6, "shapes_nao": 4}
    share = ROWS.row(metric="kept_share")
    assert (share.value, share.n) == (pytest.approx(4 / 6), 6)
    assert share.low < share.value < share.high
    assert {row.metric: row.value for row in ROWS.rows if row.metric != "images"} == {
        "iou_threshold": 0.5,
        "threshold": 0.8,
        "annotators": 5,
        "questions": 4,
        "kept_share": share.value,
    }


def test_the_papers_counts_are_read_from_what_it_prints():
    pool, candidates, confirmed = funnel.printed().values()
    assert (pool, candidates, confirmed) == (1_900_000, 43_860, 7_936)
    assert round(100 * confirmed / candidates, 1) == 18.1  # as printed
    assert list(funnel.titled(CONSTRUCTION)["This run"]) == list(funnel.printed())


def test_kinds_of_mistakes_are_counted_in_pictures():
    frame = funnel.step_frame(CONSTRUCTION).set_index("Pictures")
    assert frame["This run"].tolist() == [12, 6, 2, 4, 4]
    assert frame.loc["of these with hard false positives", "This run"] == 4
    assert frame["The paper"].dropna().tolist() == [1_900_000, 43_860, 7_936]


def test_questions_by_which_candidates_fall():
    frame = funnel.question_frame(CONSTRUCTION).set_index("Question")
    assert frame["Candidates that fall"].to_dict() == {
        "Class": 1, "Box": 0, "Blurry": 1, "Occluded": 0, "Depiction": 0,
    }  # fmt: skip
    # Of six candidates all agree on five, and four of ten pairs on the sixth.
    assert frame.loc["Blurry", "Pairs of votes alike (%)"] == pytest.approx(100 * 5.4 / 6)
    assert frame["Fleiss' kappa"].isna().tolist() == [False, True, False, True, True]


def test_nothing_is_claimed_of_the_funnel():
    found = compare(ROWS, "nao-funnel", datasets=funnel.stand_ins(CONSTRUCTION))
    assert {one.verdict for one in found} <= {"not comparable", "missing"}


def test_without_a_pool_there_is_nothing_of_ours():
    run = start(chapter.CHAPTER, "full")
    how = {"detector": "efficientdet_d7", "iou": 0.5, "annotators": 5}
    assert funnel.construction(run, **how) is None
    assert funnel.results(None) == Results()
    assert funnel.stand_ins(None) == {}
    assert list(funnel.titled(None)) == ["The paper: OpenImages"]
    assert list(funnel.step_frame(None).columns) == ["Pictures", "The paper"]
