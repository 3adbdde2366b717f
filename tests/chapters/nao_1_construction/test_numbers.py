"""Table 1 beside the paper's, and the numbers in the prose: counted, or said to be unknown."""

import pytest

from robust_book.chapters import nao_1_construction as chapter
from robust_book.chapters.nao_1_construction import mistakes, numbers
from robust_lib.results.compare import compare
from robust_lib.results.table import Results
from robust_lib.run.start import start
from tests.chapters.nao_1_construction.constructions import CONSTRUCTION, NOTHING, SHAPES
from tests.layouts import Shapes

SETS = {
    "coco_train": Shapes(40, name="train"),
    "coco_val": Shapes(name="val"),
    "openimages": Shapes(20, name="pool"),
    "nao": Shapes(6, name="few"),
}
ROWS = numbers.size_rows(SETS)


def test_objects_are_those_of_the_label_set_and_in_the_pool_all():
    counts = {row.dataset: row.value for row in ROWS.select(metric="objects").rows}
    assert (counts["val"], counts["few"]) == (10, 5)
    pool = SETS["openimages"].annotations
    assert counts["pool"] == sum(len(one) + len(one.foreign) for one in pool)
    assert "train" not in counts
    assert sum(counts[f"val/{name}"] for name in ("disc", "box", "cross")) == 10
    classes = {row.dataset: row.value for row in ROWS.select(metric="classes").rows}
    assert classes == {"val": 3, "few": 3, "pool": 5}
    assert ROWS.row(dataset="train", metric="images").value == 40


def test_the_table_has_the_most_frequent_classes():
    names = {role: images.name for role, images in SETS.items()}
    frame = numbers.sizes_frame(ROWS, names).set_index("Data set")
    assert list(frame.index) == [
        "COCO train: train",
        "COCO val: val",
        "OpenImages: pool",
        "NAO: few",
    ]
    val = frame.loc["COCO val: val"]
    counted = numbers.object_counts(SETS["coco_val"].annotations, SETS["coco_val"].class_names)
    assert val["1st"] == f"{max(counted, key=counted.get)} ({max(counted.values())})"
    assert frame.loc["COCO train: train", "1st"] == ""


def test_the_papers_table_is_as_printed():
    frame = numbers.printed_sizes_frame().set_index("Data set")
    assert frame.loc["NAO"].tolist() == [7936, 13604, "person (4,693)", "cup (2,257)", "car (752)"]
    assert frame.loc["COCO val", "3rd"] == "chair (1,791)"
    assert frame.loc["COCO test-dev"].isna().tolist() == [False, True, False, False, False]
    assert frame.loc["OpenImages", "Images"] == 1_900_000


def test_on_the_papers_own_sets_counts_are_judged():
    release = Shapes(6, name="nao")
    found = compare(numbers.size_rows({"nao": release}), "nao-tab1")
    (images,) = [one for one in found if (one.dataset, one.metric) == ("nao", "images")]
    assert images.ours == 6
    assert images.verdict == "differs"


FOUND = mistakes.named(
    CONSTRUCTION.filtration.confirmed, SHAPES.annotations, SHAPES.class_names, 0.5
)


def test_the_prose_names_counts_and_agreement():
    named = numbers.key_numbers(numbers.results(CONSTRUCTION), FOUND, CONSTRUCTION)
    told = {key: number.text for key, number in named.items()}
    assert [told[key] for key in ("pool", "candidates", "confirmed")] == ["12", "6", "4"]
    assert told["kept_share"] == "66.7 %"
    assert (told["mistaken"], told["foreign"], told["falls"]) == ("2", "4", "class")
    kappas = numbers.kappas(CONSTRUCTION.filtration)
    lowest = min(kappas, key=kappas.get)
    assert told["lowest_kappa"] == f"{kappas[lowest]:.2f} ({lowest})"
    assert told["surest"].startswith("ring → disc 95 %; wedge → box 94 %; ")


def test_what_others_chose_is_not_known():
    named = numbers.key_numbers(numbers.results(None), FOUND, None)
    assert set(named) == set(numbers.key_numbers(numbers.results(CONSTRUCTION), (), CONSTRUCTION))
    assert named["candidates"].text == "an unknown number of"
    assert named["kept_share"].text == "not measured"


def test_a_detector_that_is_sure_of_nothing_has_no_mistakes():
    named = numbers.key_numbers(numbers.results(NOTHING), (), NOTHING)
    assert (named["confirmed"].text, named["surest"].text) == ("0", "none")
    assert named["lowest_kappa"].text == named["kept_share"].text == "not measured"


FUNNEL = numbers.results(CONSTRUCTION)


def test_pictures_are_counted_after_each_step():
    counts = {row.dataset: row.value for row in FUNNEL.select(metric="images").rows}
    assert counts == {"shapes": 12, "shapes_nao_candidates": 6, "shapes_nao": 4}
    share = FUNNEL.row(metric="kept_share")
    assert (share.value, share.n) == (pytest.approx(4 / 6), 6)
    assert share.low < share.value < share.high
    assert {row.metric: row.value for row in FUNNEL.rows if row.metric != "images"} == {
        "iou_threshold": 0.5,
        "threshold": 0.8,
        "annotators": 5,
        "questions": 4,
        "kept_share": share.value,
    }


def test_the_papers_counts_are_read_from_what_it_prints():
    pool, candidates, confirmed = numbers.printed_steps().values()
    assert (pool, candidates, confirmed) == (1_900_000, 43_860, 7_936)
    assert round(100 * confirmed / candidates, 1) == 18.1  # as printed
    assert list(numbers.titled(CONSTRUCTION)["This run"]) == list(numbers.printed_steps())


def test_kinds_of_mistakes_are_counted_in_pictures():
    frame = numbers.step_frame(CONSTRUCTION).set_index("Images")
    assert frame["This run"].tolist() == [12, 6, 2, 4, 4]
    assert frame.loc["of these with hard false positives", "This run"] == 4
    assert frame["The paper"].dropna().tolist() == [1_900_000, 43_860, 7_936]


def test_questions_by_which_candidates_fall():
    frame = numbers.question_frame(CONSTRUCTION).set_index("Question")
    assert frame["Rejected candidates"].to_dict() == {
        "Class": 1, "Box": 0, "Blurry": 1, "Occluded": 0, "Depiction": 0,
    }  # fmt: skip
    # Of six candidates all agree on five, and four of ten pairs on the sixth.
    assert frame.loc["Blurry", "Pairs of votes alike (%)"] == pytest.approx(100 * 5.4 / 6)
    assert frame["Fleiss' kappa"].isna().tolist() == [False, True, False, True, True]


def test_nothing_is_claimed_of_the_funnel():
    found = compare(FUNNEL, "nao-funnel", datasets=numbers.stand_ins(CONSTRUCTION))
    assert {one.verdict for one in found} <= {"not comparable", "missing"}


def test_without_a_pool_there_is_nothing_of_ours():
    run = start(chapter.CHAPTER, "full")
    how = {"detector": "efficientdet_d7", "iou": 0.5, "annotators": 5}
    assert numbers.construction(run, **how) is None
    assert numbers.results(None) == Results()
    assert numbers.stand_ins(None) == {}
    assert list(numbers.titled(None)) == ["The paper: OpenImages"]
    assert list(numbers.step_frame(None).columns) == ["Images", "The paper"]
