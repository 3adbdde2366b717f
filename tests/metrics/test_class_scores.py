"""Scores of groups of classes: group by group, and groups that are none."""

import numpy as np
import pytest

from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.metrics.class_scores import class_scores
from tests.looped import over
from tests.toys import unchecked


def network(case, images=30, classes=40):
    rng = seeds.generator("groups", case)
    columns = rng.permutation(classes)[:25]
    cuts = np.sort(rng.permutation(np.arange(1, 25))[:6])
    groups = [group.tolist() for group in np.split(columns, cuts)]
    return rng.normal(0, 3, (images, classes)), groups


@over("case", range(10))
def test_group_by_group(case):
    logits, groups = network(case)
    largest = [[max(row[column] for column in group) for group in groups] for row in logits]
    np.testing.assert_array_equal(class_scores(logits, groups), largest)
    odds = np.exp(logits)
    total = [[sum(row[column] for column in group) / sum(row) for group in groups] for row in odds]
    np.testing.assert_allclose(class_scores(logits, groups, "sum"), total, rtol=1e-12)


def test_the_two_ways_can_disagree():
    """One sure member against many that are nearly as sure."""
    logits = np.array([[3.0, 2.9, 2.9, 2.9]])
    groups = [[0], [1, 2, 3]]
    assert class_scores(logits, groups).argmax() == 0
    assert class_scores(logits, groups, "sum").argmax() == 1


def test_large_logits_of_32_bits():
    logits = np.array([[1000.0, 900.0, -1000.0]], np.float32)
    assert class_scores(logits, [[2], [0, 1]], "sum").tolist() == [[0.0, 1.0]]
    assert class_scores(logits, [[2], [0, 1]]).dtype == np.float32


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([], r"at least one class each, but got groups of \[\]"),
        ([[0], []], r"groups of \[1, 0\]. Omit classes"),
        ([[0], [3]], "members from 0 to 2, the columns of the logits, but got 0 to 3"),
        ([[-1]], "got -1 to -1. Pass the outputs of the whole network"),
        ([[0, 1], [1]], r"in at most one group, but got \[1\] in several"),
    ],
)
def test_groups_that_are_none(groups, message):
    with pytest.raises(InputError, match=message):
        class_scores(np.zeros((1, 3)), groups)


def test_other_words_and_no_numbers():
    with unchecked(), pytest.raises(InputError, match="scores to be one of max, sum, but got mean"):
        class_scores(np.zeros((1, 3)), [[0]], "mean")
    with pytest.raises(InputError, match="but got NaN"):
        class_scores(np.full((1, 3), np.nan), [[0]])
