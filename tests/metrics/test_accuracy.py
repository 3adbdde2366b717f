"""Accuracy: hand cases, ties, and the errors."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, top_k_accuracy_score

from robust_lib.errors import InputError
from robust_lib.metrics.accuracy import correct, top1, topk
from tests.toys import unchecked

RNG = np.random.default_rng(0)
LOGITS = RNG.standard_normal((200, 10))
LABELS = RNG.integers(0, 10, 200)


def test_a_case_small_enough_to_check_by_eye():
    logits = np.array([[3.0, 2.0, 1.0], [1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [3.0, 1.0, 2.0]])
    labels = np.array([0, 1, 0, 2])
    assert top1(logits, labels) == 0.25
    assert topk(logits, labels, 2) == 0.75
    assert topk(logits, labels, 3) == 1.0


@pytest.mark.parametrize("k", [1, 3, 5, 9])
def test_scikit_learn_agrees(k):
    assert topk(LOGITS, LABELS, k) == top_k_accuracy_score(LABELS, LOGITS, k=k, labels=range(10))


def test_top1_is_the_argmax_even_where_logits_tie():
    logits = np.round(LOGITS)
    assert top1(logits, LABELS) == accuracy_score(LABELS, logits.argmax(1))


def test_ties_never_let_more_than_k_classes_count():
    for k in (1, 2, 3):
        hits = [correct(np.zeros((1, 4)), np.array([label]), k)[0] for label in range(4)]
        assert sum(hits) == k


@pytest.mark.parametrize(
    ("logits", "labels", "k", "message"),
    [
        (np.zeros((2, 3)), np.zeros(3, int), 1, "as many labels"),
        (np.zeros((0, 3)), np.zeros(0, int), 1, "at least one"),
        (np.zeros((1, 3)), np.array([3]), 1, "from 0 to 2"),
        (np.zeros((1, 3)), np.array([-1]), 1, "from 0 to 2"),
        (np.zeros((1, 3)), np.array([0]), 4, "k from 1 to the 3"),
        (np.zeros((1, 3)), np.array([0]), 0, "k from 1 to the 3"),
        (np.full((1, 3), np.nan), np.array([0]), 1, "NaN"),
    ],
)
def test_wrong_input(logits, labels, k, message):
    with unchecked(), pytest.raises(InputError, match=message):
        correct(logits, labels, k)
