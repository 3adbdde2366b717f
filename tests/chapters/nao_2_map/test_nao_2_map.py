"""The chapter on mAP: what its blocks show of known boxes, and that each claim can fail."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from robust_book.chapters import learning, nao_2_map
from robust_book.chapters import nao_2_map as chapter
from robust_lib.datasets.derived import Subset
from robust_lib.datasets.layouts import Layouts
from robust_lib.protocols.objects import coco_map
from robust_lib.run.papers import nao
from robust_lib.run.papers.nao import confused
from tests.chapters.toys import texts
from tests.layouts import Shapes
from tests.protocols.objects import toys

CHOSE, OTHER = "efficientdet_d7_mini", "fasterrcnn_layouts_mini"
HOLDS = (60, 20)


def words_of(page, right):
    """Sentence of a claim -> its verdict."""
    on_both = toys.maps(right, iou=0.5)
    chapter.detectors(page, coco_map.results(on_both), on_both)
    verdicts = page._items["nao-tab2"]["verdicts"]
    return {one["sentence"]: one["verdict"] for one in verdicts if one["sentence"]}


ITSELF = "EfficientDet-D7, whose own mistakes selected the images, does worse on them than on COCO."
OTHERS = "Detectors not used to select the images also do worse on them."
BETTER = "Every detector does better if out-of-distribution objects are left out."
STILL = "Even without out-of-distribution objects, every detector does worse than on COCO."


def test_the_claims_hold_where_detectors_drop(page):
    words = words_of(page, {CHOSE: HOLDS, OTHER: HOLDS})
    assert [words[one] for one in (ITSELF, OTHERS, STILL)] == ["holds"] * 3
    assert words[BETTER] == "by construction"


def test_the_drop_need_not_transfer(page):
    words = words_of(page, {CHOSE: HOLDS, OTHER: (25, 60)})
    assert (words[ITSELF], words[OTHERS]) == ("holds", "does not hold")
    assert words_of(page, {CHOSE: (25, 60), OTHER: HOLDS})[OTHERS] == "holds"


def test_leaving_foreign_objects_out_may_close_the_gap(page):
    words = words_of(page, {CHOSE: (40, 60), OTHER: (40, 60)})
    assert words[STILL] == "does not hold"


def test_a_detector_that_finds_little_decides_nothing(page):
    words = words_of(page, {CHOSE: (4, 4), OTHER: (4, 4)})
    assert {words[one] for one in (ITSELF, OTHERS, BETTER, STILL)} == {"premise fails"}


def test_losses_are_folded(page, monkeypatch):
    monkeypatch.setattr(learning, "losses", lambda run: {"mine": [[2.0, 1.0]]})
    block = str(chapter.training(page))
    assert "How the detectors learned: loss by epoch" in block
    assert "Loss on training images by epoch" in block


def test_numbers_stand_beside_the_papers(page):
    on_both = toys.maps({CHOSE: HOLDS, OTHER: HOLDS})
    rows = coco_map.results(on_both)
    block = str(chapter.detectors(page, rows, on_both))
    assert "n = 60 ordinary and 60 adversarial images; IoU .5 to .95" in block
    assert "boxes with a score of 0.01 or more, or of the detector&#x27;s own minimum" in block
    assert "58.2" in texts(chapter.detectors(page, rows, on_both), "td")  # CBNetV2 on val
    figure = str(chapter.comparison(page, rows, on_both))
    assert "CBNetV2-HTC" in figure
    assert "This run, adversarial: from" in figure
    assert "19.1" in " ".join(texts(chapter.drops(page, rows, on_both), "td"))
    assert (
        "without boxes that match no object"
        in str(chapter.foreign_rules(page, rows, on_both, toys.SETS[1])).lower()
    )


def told_apart(images):
    """The same images; every wedge is of a wide word."""

    class Related(type(images)):
        @property
        def annotations(self):
            flags = [
                np.array([name == "wedge" for name in one.foreign.names], bool)
                for one in super().annotations
            ]
            return tuple(
                replace(one, foreign=replace(one.foreign, related=flag))
                for one, flag in zip(super().annotations, flags, strict=True)
            )

    return Related(count=len(images), name=images.name)


def test_wide_words_among_foreign_objects_are_shown_or_told_or_there_are_none(page):
    right = {CHOSE: HOLDS}

    def block(images, on_both):
        return str(chapter.foreign_rules(page, coco_map.results(on_both), on_both, images))

    plain = toys.maps(right)
    assert "does not contain it" in block(toys.SETS[1], plain)
    assert "Likewise" not in block(toys.SETS[1], plain)

    class Composed(Shapes, Layouts):
        pass

    assert "wider label" not in block(Composed(), plain)
    unmarked = (toys.SETS[0], toys.without_marks(toys.SETS[1]))
    assert "wider label" not in block(toys.SETS[1], toys.maps(right, shown=unmarked))

    apart = toys.maps(right, shown=tuple(map(told_apart, toys.SETS)))
    one = apart[CHOSE][1]
    all_count, first, second = (one.map(rule).value for rule in (None, "overlap", "unrelated"))
    assert all_count < second < first
    told = block(toys.SETS[1], apart)
    assert f"an mAP of {100 * second:.1f} % instead of {100 * first:.1f} %" in told
    assert "Likewise, but wide labels (vehicle) and parts (face) are not OOD" in told


def test_kinds_of_error_are_drawn_and_told(page):
    kinds = toys.kinds_of_error({CHOSE: (12, 0), OTHER: (12, 12)})
    block = str(chapter.errors(page, kinds))
    assert "EfficientDet-D7-like, adversarial: from" in block
    assert "(TIDE)" in block


def test_failures_are_shown_and_may_be_none(page):
    images = toys.pictures()[1]
    found = toys.object_boxes({CHOSE: 0}, images)
    told = nao.confused(images, found, CHOSE)
    shown = chapter.shown(told, found[CHOSE][0], images)
    block = str(chapter.failure_modes(page, shown, told, CHOSE, "nao", toys.PAIRS))
    assert block.count("<image") == len(shown.pictures)
    assert "2 of the 2 planted pairs are among these" in block
    none = chapter.Shown((), (), ())
    assert "confuses no classes" in str(chapter.failure_modes(page, none, (), CHOSE, "nao"))


IMAGES = Shapes(count=30)
FOUND = toys.object_boxes({"mine": 10}, IMAGES)
TOLD = confused(IMAGES, FOUND, "mine")


def test_one_picture_a_confusion_with_what_lies_there():
    shown = nao_2_map.shown(TOLD, FOUND["mine"][0], IMAGES, most=3)
    assert len(shown.pictures) == 3
    assert shown.captions[0] == f"{TOLD[0].truth}, predicted as {TOLD[0].predicted}"
    for boxes in shown.boxes:
        assert [box.kind for box in boxes] == ["truth", "wrong"]
        assert boxes[0].corners == boxes[1].corners  # toys find the very box
    surest = max(one.score for one in TOLD[0].mistakes)
    assert shown.boxes[0][1].words.endswith(f"{100 * surest:.0f} %")


def test_confusions_are_told_beside_the_papers_and_the_planted_ones():
    frame = nao_2_map.confusion_frame(TOLD, toys.PAIRS).set_index(["True object", "Predicted as"])
    assert frame.loc[("ring", "disc"), "Planted"] == "yes"
    assert frame.loc[("ring", "disc"), "In the label set"] == "no"
    assert frame.loc[("disc", "box"), "In the label set"] == "yes"
    assert frame.loc[("disc", "box"), "Planted"] == ""
    assert "Planted" not in nao_2_map.confusion_frame(TOLD, ())


def test_the_paper_prints_eight_pairs():
    assert len(nao_2_map.paper_frame()) == 8
    assert ("tiger", "zebra") in nao_2_map.of_the_paper()
    assert ("skull", "doughnut") in nao_2_map.of_the_paper()
    assert ("rhinoceros", "elephant") in nao_2_map.of_the_paper()


def test_rows_count_pictures():
    rows = nao_2_map.confusion_rows(TOLD, "nao", "mine")
    assert rows.row(dataset="nao/ring called disc").value == next(
        one.pictures for one in TOLD if (one.truth, one.predicted) == ("ring", "disc")
    )


def test_a_composed_world_planted_its_pairs_and_photographs_none():
    class Composed(Shapes, Layouts):
        world = SimpleNamespace(pairs=toys.PAIRS)

    made = Composed()
    assert nao_2_map.planted_pairs(made) == toys.PAIRS
    assert nao_2_map.planted_pairs(Subset(made, (0, 2))) == toys.PAIRS
    assert nao_2_map.planted_pairs(IMAGES) == ()
