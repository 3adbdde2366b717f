"""Which confusions are shown, and how they are counted."""

from types import SimpleNamespace

from robust_book.chapters.nao_2_map import failures
from robust_lib.datasets.derived import Subset
from robust_lib.datasets.layouts import Layouts
from robust_lib.run.papers.nao import confused
from tests.layouts import Shapes
from tests.protocols.objects import toys

IMAGES = Shapes(count=30)
FOUND = toys.object_boxes({"mine": 10}, IMAGES)
TOLD = confused(IMAGES, FOUND, "mine")


def test_one_picture_a_confusion_with_what_lies_there():
    shown = failures.shown(TOLD, FOUND["mine"][0], IMAGES, most=3)
    assert len(shown.pictures) == 3
    assert shown.captions[0] == f"{TOLD[0].truth}, called {TOLD[0].predicted}"
    for boxes in shown.boxes:
        assert [box.kind for box in boxes] == ["truth", "wrong"]
        assert boxes[0].corners == boxes[1].corners  # toys find the very box
    surest = max(one.score for one in TOLD[0].mistakes)
    assert shown.boxes[0][1].words.endswith(f"{100 * surest:.0f} %")


def test_confusions_are_told_beside_the_papers_and_the_planted_ones():
    frame = failures.confusion_frame(TOLD, toys.PAIRS).set_index(["What was there", "Called"])
    assert frame.loc[("ring", "disc"), "Planted"] == "yes"
    assert frame.loc[("ring", "disc"), "Of the label set"] == "no"
    assert frame.loc[("disc", "box"), "Of the label set"] == "yes"
    assert frame.loc[("disc", "box"), "Planted"] == ""
    assert "Planted" not in failures.confusion_frame(TOLD, ())


def test_the_paper_prints_eight_pairs():
    assert len(failures.paper_frame()) == 8
    assert ("tiger", "zebra") in failures.of_the_paper()
    assert ("skull", "doughnut") in failures.of_the_paper()
    assert ("rhinoceros", "elephant") in failures.of_the_paper()


def test_rows_count_pictures():
    rows = failures.results(TOLD, "nao", "mine")
    assert rows.row(dataset="nao/ring called disc").value == next(
        one.pictures for one in TOLD if (one.truth, one.predicted) == ("ring", "disc")
    )


def test_a_composed_world_planted_its_pairs_and_photographs_none():
    class Composed(Shapes, Layouts):
        world = SimpleNamespace(pairs=toys.PAIRS)

    made = Composed()
    assert failures.planted_pairs(made) == toys.PAIRS
    assert failures.planted_pairs(Subset(made, (0, 2))) == toys.PAIRS
    assert failures.planted_pairs(IMAGES) == ()
