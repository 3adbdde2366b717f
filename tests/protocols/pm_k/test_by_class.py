"""Accuracy by class: counts by hand, and claims that can fail."""

from dataclasses import replace

import numpy as np
import pytest

from robust_lib.protocols.pm_k.by_class import by_class
from robust_lib.results.compare import compare
from robust_lib.results.table import Results
from tests.protocols.pm_k import toys

CLASSES = ("lion", "monkey")


def rows_of(whole, anchors, sets=200, label=lambda place: [place % 2]):
    found = toys.answers({"mine": (whole, anchors)}, toys.frame_sets(sets, label))
    return by_class(found, "mine", CLASSES)


def test_each_class_has_its_own_sets():
    rows = rows_of(50, 100, label=lambda place: [int(place >= 150)])
    lion = rows.select(dataset="toys/lion", metric="pm_accuracy").rows
    assert [(row.k, row.value, row.n) for row in lion] == [(0, 100 / 150, 150), (10, 50 / 150, 150)]
    monkey = rows.select(dataset="toys/monkey", metric="pm_accuracy").rows
    assert [(row.value, row.n) for row in monkey] == [(0.0, 50), (0.0, 50)]
    assert rows.row(metric="median_class_drop").value == pytest.approx(np.median([50 / 150, 0]))
    assert rows.row(metric="classes_with_drop").value == 0.5
    assert rows.row(metric="classes").value == 2
    assert rows.row(metric="drop").value == pytest.approx(0.25)


def test_a_class_without_sets_has_no_rows():
    rows = rows_of(5, 10, sets=20, label=lambda place: [0])
    assert {row.dataset for row in rows.rows} == {"toys", "toys/lion"}
    assert rows.row(metric="classes").value == 1


def test_an_anchor_of_two_classes_counts_in_both():
    rows = rows_of(10, 20, sets=20, label=lambda place: [0, 1])
    assert [row.n for row in rows.select(metric="pm_accuracy").rows] == [20] * 6


@pytest.mark.parametrize(
    ("label", "whole", "word"),
    [
        (lambda place: [int(place >= 100)], 50, "does not hold"),  # monkeys lose nothing more
        (lambda place: [place % 2], 50, "holds"),
    ],
)
def test_that_most_classes_take_part_can_fail(label, whole, word):
    rows = rows_of(whole, 100, label=label)
    assert spread(rows) == "not decided"  # there are two classes
    as_in_the_paper = [
        replace(row, n=30, n_full=30) if row.metric == "classes_with_drop" else row
        for row in rows.rows
    ]
    assert spread(Results.of(as_in_the_paper)) == word


def spread(rows):
    verdicts = compare(rows, "vid-fig5", roles={"resnet152_finetune": "mine"})
    return next(one for one in verdicts if "classes_with_drop" in one.metric).verdict
