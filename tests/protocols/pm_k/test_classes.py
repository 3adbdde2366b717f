"""Accuracies class by class: whether a few classes are to blame, or luck is."""

import numpy as np
import pytest

from robust_lib.datasets.frame_sets import from_names
from robust_lib.protocols.pm_k.classes import by_class
from robust_lib.protocols.pm_k.frame_predictions import FramePredictions
from robust_lib.results.compare import compare
from tests.protocols.pm_k import toys

CLASSES = ("lion", "monkey")


def rows_by_class(whole, anchors, sets=200, label=lambda place: [place % 2]):
    found = toys.answers({"mine": (whole, anchors)}, toys.frame_sets(sets, label))
    return by_class(found, "mine", CLASSES)


def test_each_class_has_its_own_sets():
    rows = rows_by_class(50, 100, label=lambda place: [int(place >= 150)])
    lion = rows.select(dataset="toys/lion", metric="pm_accuracy").rows
    assert [(row.k, row.value, row.n) for row in lion] == [(0, 100 / 150, 150), (10, 50 / 150, 150)]
    monkey = rows.select(dataset="toys/monkey", metric="pm_accuracy").rows
    assert [(row.value, row.n) for row in monkey] == [(0.0, 50), (0.0, 50)]
    assert rows.row(metric="median_class_drop").value == pytest.approx(np.median([50 / 150, 0]))
    assert rows.row(metric="classes_with_drop").value == 0.5
    assert rows.row(metric="classes").value == 2
    assert rows.row(metric="drop").value == pytest.approx(0.25)


def test_a_class_without_sets_has_no_rows():
    rows = rows_by_class(5, 10, sets=20, label=lambda place: [0])
    assert {row.dataset for row in rows.rows} == {"toys", "toys/lion"}
    assert rows.row(metric="classes").value == 1


def test_an_anchor_of_two_classes_counts_in_both():
    rows = rows_by_class(10, 20, sets=20, label=lambda place: [0, 1])
    assert [row.n for row in rows.select(metric="pm_accuracy").rows] == [20] * 6


@pytest.mark.parametrize(
    ("lost", "word"),
    [
        ([10] * 9, "holds"),
        ([25, 25, 25, 0, 0, 0, 0, 0, 0], "does not hold"),
        ([20, 20, 20, 5, 5, 5, 5, 5, 5], "not decided"),
    ],
)
def test_that_the_drop_is_not_that_of_a_few_classes_can_fail(lost, word, monkeypatch):
    """With one lost set in each class, most classes took part whatever the others lost."""
    truth = np.arange(30 * len(lost)) % len(lost)  # thirty sets a class, so many of them lost
    rank = np.arange(len(truth)) // len(lost)
    assert spread(lost_sets(truth, rank < np.array(lost)[truth], monkeypatch)) == word


def test_what_classes_lose_by_chance_is_no_sign_of_a_few_classes(monkeypatch):
    """Of sixteen classes that are alike the worst six lose half of all sets, by luck alone."""
    truth = np.repeat(np.arange(16), 24)
    rng = np.random.default_rng(3)
    rows = lost_sets(truth, rng.permutation(len(truth)) < 88, monkeypatch)
    by_lot = rows.row(metric="worst_third_by_lot").value
    assert by_lot == pytest.approx(0.51, abs=0.01)  # and not six sixteenths
    assert abs(rows.row(metric="worst_third_excess").value) < 0.15
    assert spread(rows) == "holds"


def test_sets_of_one_drawing_are_drawn_and_dealt_out_together(monkeypatch):
    """Eight sets of a drawing that fall together are one stroke of luck, and not eight."""
    truth = np.repeat(np.arange(9), 32)
    drawing = np.arange(len(truth)) // 8
    lost = np.random.default_rng(1).permutation(36)[drawing] < 9
    alone = lost_sets(truth, lost, monkeypatch)
    together = lost_sets(truth, lost, monkeypatch, tuple(map(str, drawing)))
    for metric in ("worst_third_share", "median_class_drop"):
        assert width(together.row(metric=metric)) > 1.3 * width(alone.row(metric=metric))
    c0 = [
        width(one.row(metric="pm_accuracy", k=10, dataset="toys/c0")) for one in (alone, together)
    ]
    assert c0[1] >= c0[0]
    by_lot = [one.row(metric="worst_third_by_lot").value for one in (alone, together)]
    assert by_lot[1] > by_lot[0] + 0.1


def lost_sets(truth, lost, monkeypatch, together=None):
    """Return the rows of sets of one frame, of these classes, of which these are lost."""
    classes = int(truth.max()) + 1
    labels = {f"val/{place:04}/000010.JPEG": [int(one)] for place, one in enumerate(truth)}
    sets = from_names(labels, {frame: [] for frame in labels}, classes=classes)
    answers = FramePredictions("toys", sets, {"mine": ()}, "all outputs", together=together)
    hits = np.stack([np.ones(len(truth), bool), *[~lost] * 10], axis=1)
    monkeypatch.setattr(FramePredictions, "hits", lambda *_: (hits,))
    return by_class(answers, "mine", [f"c{place}" for place in range(classes)])


def width(row):
    return row.high - row.low


def test_who_loses_nothing_has_no_worst_third():
    assert rows_by_class(100, 100).select(metric="worst_third_share").rows == ()


def spread(rows):
    verdicts = compare(rows, "vid-fig5", roles={"resnet152_finetune": "mine"})
    return next(one for one in verdicts if "worst_third_excess" in one.metric).verdict
